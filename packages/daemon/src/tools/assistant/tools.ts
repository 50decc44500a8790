// The eleven tools of the owner's assistant: seed 001's seven and seed 000's four. They are made for one
// turn, and only while WhatsApp is connected; no session of a contact ever has one of them.
import type { AgentTool } from '../../agent/tool.ts';
import { lookupTools } from './lookups.ts';
import { permissionTools } from './permissions.ts';
import type { ToolRun } from './run.ts';
import { scheduleTools } from './schedule.ts';
import { sendTools } from './send.ts';

export const assistantTools = (run: ToolRun): AgentTool[] => [
  ...lookupTools(run),
  ...sendTools(run),
  ...scheduleTools(run),
  ...permissionTools(run),
];

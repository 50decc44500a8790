// Every tool that programs may call, by name: what MCP lists, what /api/tools lists, and what the matrix of
// tokens and tools is tested over.
import type { ProgramTool } from './tool.ts';
import { authenticateQr } from './tools/authenticate-qr.ts';
import { getChats } from './tools/get-chats.ts';
import { sendMessage } from './tools/send-message.ts';

const ALL: readonly ProgramTool[] = [authenticateQr, sendMessage, getChats];

export const TOOLS: ReadonlyMap<string, ProgramTool> = new Map(
  ALL.map((tool) => [tool.name, tool]),
);

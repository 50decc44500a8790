// Every tool that programs may call, by name: what MCP lists, what /api/tools lists, and what the matrix of
// tokens and tools is tested over.
import type { ProgramTool } from './tool.ts';
import { getChats } from './tools/get-chats.ts';

const ALL: readonly ProgramTool[] = [getChats];

export const TOOLS: ReadonlyMap<string, ProgramTool> = new Map(
  ALL.map((tool) => [tool.name, tool]),
);

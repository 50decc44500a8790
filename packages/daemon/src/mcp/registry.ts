// Every tool that programs may call, by name: what MCP lists, what /api/tools lists, and what the matrix of
// tokens and tools is tested over.
import type { ProgramTool } from './tool.ts';
import { authenticateQr } from './tools/authenticate-qr.ts';
import { getChats } from './tools/get-chats.ts';
import { getDigest } from './tools/get-digest.ts';
import { listPermissions } from './tools/list-permissions.ts';
import { readMessages } from './tools/read-messages.ts';
import { searchMessages } from './tools/search-messages.ts';
import { sendMessage } from './tools/send-message.ts';
import { summarizeChat } from './tools/summarize-chat.ts';
import { why } from './tools/why.ts';

const ALL: readonly ProgramTool[] = [
  authenticateQr,
  sendMessage,
  getChats,
  readMessages,
  searchMessages,
  summarizeChat,
  getDigest,
  listPermissions,
  why,
];

export const TOOLS: ReadonlyMap<string, ProgramTool> = new Map(
  ALL.map((tool) => [tool.name, tool]),
);

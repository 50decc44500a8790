// Every tool that programs may call, by name: what MCP lists, what /api/tools lists, and what the matrix of
// tokens and tools is tested over.
import type { ProgramTool } from './tool.ts';
import { authenticateQr } from './tools/authenticate-qr.ts';
import { cancelSchedule } from './tools/cancel-schedule.ts';
import { controlConversation } from './tools/control-conversation.ts';
import { createConversation } from './tools/create-conversation.ts';
import { getChats } from './tools/get-chats.ts';
import { getConversation } from './tools/get-conversation.ts';
import { getDigest } from './tools/get-digest.ts';
import { listConversations } from './tools/list-conversations.ts';
import { listPermissions } from './tools/list-permissions.ts';
import { listSchedules } from './tools/list-schedules.ts';
import { readMessages } from './tools/read-messages.ts';
import { scheduleMessage } from './tools/schedule-message.ts';
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
  createConversation,
  getConversation,
  listConversations,
  controlConversation,
  listPermissions,
  scheduleMessage,
  listSchedules,
  cancelSchedule,
  why,
];

export const TOOLS: ReadonlyMap<string, ProgramTool> = new Map(
  ALL.map((tool) => [tool.name, tool]),
);

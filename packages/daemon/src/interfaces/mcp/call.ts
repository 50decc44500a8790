// One call of a tool, by whichever door it came. Invariant: whose token it is and what that opens is looked
// up at this call; the input is read by the tool's schema before the tool sees it, and nothing but the
// tool's own output goes back.

import { randomUUID } from 'node:crypto';
import { boundedText } from '@relay/contract/api/common';
import type { TokenClient } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import type { Log } from '@relay/core/log';
import { tokenActor } from '@relay/core/policy/actors';
import { REASONS } from '@relay/core/policy/reasons';
import { z } from 'zod';
import { isDatabaseUnavailable } from '../../platform/db/failures.ts';
import { noteTokenReads } from '../../platform/db/tokens.ts';
import {
  type CallContext,
  type ClientCall,
  type ClientDeps,
  type ClientTool,
  InputRequiredError,
  OrderedCall,
} from './tool.ts';
import {
  getChatsTool,
  getDigestTool,
  listPermissionsTool,
  summarizeChatTool,
} from './tools/chats.ts';
import {
  controlConversationTool,
  createConversationTool,
  getConversationTool,
  listConversationsTool,
} from './tools/conversations.ts';
import { whyTool } from './tools/ledger.ts';
import { authenticateQrTool } from './tools/linking.ts';
import { readMessagesTool, sendMessageTool } from './tools/messages.ts';
import { cancelScheduleTool, listSchedulesTool, scheduleMessageTool } from './tools/schedules.ts';
import { searchMessagesTool } from './tools/search.ts';

/** The program's own name for a call. */
const KEY = boundedText(128);

/** Below the minute that programs wait for an answer by themselves. */
const LIMIT_MS = 50_000;

/** Throws an Ask or a RelayError and nothing else. */
export async function callTool(
  deps: ClientDeps,
  hash: string,
  name: string,
  input: unknown,
  door: CallContext,
): Promise<Record<string, unknown>> {
  const tool = CLIENT_TOOLS.get(name);
  // Before anything is waited for: this is when the call came.
  const line = new OrderedCall(deps.turns, `${hash} ${tool?.name}`);
  try {
    return await withTimeLimit(tool?.limitMs ?? LIMIT_MS, door.signal, async (signal) => {
      const program = await deps.tokens.known(hash);
      if (program === null) throw new RelayError('unauthorized');
      if (tool === undefined) throw new RelayError('tool_not_found', { tool: name.slice(0, 60) });
      if (!isAllowed(program, tool)) {
        throw new RelayError('denied', { reason: REASONS.missing_scope.sentence });
      }
      const given = tool.input.safeParse(input ?? {});
      if (!given.success) {
        throw new RelayError('invalid_request', { what: oneLine(z.prettifyError(given.error)) });
      }
      if (door.key !== null && !KEY.safeParse(door.key).success) {
        throw new RelayError('invalid_request', { what: 'no such key can be kept' });
      }
      deps.log.debug('tool called', { route: tool.name, body: JSON.stringify(given.data) });
      const call = createCall(deps, program, { ...door, signal }, line);
      return tool.output.parse(await tool.run(call, given.data));
    });
  } catch (error) {
    throw error instanceof InputRequiredError
      ? error
      : toRelayError(deps.log, name.slice(0, 60), error);
  } finally {
    line.leave();
  }
}

export const isAllowed = ({ scopes }: TokenClient, { scope }: ClientTool): boolean =>
  scopes.includes(scope);

function createCall(
  deps: ClientDeps,
  program: TokenClient,
  door: CallContext,
  line: OrderedCall,
): ClientCall {
  return {
    ...door,
    world: deps,
    program,
    actor: tokenActor(program),
    scope: { kind: 'token', contacts: program.contacts },
    noteRead: (db, chats) => noteTokenReads(db, deps.lease.account, program.id, chats),
    inTurn: (work) => line.inTurn(work),
  };
}

const oneLine = (text: string): string =>
  text
    .replace(/✖ /g, '')
    .replace(/(?<!\s)\s*\n\s*(→ )?/g, '; ')
    .slice(0, 400);

// What a tool throws becomes what is answered. Invariant: only sentences of the one table go out; anything
// else is `internal` under an id, and what it was stays in the log.

export function toRelayError(log: Log, tool: string, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  if (isDatabaseUnavailable(error)) return new RelayError('database_unavailable');
  const request = randomUUID();
  log.error('tool failed', { route: tool, request, error });
  return new RelayError('internal', { request });
}

/** A limit that holds though the work may hang: it is told by the signal, and no longer waited for. */
export async function withTimeLimit<T>(
  limitMs: number,
  cancelled: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const cancel = () => over.abort(new RelayError('cancelled'));
  const late = () => over.abort(new RelayError('tool_too_slow', { seconds: limitMs / 1_000 }));
  const timer = setTimeout(late, limitMs);
  cancelled.addEventListener('abort', cancel, { once: true });
  const { promise, reject } = Promise.withResolvers<never>();
  over.signal.addEventListener('abort', () => reject(over.signal.reason), { once: true });
  if (cancelled.aborted) cancel();
  try {
    return await Promise.race([work(over.signal), promise]);
  } finally {
    clearTimeout(timer);
    cancelled.removeEventListener('abort', cancel);
  }
}

// Every tool that programs may call, by name: what MCP lists, what /api/tools lists, and what the matrix of
// tokens and tools is tested over.

const ALL_TOOLS: readonly ClientTool[] = [
  authenticateQrTool,
  sendMessageTool,
  getChatsTool,
  readMessagesTool,
  searchMessagesTool,
  summarizeChatTool,
  getDigestTool,
  createConversationTool,
  getConversationTool,
  listConversationsTool,
  controlConversationTool,
  listPermissionsTool,
  scheduleMessageTool,
  listSchedulesTool,
  cancelScheduleTool,
  whyTool,
];

export const CLIENT_TOOLS: ReadonlyMap<string, ClientTool> = new Map(
  ALL_TOOLS.map((tool) => [tool.name, tool]),
);

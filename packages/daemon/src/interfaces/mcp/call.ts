// Runs one tool call of a client, whichever way it arrived, and lists all tools.
// Invariant: the token and its scopes are looked up at this call, the input is parsed with the tool's schema before the
// tool sees it, and only the tool's own output is returned.

import { randomUUID } from 'node:crypto';
import { boundedText } from '@relay/contract/api/common';
import type { TokenClient } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import type { Scope } from '@relay/contract/policy/scopes';
import type { Log } from '@relay/core/log';
import { tokenActor } from '@relay/core/policy/actors';
import { refusalError } from '@relay/core/policy/reasons';
import { z } from 'zod';
import { isDatabaseUnavailable } from '../../platform/db/failures.ts';
import { noteTokenReads } from '../../platform/db/tokens.ts';
import {
  type CallContext,
  type CallTurn,
  type CallTurns,
  type ClientCall,
  type ClientDeps,
  type ClientTool,
  InputRequiredError,
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

/** The client's own key for a call. */
const KEY = boundedText(128);

/** Less than the minute that clients wait for an answer by default. */
const LIMIT_MS = 50_000;

/** Throws an InputRequiredError or a RelayError and nothing else. */
export async function callTool(
  home: ClientDeps,
  hash: string,
  name: string,
  given: unknown,
  context: CallContext,
): Promise<Record<string, unknown>> {
  const named = accountNamedIn(given);
  // Without an account nothing is awaited here, so that calls keep the order in which they arrived.
  const deps = named === null ? home : await findAccountDeps(home, hash, named.account);
  const input = named === null ? given : named.input;
  const tool = CLIENT_TOOLS.get(name);
  const operation = {
    name: name.slice(0, 60),
    queue: String(tool?.name),
    scope: tool?.scope ?? null,
    limitMs: tool?.limitMs,
  };
  return callAsClient(deps, hash, operation, context, async (call) => {
    if (tool === undefined) throw new RelayError('tool_not_found', { tool: operation.name });
    const parsed = tool.input.safeParse(input ?? {});
    if (!parsed.success) {
      throw new RelayError('invalid_request', { what: oneLine(z.prettifyError(parsed.error)) });
    }
    deps.log.debug('tool called', { route: tool.name, body: JSON.stringify(parsed.data) });
    return tool.output.parse(await tool.run(call, parsed.data));
  });
}

// A token may be valid for several accounts: then each tool takes the name of one.

/** The argument that every tool takes besides its own. */
const ACCOUNT_ARGUMENT = 'account';

/** The names of the accounts that this token is valid for, if there are several; otherwise none. */
export async function accountChoices(deps: ClientDeps, hash: string): Promise<readonly string[]> {
  const names = [...((await deps.accountsOf?.(hash)) ?? new Map()).keys()];
  return names.length > 1 ? names : [];
}

/** Adds the argument to a tool's schema. */
export const withAccountArgument = (
  schema: Record<string, unknown>,
  names: readonly string[],
): Record<string, unknown> =>
  names.length === 0
    ? schema
    : {
        ...schema,
        properties: {
          ...(schema.properties as object),
          [ACCOUNT_ARGUMENT]: {
            type: 'string',
            enum: names,
            description: `The WhatsApp account; ${names[0]} if omitted.`,
          },
        },
      };

function accountNamedIn(
  input: unknown,
): { readonly account: string; readonly input: object } | null {
  if (typeof input !== 'object' || input === null || !(ACCOUNT_ARGUMENT in input)) return null;
  const { [ACCOUNT_ARGUMENT]: account, ...rest } = input;
  return { account: String(account).slice(0, 64), input: rest };
}

async function findAccountDeps(
  deps: ClientDeps,
  hash: string,
  account: string,
): Promise<ClientDeps> {
  const found = (await deps.accountsOf?.(hash))?.get(account);
  if (found === undefined) throw new RelayError('account_not_found', { account });
  return found;
}

interface ClientOperation {
  readonly name: string;
  /** Calls of one queue write in the order in which they arrived. */
  readonly queue: string;
  readonly scope: Scope | null;
  readonly limitMs?: number | undefined;
}

/** Throws an InputRequiredError or a RelayError and nothing else. */
export async function callAsClient<T>(
  deps: ClientDeps,
  hash: string,
  { name, queue, scope, limitMs = LIMIT_MS }: ClientOperation,
  context: CallContext,
  run: (call: ClientCall) => Promise<T>,
): Promise<T> {
  // Created before anything is awaited, so that its place is the order of arrival.
  const orderedCall = new OrderedCall(deps.callOrder, `${hash} ${queue}`);
  try {
    return await withTimeLimit(limitMs, context.signal, async (signal) => {
      const client = await deps.tokens.findClient(hash);
      if (client === null) throw new RelayError('unauthorized');
      if (scope !== null && !client.scopes.includes(scope)) throw refusalError('missing_scope');
      if (context.key !== null && !KEY.safeParse(context.key).success) {
        throw new RelayError('invalid_request', { what: 'the idempotency key is not valid' });
      }
      return await run(createCall(deps, client, { ...context, signal }, orderedCall));
    });
  } catch (error) {
    throw error instanceof InputRequiredError ? error : toRelayError(deps.log, name, error);
  } finally {
    orderedCall.release();
  }
}

export const isAllowed = ({ scopes }: TokenClient, { scope }: ClientTool): boolean =>
  scopes.includes(scope);

function createCall(
  deps: ClientDeps,
  client: TokenClient,
  context: CallContext,
  orderedCall: OrderedCall,
): ClientCall {
  return {
    ...context,
    deps,
    client,
    actor: tokenActor(client),
    scope: { kind: 'token', contacts: client.contacts },
    noteRead: (db, chats) => noteTokenReads(db, deps.lease.account, client.id, chats),
    inTurn: (work) => orderedCall.inTurn(work),
  };
}

const oneLine = (text: string): string =>
  text
    .replace(/✖ /g, '')
    .replace(/(?<!\s)\s*\n\s*(→ )?/g, '; ')
    .slice(0, 400);

// Maps a tool's errors to RelayErrors.
// Invariant: answers contain only sentences of the error table; any other error is answered as `internal` with an id
// and is only logged.

export function toRelayError(log: Log, tool: string, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  if (isDatabaseUnavailable(error)) return new RelayError('database_unavailable');
  const request = randomUUID();
  log.error('tool failed', { route: tool, request, error });
  return new RelayError('internal', { request });
}

/** Enforces the limit even if the work hangs: aborts its signal and stops waiting for it. */
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

// Keeps calls in order: calls of one token to one tool write in the order in which they arrived.
// Invariant: a turn that is given back, used or not, never blocks the next one.

export class CallOrder implements CallTurns {
  readonly #last = new Map<string, Promise<void>>();

  reserve(queue: string): CallTurn {
    const comes = this.#last.get(queue) ?? Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const over = comes.then(() => promise);
    this.#last.set(queue, over);
    void over.then(() => {
      if (this.#last.get(queue) === over) this.#last.delete(queue);
    });
    return { comes, giveBack: resolve };
  }
}

/**
 * One call's place in the order: the first work runs in the order of arrival, later work after the calls that arrived
 * since.
 */
export class OrderedCall {
  readonly #turns: CallTurns;
  readonly #queue: string;
  #turn: CallTurn | null;

  constructor(turns: CallTurns, queue: string) {
    this.#turns = turns;
    this.#queue = queue;
    this.#turn = turns.reserve(queue);
  }

  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#turn ??= this.#turns.reserve(this.#queue);
    try {
      await this.#turn.comes;
      return await work();
    } finally {
      this.release();
    }
  }

  release(): void {
    this.#turn?.giveBack();
    this.#turn = null;
  }
}

// All tools of clients by name. MCP and /api/tools list them, and the test of tokens against tools covers them.

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

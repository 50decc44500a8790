// Answers to what is no call of a tool: resources, prompts, completions. Whose token it is is looked up at each
// of them; what is refused is an error of JSON-RPC with a sentence from the one table, and nothing else.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  createRequestStateCodec,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type JSONRPCMessage,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { TokenClient } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import { z } from 'zod';
import { toRelayError } from './call.ts';
import { seedErrorCode } from './reachability.ts';
import { type ClientDeps, type ConfirmationAnswer, InputRequiredError } from './tool.ts';

/** What an answer is made for. */
export interface AuthorizedRequest {
  readonly world: ClientDeps;
  readonly program: TokenClient;
}

export async function answerRequest<T>(
  deps: ClientDeps,
  hash: string,
  answer: (asking: AuthorizedRequest) => Promise<T>,
): Promise<T> {
  try {
    const program = await deps.tokens.known(hash);
    if (program === null) throw new RelayError('unauthorized');
    return await answer({ world: deps, program });
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const told = toRelayError(deps.log, 'mcp', error);
    throw new ProtocolError(rpcCodeOf(told), told.message);
  }
}

const rpcCodeOf = ({ code, status }: RelayError): ProtocolErrorCode => {
  if (code === 'unauthorized') return ProtocolErrorCode.InvalidRequest;
  return status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
};

// What whoever sits at the program is asked, over rounds that the client carries: the state it brings back is
// sealed with a key of this daemon's run. Invariant: a yes is good once, for the token, the tool, the
// arguments and the very question it was given to; for anything else it is asked anew. A no needs no seal.

/** What is asked about: whatever of this changes, it is another question. */
export interface ConfirmationSubject {
  /** The token's. */
  readonly hash: string;
  readonly tool: string;
  readonly input: unknown;
}

interface SealedConfirmation {
  readonly of: string;
  readonly nonce: string;
}

/** The name of the one thing that is asked for. */
const CONFIRM = 'confirm';
const GOOD_FOR_SECONDS = 600;
const KEY_BYTES = 32;

export class Confirmations {
  readonly #codec = createRequestStateCodec<SealedConfirmation>({
    key: randomBytes(KEY_BYTES),
    ttlSeconds: GOOD_FOR_SECONDS,
  });
  /** Yeses that were used, and when each would have run out; the oldest first. */
  readonly #spent = new Map<string, number>();

  readonly verify = (state: string, ctx: ServerContext): Promise<unknown> =>
    this.#codec.verify(state, ctx);

  /** The answer that this round brings; throws an Ask where it brings none. */
  answer(
    { mcpReq }: ServerContext,
    about: ConfirmationSubject,
    question: string,
  ): Exclude<ConfirmationAnswer, 'cannot'> {
    const said = inputResponse(mcpReq.inputResponses, CONFIRM);
    if (said.kind !== 'elicit') throw new InputRequiredError(question);
    const accepted = said.action === 'accept' && said.content?.send === true;
    if (!accepted) return 'no';
    const asked = mcpReq.requestState<SealedConfirmation>();
    if (asked?.of !== digestOf(about, question) || !this.#spend(asked.nonce)) {
      throw new InputRequiredError(question);
    }
    return 'yes';
  }

  async ask(about: ConfirmationSubject, message: string): Promise<InputRequiredResult> {
    return inputRequired({
      inputRequests: {
        [CONFIRM]: inputRequired.elicit({ message, requestedSchema: FORM }),
      },
      requestState: await this.#codec.mint({
        of: digestOf(about, message),
        nonce: randomUUID(),
      }),
    });
  }

  #spend(nonce: string): boolean {
    const now = Date.now();
    for (const [old, until] of this.#spent) {
      if (until > now) break;
      this.#spent.delete(old);
    }
    if (this.#spent.has(nonce)) return false;
    this.#spent.set(nonce, now + GOOD_FOR_SECONDS * 1_000);
    return true;
  }
}

const FORM = z.object({ send: z.boolean().describe('Do it?') });

const digestOf = ({ hash, tool, input }: ConfirmationSubject, question: string): string =>
  createHash('sha256')
    .update(JSON.stringify([hash, tool, input ?? {}, question]))
    .digest('hex');

// What leaves says what was meant. Seed 002 calls a failed network -32002: the library knows that number as
// another error's, of long ago, and writes -32602 in its place. And params that it cannot read it calls an
// error of its own, with all that was wrong with them in place of a sentence.

/** No sentence of ours begins so. */
const ISSUE_LIST = /^\s*\[/;

/** In place: a transport is known to the library by what it is. */
export function patchErrorCodes(mcp: McpServer): void {
  const connect = mcp.connect.bind(mcp);
  mcp.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(withSeedCode(message), options);
    return connect(transport);
  };
}

function withSeedCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message;
  const { error } = message;
  if (error.code === INTERNAL_ERROR && ISSUE_LIST.test(error.message)) {
    return { ...message, error: { code: INVALID_PARAMS, message: 'Invalid params' } };
  }
  const code = seedErrorCode((error.data as { name?: unknown } | undefined)?.name);
  return code === undefined ? message : { ...message, error: { ...error, code } };
}

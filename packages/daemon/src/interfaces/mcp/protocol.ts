// What the MCP request handlers share: answers for an authorized client, confirmations by the person at the client, and
// the correction of error codes that the library would change.

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

// Answers MCP requests other than tool calls: resources, prompts and completions. The token is looked up at each
// request; a refusal is a JSON-RPC error with a sentence of the error table and nothing else.

/** What the answer to one request depends on. */
export interface AuthorizedRequest {
  readonly deps: ClientDeps;
  readonly client: TokenClient;
}

export async function answerRequest<T>(
  deps: ClientDeps,
  hash: string,
  answer: (asking: AuthorizedRequest) => Promise<T>,
): Promise<T> {
  try {
    const client = await deps.tokens.findClient(hash);
    if (client === null) throw new RelayError('unauthorized');
    return await answer({ deps, client });
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = toRelayError(deps.log, 'mcp', error);
    throw new ProtocolError(rpcCodeOf(failure), failure.messageFor('tools'));
  }
}

const rpcCodeOf = ({ code, status }: RelayError): ProtocolErrorCode => {
  if (code === 'unauthorized') return ProtocolErrorCode.InvalidRequest;
  return status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
};

// Confirmations: questions to the person at the client. The client carries the state from round to round, sealed with a
// key of this run of the daemon.
// Invariant: a confirmation is valid once, and only for the token, tool, arguments and question it was given for;
// otherwise the person is asked again. A refusal needs no seal.

/** What a confirmation covers; if any of this changes, it is a different question. */
export interface ConfirmationSubject {
  /** The token's hash. */
  readonly hash: string;
  readonly tool: string;
  readonly input: unknown;
}

interface SealedConfirmation {
  readonly of: string;
  readonly nonce: string;
}

/** The name of the only requested input. */
const CONFIRM = 'confirm';
const GOOD_FOR_SECONDS = 600;
const KEY_BYTES = 32;

export class Confirmations {
  readonly #codec = createRequestStateCodec<SealedConfirmation>({
    key: randomBytes(KEY_BYTES),
    ttlSeconds: GOOD_FOR_SECONDS,
  });
  /** Used confirmations and when each would have expired, oldest first. */
  readonly #spent = new Map<string, number>();

  readonly verify = (state: string, ctx: ServerContext): Promise<unknown> =>
    this.#codec.verify(state, ctx);

  /** The answer in this round's request; throws an InputRequiredError when there is none. */
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

const FORM = z.object({ send: z.boolean().describe('Confirm') });

const digestOf = ({ hash, tool, input }: ConfirmationSubject, question: string): string =>
  createHash('sha256')
    .update(JSON.stringify([hash, tool, input ?? {}, question]))
    .digest('hex');

// Corrects error codes that the library would change. Seed 002 gives a failed network the code -32002; the library
// knows that number as an obsolete code of another error and writes -32602 instead. It also answers unreadable params
// with its own error, which lists all issues instead of a sentence.

/** No sentence of Relay begins like this. */
const ISSUE_LIST = /^\s*\[/;

/** Patches in place, because the library recognizes a transport by its identity. */
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

// What whoever sits at the program is asked, over rounds that the client carries: the state it brings back is
// sealed with a key of this daemon's run. Invariant: a yes is good once, for the token, the tool, the
// arguments and the very question it was given to; for anything else it is asked anew. A no needs no seal.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Ask, type Confirmed } from './tool.ts';

/** What is asked about: whatever of this changes, it is another question. */
export interface About {
  /** The token's. */
  readonly hash: string;
  readonly tool: string;
  readonly input: unknown;
}

interface Asked {
  readonly of: string;
  readonly nonce: string;
}

/** The name of the one thing that is asked for. */
const CONFIRM = 'confirm';
const GOOD_FOR_SECONDS = 600;
const KEY_BYTES = 32;

export class Confirmations {
  readonly #codec = createRequestStateCodec<Asked>({
    key: randomBytes(KEY_BYTES),
    ttlSeconds: GOOD_FOR_SECONDS,
  });
  /** Yeses that were used, and when each would have run out; the oldest first. */
  readonly #spent = new Map<string, number>();

  readonly verify = (state: string, ctx: ServerContext): Promise<unknown> =>
    this.#codec.verify(state, ctx);

  /** The answer that this round brings; throws an Ask where it brings none. */
  answer({ mcpReq }: ServerContext, about: About, question: string): Exclude<Confirmed, 'cannot'> {
    const said = inputResponse(mcpReq.inputResponses, CONFIRM);
    if (said.kind !== 'elicit') throw new Ask(question);
    const accepted = said.action === 'accept' && said.content?.send === true;
    if (!accepted) return 'no';
    const asked = mcpReq.requestState<Asked>();
    if (asked?.of !== digestOf(about, question) || !this.#spend(asked.nonce)) {
      throw new Ask(question);
    }
    return 'yes';
  }

  async ask(about: About, message: string): Promise<InputRequiredResult> {
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

const digestOf = ({ hash, tool, input }: About, question: string): string =>
  createHash('sha256')
    .update(JSON.stringify([hash, tool, input ?? {}, question]))
    .digest('hex');

// One message on its way: handed to Baileys under its own id, then followed until the server answers.
// Invariant: `not_sent` is said only when no byte of it can have left.
import { type OutgoingMessage, SendFault } from '@relay/core/ports/transport';
import type { WASocket } from '@whiskeysockets/baileys';
import { isGroupJid, userOf } from '../addresses.ts';
import type { Ack, AckWaiters } from './acks.ts';
import { contentOf } from './content.ts';
import { type Attempt, attempting, newAttempt } from './encrypting.ts';

const CONNECTION_CLOSED = 428;

export interface SendDeps {
  readonly socket: WASocket;
  readonly acks: AckWaiters;
  readonly ended: Promise<unknown>;
  /** The users that are the account itself: its number and its LID. */
  readonly own: readonly string[];
  /** How long the server may take once it was handed over, and Baileys before that. */
  readonly ackMs: number;
  readonly relayMs: number;
}

/** Baileys' "Connection Closed": it looked at the socket before it wrote and found it closed. */
const foundClosed = (error: unknown): boolean =>
  (error as { output?: { statusCode?: number } } | null)?.output?.statusCode === CONNECTION_CLOSED;

const nothingLeft = (error: unknown, attempt: Attempt): boolean =>
  !attempt.encrypted || foundClosed(error) || error instanceof NobodyReached;

/**
 * When the server does not say which devices somebody has, Baileys sends a message that is encrypted
 * for nobody but ourselves, and the server takes it: the recipient would never see it.
 */
function reached(chat: string, { recipients }: Attempt, own: readonly string[]): boolean {
  if (isGroupJid(chat) || own.includes(userOf(chat))) return recipients.size > 0;
  return [...recipients].some((user) => !own.includes(user));
}

class NobodyReached extends Error {}

async function relay(message: OutgoingMessage, { own, socket }: SendDeps, attempt: Attempt) {
  const content = await contentOf(message, socket.waUploadToServer);
  await socket.relayMessage(message.chat, content, { messageId: message.id });
  if (!reached(message.chat, attempt, own)) {
    throw new NobodyReached('No device of the recipient is known.');
  }
}

export async function sendMessage(message: OutgoingMessage, deps: SendDeps): Promise<void> {
  const attempt = newAttempt();
  const { ack, stop } = deps.acks.expect(message.id);
  const clock = new Clock(deps.relayMs, 'stuck');
  const relayed = attempting(attempt, () => relay(message, deps, attempt));
  const failure = relayed.then(
    () => {
      clock.restart(deps.ackMs, 'late');
      return new Promise<never>(() => undefined);
    },
    (error: unknown) => ({ error }),
  );
  const ended = deps.ended.then(() => 'ended' as const);
  try {
    const outcome = await Promise.race([ack, failure, clock.rings, ended]);
    if (typeof outcome === 'string') throw unanswered(outcome, attempt);
    if ('id' in outcome) return accept(outcome);
    throw failed(outcome.error, attempt);
  } finally {
    clock.stop();
    stop();
  }
}

function accept({ error }: Ack): void {
  if (error !== null) throw new SendFault('refused', `WhatsApp refused it: ${error}.`, error);
}

/** Of a stuck one nothing is certain even before it is encrypted: it may still go on. */
function unanswered(why: 'ended' | 'late' | 'stuck', attempt: Attempt): SendFault {
  if (why === 'ended' && !attempt.encrypted) {
    return new SendFault('not_sent', 'The line broke before anything was encrypted.');
  }
  return new SendFault('uncertain', `No word from WhatsApp: ${why}.`);
}

function failed(error: unknown, attempt: Attempt): SendFault {
  const text = error instanceof Error ? error.message : String(error);
  return new SendFault(nothingLeft(error, attempt) ? 'not_sent' : 'uncertain', text);
}

type Alarm = 'late' | 'stuck';

/** Rings once, unless it is stopped or set anew. */
class Clock {
  readonly rings: Promise<Alarm>;
  readonly #ring: (alarm: Alarm) => void;
  #timer: NodeJS.Timeout;
  #stopped = false;

  constructor(ms: number, alarm: Alarm) {
    const { promise, resolve } = Promise.withResolvers<Alarm>();
    this.rings = promise;
    this.#ring = resolve;
    this.#timer = setTimeout(resolve, ms, alarm);
  }

  restart(ms: number, alarm: Alarm): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#ring, ms, alarm);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}

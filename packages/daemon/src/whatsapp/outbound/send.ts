// One message on its way: handed to Baileys under its own id, then followed until the server answers.
// Invariant: `not_sent` is said only when no byte of it can have left.
import { type OutgoingMessage, SendFault } from '@relay/core/ports/transport';
import type { WASocket } from '@whiskeysockets/baileys';
import { isGroupJid, userOf } from '../addresses.ts';
import type { AckWaiters } from './acks.ts';
import { contentOf } from './content.ts';
import { type Attempt, attempting, newAttempt } from './encrypting.ts';

const CONNECTION_CLOSED = 428;

export interface SendDeps {
  readonly socket: WASocket;
  readonly acks: AckWaiters;
  readonly ended: Promise<unknown>;
  /** The users that are the account itself: its number and its LID. */
  readonly own: readonly string[];
  readonly ackMs: number;
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
  const relayed = attempting(attempt, () => relay(message, deps, attempt));
  const failure = relayed.then(
    () => new Promise<never>(() => undefined),
    (error: unknown) => ({ error }),
  );
  const late = timer(deps.ackMs, relayed);
  try {
    const outcome = await Promise.race([ack, failure, late.passed, deps.ended.then(() => 'ended')]);
    if (typeof outcome === 'string') throw gone(attempt, outcome);
    if (outcome !== null && 'id' in outcome) {
      if (outcome.error === null) return;
      throw new SendFault('refused', `The server refused it: ${outcome.error}.`, outcome.error);
    }
    throw failed(outcome.error, attempt);
  } finally {
    late.stop();
    stop();
  }
}

const gone = (attempt: Attempt, why: string): SendFault =>
  attempt.encrypted
    ? new SendFault('uncertain', why === 'ended' ? 'The line broke off.' : 'No ack came in time.')
    : new SendFault('not_sent', 'The connection closed before anything was encrypted.');

function failed(error: unknown, attempt: Attempt): SendFault {
  const text = error instanceof Error ? error.message : String(error);
  return new SendFault(nothingLeft(error, attempt) ? 'not_sent' : 'uncertain', text);
}

/** The server's time runs from the moment the message was handed to the socket. */
function timer(ms: number, started: Promise<unknown>) {
  const { promise, resolve } = Promise.withResolvers<string>();
  let timeout: NodeJS.Timeout | undefined;
  let stopped = false;
  started.then(
    () => {
      if (!stopped) timeout = setTimeout(() => resolve('late'), ms);
    },
    () => undefined,
  );
  const stop = () => {
    stopped = true;
    clearTimeout(timeout);
  };
  return { passed: promise, stop };
}

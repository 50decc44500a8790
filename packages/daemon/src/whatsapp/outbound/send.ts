// Sends one message: passes it to Baileys under its own id and waits until the server answers.
// Invariant: `not_sent` is reported only if no byte of it can have been sent.

import { AsyncLocalStorage } from 'node:async_hooks';
import { type OutgoingMessage, SendFault } from '@relay/core/ports/transport';
import type { BinaryNode, UserFacingSocketConfig, WASocket } from '@whiskeysockets/baileys';
import { isGroupJid, userOfJid } from '../addresses.ts';
import { relayOptionsFor, sentContent } from './content.ts';

const CONNECTION_CLOSED = 428;

interface SendDeps {
  readonly socket: WASocket;
  readonly acks: AckWaiters;
  readonly ended: Promise<unknown>;
  /** The users that are the account itself: its number and its LID. */
  readonly own: readonly string[];
  /** Time limits for the server's answer after the message was handed over, and for Baileys before that. */
  readonly ackMs: number;
  readonly relayMs: number;
}

/** Baileys' "Connection Closed": it checked the socket before writing and found it closed. */
const foundClosed = (error: unknown): boolean =>
  (error as { output?: { statusCode?: number } } | null)?.output?.statusCode === CONNECTION_CLOSED;

const nothingLeft = (error: unknown, attempt: EncryptionAttempt): boolean =>
  !attempt.encrypted || foundClosed(error) || error instanceof NobodyReached;

/**
 * When the server does not say which devices somebody has, Baileys sends a message that is encrypted only for
 * ourselves, and the server accepts it: the recipient would never see it.
 */
function reached(chat: string, { recipients }: EncryptionAttempt, own: readonly string[]): boolean {
  if (isGroupJid(chat) || own.includes(userOfJid(chat))) return recipients.size > 0;
  return [...recipients].some((user) => !own.includes(user));
}

class NobodyReached extends Error {}

async function relay(
  message: OutgoingMessage,
  { own, socket }: SendDeps,
  attempt: EncryptionAttempt,
) {
  const content = sentContent(message, socket.user?.id ?? '');
  await socket.relayMessage(message.chat, content, {
    messageId: message.id,
    ...relayOptionsFor(content),
  });
  if (!reached(message.chat, attempt, own)) {
    throw new NobodyReached('No device of the recipient is known.');
  }
}

export async function sendOverSocket(message: OutgoingMessage, deps: SendDeps): Promise<void> {
  const attempt = newEncryptionAttempt();
  const { ack, stop } = deps.acks.expect(message.id);
  const clock = new Clock(deps.relayMs, 'stuck');
  const relayed = trackEncryption(attempt, () => relay(message, deps, attempt));
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

/** A stuck send is uncertain even before it is encrypted: it may still go on. */
function unanswered(why: 'ended' | 'late' | 'stuck', attempt: EncryptionAttempt): SendFault {
  if (why === 'ended' && !attempt.encrypted) {
    return new SendFault('not_sent', 'The connection was lost before anything was encrypted.');
  }
  return new SendFault('uncertain', `No acknowledgement from WhatsApp: ${why}.`);
}

function failed(error: unknown, attempt: EncryptionAttempt): SendFault {
  const text = error instanceof Error ? error.message : String(error);
  return new SendFault(nothingLeft(error, attempt) ? 'not_sent' : 'uncertain', text);
}

type Alarm = 'late' | 'stuck';

/** A timer that fires once, unless it is stopped or restarted. */
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

// Reads the server's answer to each of our messages: accepted, or refused with a code. Baileys reports only refusals,
// so the stanzas themselves are read.
// Invariant: nobody waits for longer than their socket lives.

interface Ack {
  readonly id: string;
  readonly chat: string;
  /** Null if the server accepted the message. */
  readonly error: number | null;
  readonly at: Date;
}

export function readAck({ attrs }: BinaryNode, now: Date): Ack | null {
  if (attrs.id === undefined || attrs.from === undefined) return null;
  const seconds = Number(attrs.t);
  return {
    id: attrs.id,
    chat: attrs.from,
    error: attrs.error === undefined ? null : Number(attrs.error) || 0,
    at: Number.isSafeInteger(seconds) && seconds > 0 ? new Date(seconds * 1_000) : now,
  };
}

export class AckWaiters {
  readonly #waiting = new Map<string, (ack: Ack) => void>();

  /** Waits for the ack of this id; call `stop` when it is no longer wanted. */
  expect(id: string): { readonly ack: Promise<Ack>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<Ack>();
    this.#waiting.set(id, resolve);
    const stop = () => {
      if (this.#waiting.get(id) === resolve) this.#waiting.delete(id);
    };
    return { ack: promise, stop };
  }

  /** False if nobody waits for it: an earlier attempt gave up, or a device asked for the message again. */
  settle(ack: Ack): boolean {
    const resolve = this.#waiting.get(ack.id);
    this.#waiting.delete(ack.id);
    resolve?.(ack);
    return resolve !== undefined;
  }
}

// Tracks how far a send got: whether anything was encrypted, and for somebody other than ourselves. Before the first
// ciphertext nothing can have been sent, however the connection ended.

type MakeRepository = NonNullable<UserFacingSocketConfig['makeSignalRepository']>;

interface EncryptionAttempt {
  encrypted: boolean;
  /** The people (or the group) that it was encrypted for. */
  readonly recipients: Set<string>;
}

const attempts = new AsyncLocalStorage<EncryptionAttempt>();

const newEncryptionAttempt = (): EncryptionAttempt => ({ encrypted: false, recipients: new Set() });

const trackEncryption = <T>(attempt: EncryptionAttempt, send: () => Promise<T>): Promise<T> =>
  attempts.run(attempt, send);

function markEncrypted(jid: string): void {
  const attempt = attempts.getStore();
  if (!attempt) return;
  attempt.encrypted = true;
  attempt.recipients.add(userOfJid(jid));
}

export const watchEncryption =
  (make: MakeRepository): MakeRepository =>
  (...args) => {
    const repository = make(...args);
    const encrypt = repository.encryptMessage.bind(repository);
    const encryptForGroup = repository.encryptGroupMessage.bind(repository);
    repository.encryptMessage = (options) => {
      markEncrypted(options.jid);
      return encrypt(options);
    };
    repository.encryptGroupMessage = (options) => {
      markEncrypted(options.group);
      return encryptForGroup(options);
    };
    return repository;
  };

// One message on its way: handed to Baileys under its own id, then followed until the server answers.
// Invariant: `not_sent` is said only when no byte of it can have left.

import { AsyncLocalStorage } from 'node:async_hooks';
import { type OutgoingMedia, type OutgoingMessage, SendFault } from '@relay/core/ports/transport';
import {
  type AnyMediaMessageContent,
  type BinaryNode,
  type MessageContentGenerationOptions,
  prepareWAMessageMedia,
  type proto,
  type UserFacingSocketConfig,
  type WASocket,
} from '@whiskeysockets/baileys';
import { isGroupJid, userOfJid } from '../addresses.ts';

const CONNECTION_CLOSED = 428;

interface SendDeps {
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

const nothingLeft = (error: unknown, attempt: EncryptionAttempt): boolean =>
  !attempt.encrypted || foundClosed(error) || error instanceof NobodyReached;

/**
 * When the server does not say which devices somebody has, Baileys sends a message that is encrypted
 * for nobody but ourselves, and the server takes it: the recipient would never see it.
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
  const content = await buildContent(message, socket.waUploadToServer);
  await socket.relayMessage(message.chat, content, { messageId: message.id });
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

/** Of a stuck one nothing is certain even before it is encrypted: it may still go on. */
function unanswered(why: 'ended' | 'late' | 'stuck', attempt: EncryptionAttempt): SendFault {
  if (why === 'ended' && !attempt.encrypted) {
    return new SendFault('not_sent', 'The line broke before anything was encrypted.');
  }
  return new SendFault('uncertain', `No word from WhatsApp: ${why}.`);
}

function failed(error: unknown, attempt: EncryptionAttempt): SendFault {
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

// The server's word on each message of ours: taken, or refused with a code. Baileys tells only of
// refusals, so the stanzas themselves are read. Invariant: nobody waits for longer than their socket lives.

interface Ack {
  readonly id: string;
  readonly chat: string;
  /** Null when the server took the message. */
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

  /** The ack for this id; `stop` when it is no longer wanted. */
  expect(id: string): { readonly ack: Promise<Ack>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<Ack>();
    this.#waiting.set(id, resolve);
    const stop = () => {
      if (this.#waiting.get(id) === resolve) this.#waiting.delete(id);
    };
    return { ack: promise, stop };
  }

  /** False when nobody waits for it: an earlier attempt gave up, or a device asked to have it again. */
  settle(ack: Ack): boolean {
    const resolve = this.#waiting.get(ack.id);
    this.#waiting.delete(ack.id);
    resolve?.(ack);
    return resolve !== undefined;
  }
}

// What is put into a message of ours. Built here and not by Baileys, so that nothing is fetched for a
// link preview and the same text gives the same message at every attempt.

const LINK = /https?:\/\//i;

/** With a link the longer form is used, because it can say that there is no preview. */
export const textContent = (text: string): proto.IMessage =>
  LINK.test(text) ? { extendedTextMessage: { text, previewType: 0 } } : { conversation: text };

function mediaOptions(media: OutgoingMedia, caption: string): AnyMediaMessageContent {
  const file = Buffer.from(media.bytes);
  const { mimeType: mimetype, fileName } = media;
  const words = caption === '' ? {} : { caption };
  switch (media.kind) {
    case 'image':
      return { image: file, mimetype, ...words };
    case 'video':
      return { video: file, mimetype, ...words };
    case 'audio':
      return { audio: file, mimetype };
    case 'document':
      return { document: file, mimetype, fileName: fileName ?? 'file', ...words };
  }
}

async function buildContent(
  message: OutgoingMessage,
  upload: MessageContentGenerationOptions['upload'],
): Promise<proto.IMessage> {
  if (message.media === undefined) return textContent(message.text);
  return prepareWAMessageMedia(mediaOptions(message.media, message.text), { upload });
}

// Tells how far a send got: whether anything was encrypted, and for somebody other than ourselves.
// Before its first ciphertext nothing of a message can have left, however the connection ended.

type MakeRepository = NonNullable<UserFacingSocketConfig['makeSignalRepository']>;

interface EncryptionAttempt {
  encrypted: boolean;
  /** The people (or the group) it was encrypted for. */
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

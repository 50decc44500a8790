// A transport in memory that does what the test says: accepts a message, refuses it, breaks before or after sending, or
// never answers. It records every sent stanza and what each recipient shows, once for each id.
import { createHash } from 'node:crypto';
import type { AccountId, MediaId, MessageId } from '@relay/contract/ids';
import {
  ContentDiffers,
  type MessageToBuild,
  type OutgoingMessage,
  SendFault,
  type Transport,
  type TransportCapabilities,
  type TransportEvent,
  type WhatsAppLink,
} from '@relay/core/ports/transport';
import { createBuilder, type OutgoingBuilder } from '@relay/daemon/pipeline/outbox/build';
import { UNLINKED } from './link.ts';
import { testSealer } from './sealer.ts';
import { sleep } from './store.ts';

export type ScriptedAnswer =
  | 'ack'
  /** Broke before it was sent. */
  | 'cut'
  /** Sent, and broke before the answer. */
  | 'left and cut'
  /** Broke at an unknown point; it was not sent. */
  | 'lost and cut'
  /** Sent, and no answer ever comes. */
  | 'left and silent'
  /** Not sent, and no answer ever comes: as if killed before the send. */
  | 'silent'
  | { readonly refuse: number }
  | { readonly ackAfter: number };

export class ScriptedTransport implements Transport {
  /** Every stanza that was sent, in order. */
  readonly wire: OutgoingMessage[] = [];
  /** Every requested send, in order. */
  readonly asked: MessageId[] = [];
  readonly typing: string[] = [];
  /** Every number that was looked up, in order. */
  readonly lookedUp: string[] = [];
  /** Every message that was built, with the bytes of its file. */
  readonly built: BuiltMessage[] = [];
  /** Fails a build, or holds it up. */
  beforeBuild: (message: MessageToBuild) => Promise<void> = async () => {};
  readonly capabilities: TransportCapabilities;
  answer: (message: OutgoingMessage, nth: number) => ScriptedAnswer = () => 'ack';
  /** Which numbers are registered; all by default. */
  registered: (address: string) => Promise<string | null> = async (address) => address;
  #link: WhatsAppLink = { ...CONNECTED };
  readonly #listeners = new Set<(event: TransportEvent) => void>();

  constructor(options: { readonly types?: boolean; readonly looksUp?: boolean } = {}) {
    const { types = false, looksUp = false } = options;
    this.capabilities = {
      build: (message) => this.#build(message),
      ...(types && { typing: async (chat, on) => void this.typing.push(`${chat} ${on}`) }),
      ...(looksUp && {
        findRegistered: (address) => {
          this.lookedUp.push(address);
          return this.registered(address);
        },
      }),
    };
  }

  get link(): WhatsAppLink {
    return this.#link;
  }

  /** What recipients see: a message once for each id. */
  get shown(): string[] {
    return [...new Map(this.wire.map(({ id, text }) => [id, text])).values()];
  }

  become(change: Partial<WhatsAppLink>): void {
    this.#link = { ...this.#link, ...change };
    this.emit({ type: 'link', link: this.#link });
  }

  emit(event: TransportEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  receipt(id: MessageId, status: 'sent' | 'delivered' | 'read'): void {
    const chat = this.wire.find((message) => message.id === id)?.chat ?? '';
    this.emit({ type: 'receipt', id, chat, status, at: new Date() });
  }

  subscribe(listener: (event: TransportEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #build(message: MessageToBuild): Promise<Uint8Array> {
    await this.beforeBuild(message);
    const { content } = message;
    const pieces: Uint8Array[] = [];
    if (content.kind === 'media') for await (const piece of content.open()) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    if (content.kind === 'media' && sha256(bytes) !== content.sha256) throw new ContentDiffers();
    const built = { text: message.text, content, bytes: bytes.toString('base64') };
    this.built.push(built);
    return Buffer.from(JSON.stringify(built));
  }

  /** The outbox's builder over this transport. */
  builder(
    account: AccountId,
    openFile: (media: MediaId) => AsyncIterable<Uint8Array> = () => {
      throw new Error('no file was expected');
    },
  ): OutgoingBuilder {
    return createBuilder({ account, sealer: testSealer, transport: this, openFile });
  }

  async send(message: OutgoingMessage): Promise<void> {
    this.asked.push(message.id);
    const answer = this.answer(message, this.asked.length);
    if (answer === 'cut') throw new SendFault('not_sent', 'cut');
    if (answer === 'lost and cut') throw new SendFault('uncertain', 'cut');
    if (answer === 'silent') return forever();
    if (typeof answer === 'object' && 'refuse' in answer) {
      throw new SendFault('refused', 'refused', answer.refuse);
    }
    this.wire.push(message);
    if (answer === 'left and cut') throw new SendFault('uncertain', 'cut');
    if (answer === 'left and silent') return forever();
    if (typeof answer === 'object') await sleep(answer.ackAfter);
  }

  connect(): void {}
  resume(): void {}
  answerPasskey(): void {}
  async disconnect(): Promise<void> {}
  async close(): Promise<void> {}
}

interface BuiltMessage {
  readonly text: string;
  readonly content: MessageToBuild['content'];
  /** Of the file, in base64. */
  readonly bytes: string;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const forever = () => new Promise<void>(() => {});

const CONNECTED: WhatsAppLink = { ...UNLINKED, state: 'connected', phone: '491510000000' };

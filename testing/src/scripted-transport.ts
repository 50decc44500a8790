// A transport in memory that does what the test says: accepts a message, refuses it, breaks before or after sending, or
// never answers. It records every sent stanza and what each recipient shows, once for each id.
import type { MessageId } from '@relay/contract/ids';
import {
  type OutgoingMessage,
  SendFault,
  type Transport,
  type TransportCapabilities,
  type TransportEvent,
  type WhatsAppLink,
} from '@relay/core/ports/transport';
import { UNLINKED } from './link.ts';
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
  readonly capabilities: TransportCapabilities;
  answer: (message: OutgoingMessage, nth: number) => ScriptedAnswer = () => 'ack';
  /** Which numbers are registered; all by default. */
  registered: (address: string) => Promise<string | null> = async (address) => address;
  #link: WhatsAppLink = { ...CONNECTED };
  readonly #listeners = new Set<(event: TransportEvent) => void>();

  constructor(options: { readonly types?: boolean; readonly looksUp?: boolean } = {}) {
    const { types = false, looksUp = false } = options;
    this.capabilities = {
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

const forever = () => new Promise<void>(() => {});

const CONNECTED: WhatsAppLink = { ...UNLINKED, state: 'connected', phone: '491510000000' };

// A simulated phone: device 0 of its account, with real Signal sessions of its own.
// Invariant: everything that touches the ratchets runs one after the other in `enqueue`.
import type { proto } from '@whiskeysockets/baileys';
import type { Events } from '../events.ts';
import type { Bundle } from '../signal/bundle.ts';
import { SignalEndpoint } from '../signal/endpoint.ts';
import { attr, child, randomHex } from '../wire/nodes.ts';
import type { Habits, HandsetState, Outgoing } from './handset-state.ts';
import type { Mailbox } from './mailbox.ts';
import {
  type Addressing,
  addressOf,
  type Chat,
  type Delivery,
  type Device,
  type Group,
  isGroup,
  namedBy,
  type Owner,
} from './model.ts';
import { deliverReceipt } from './receipts.ts';
import { receiveMessage, resend } from './receiving.ts';
import { type Transmission, transmit } from './sending.ts';

export interface SendOptions extends Pick<Transmission, 'corrupt'> {
  id?: string;
  at?: Date;
  addressing?: Addressing;
}

export class Handset implements Device, HandsetState {
  readonly owner: Owner;
  readonly id = 0;
  readonly keyIndex = 0;
  readonly signal = new SignalEndpoint();
  readonly mailbox: Mailbox;
  readonly habits: Habits;
  readonly events: Events;
  readonly sent = new Map<string, Outgoing>();
  readonly retries = new Map<string, number>();
  readonly senderKeyHolders = new Map<string, Set<Device>>();
  #tail: Promise<unknown> = Promise.resolve();
  /** What came while the phone was off; undefined while it is on. */
  #waiting: Delivery[] | undefined;

  constructor(owner: Owner, mailbox: Mailbox, habits: Habits, events: Events) {
    this.owner = owner;
    this.mailbox = mailbox;
    this.habits = habits;
    this.events = events;
  }

  get device(): Device {
    return this;
  }

  enqueue<T>(job: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(job);
    this.#tail = done.catch(() => undefined);
    return done;
  }

  bundle(): Bundle {
    return this.signal.bundle();
  }

  /** Resolves with the id once every device concerned has been handed its ciphertext. */
  async send(chat: Chat, content: proto.IMessage, options: SendOptions = {}): Promise<string> {
    const { at = new Date(), corrupt = false } = options;
    const addressing = options.addressing ?? namedBy(this.owner, 'lid');
    if (namedBy(this.owner, addressing) !== addressing) {
      throw new Error(`${this.owner.phone} is known by another name only`);
    }
    const id = options.id ?? `3A${randomHex(9)}`;
    await this.enqueue(async () => {
      this.mailbox.add({ id, chat, author: this.owner, at, addressing, content });
      await transmit(this, { id, chat, content, at, addressing, peer: false }, { corrupt });
    });
    return id;
  }

  /** Keys and history for one of the account's own companions. */
  async sendToCompanion(only: Device, content: proto.IMessage): Promise<void> {
    const id = `3A${randomHex(9)}`;
    const outgoing: Outgoing = {
      id,
      chat: this.owner,
      content,
      at: new Date(),
      addressing: 'pn',
      peer: true,
    };
    await this.enqueue(() => transmit(this, outgoing, { only }));
  }

  switchOff(): void {
    this.#waiting ??= [];
  }

  /** Everything that waited arrives now, in its order. */
  switchOn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const delivery of waiting) this.deliver(delivery);
  }

  deliver(delivery: Delivery): void {
    if (this.#waiting) {
      this.#waiting.push(delivery);
      return;
    }
    const { chat, sender, stanza } = delivery;
    if (stanza.tag === 'message') {
      this.#inBackground(() => receiveMessage(this, delivery));
      return;
    }
    if (stanza.tag === 'notification' && isGroup(chat) && child(stanza, 'remove')) {
      this.#renewSenderKey(chat);
    }
    if (stanza.tag !== 'receipt') return;
    const type = stanza.attrs.type ?? 'delivery';
    const id = attr(stanza, 'id');
    this.events.emit('receipt', {
      account: this.owner,
      id,
      from: sender.owner,
      device: sender.id,
      type,
    });
    if (type === 'retry') this.#inBackground(() => resend(this, stanza, sender));
  }

  /** Opens a chat: everything in it is read, and the authors are told. */
  read(chat: Chat, find: (phone: string) => Owner | undefined): void {
    for (const { addressing, from, id } of this.mailbox.markRead(chat)) {
      const place = isGroup(chat) ? chat : this.owner;
      for (const to of find(from)?.devices() ?? []) {
        deliverReceipt({ id, type: 'read', from: this, to, chat: place, addressing });
      }
    }
  }

  /** Somebody left: the next message to the group begins with a new sender key. */
  #renewSenderKey(group: Group): void {
    this.#inBackground(async () => {
      this.signal.forgetSenderKey(group.jid, addressOf(this));
      this.senderKeyHolders.delete(group.jid);
    });
  }

  #inBackground(job: () => Promise<void>): void {
    this.enqueue(job).catch((error: unknown) => this.events.emit('failure', error));
  }
}

// What one person would see on the handset: messages, their ticks, and what went wrong with them.
// Invariant: an id is one message; a second delivery is counted as a duplicate, never shown twice.
import type { proto } from '@whiskeysockets/baileys';
import { type Chat, chatName, type Owner, type ReceiptKind } from './model.ts';

export type MessageStatus = 'undecryptable' | 'received' | 'sent' | 'delivered' | 'read';

export interface SeenMessage {
  id: string;
  /** The other person's phone number, or the group's JID. */
  chat: string;
  /** The author's phone number. */
  from: string;
  fromMe: boolean;
  at: Date;
  text: string | undefined;
  /** The decrypted protobuf; undefined while it cannot be decrypted. */
  content: proto.IMessage | undefined;
  status: MessageStatus;
  /** For messages of this person: how far they got with each recipient. */
  receipts: Record<string, ReceiptKind>;
}

export interface Counts {
  /** Messages of others that could be read, each id once. */
  distinct: number;
  /** Deliveries of an id that had been read before. */
  duplicates: number;
  /** Ids that never could be decrypted. */
  undecryptable: number;
}

interface Entry extends Omit<SeenMessage, 'status' | 'receipts' | 'text' | 'chat'> {
  chat: Chat;
  read: boolean;
}

export interface Arrival {
  id: string;
  chat: Chat;
  author: Owner;
  at: Date;
  content: proto.IMessage | undefined;
}

export class Mailbox {
  readonly #owner: Owner;
  readonly #entries = new Map<string, Entry>();
  readonly #receipts = new Map<string, Map<string, ReceiptKind>>();
  #duplicates = 0;

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  /** Returns whether this id was readable before. */
  add({ id, chat, author, at, content }: Arrival): { duplicate: boolean } {
    const key = `${author.phone}/${id}`;
    const known = this.#entries.get(key);
    if (known?.content) {
      if (author !== this.#owner) this.#duplicates += 1;
      return { duplicate: true };
    }
    const fromMe = author === this.#owner;
    this.#entries.set(key, { id, chat, from: author.phone, fromMe, at, content, read: false });
    return { duplicate: false };
  }

  noteReceipt(id: string, from: string, kind: ReceiptKind): void {
    const receipts = this.#receipts.get(id) ?? new Map<string, ReceiptKind>();
    this.#receipts.set(id, receipts);
    if (receipts.get(from) !== 'read') receipts.set(from, kind);
  }

  /** Marks what others wrote in a chat as read, and says which ids that were. */
  markRead(chat: Chat): Entry[] {
    const unread = [...this.#entries.values()].filter(
      (entry) => entry.chat === chat && !entry.fromMe && entry.content && !entry.read,
    );
    for (const entry of unread) entry.read = true;
    return unread;
  }

  find(id: string): SeenMessage | undefined {
    return this.all().find((message) => message.id === id);
  }

  all(): SeenMessage[] {
    return [...this.#entries.values()].map((entry) => this.#seen(entry));
  }

  counts(): Counts {
    const others = [...this.#entries.values()].filter((entry) => !entry.fromMe);
    const distinct = others.filter((entry) => entry.content).length;
    return { distinct, duplicates: this.#duplicates, undecryptable: others.length - distinct };
  }

  #seen({ read, chat, ...entry }: Entry): SeenMessage {
    const receipts = Object.fromEntries(this.#receipts.get(entry.id) ?? []);
    return {
      ...entry,
      chat: chatName(chat),
      text: entry.content ? textOf(entry.content) : undefined,
      status: statusOf(entry, read, Object.values(receipts)),
      receipts: entry.fromMe ? receipts : {},
    };
  }
}

function statusOf(
  entry: Pick<Entry, 'content' | 'fromMe'>,
  read: boolean,
  receipts: ReceiptKind[],
): MessageStatus {
  if (!entry.content) return 'undecryptable';
  if (!entry.fromMe) return read ? 'read' : 'received';
  if (receipts.includes('read')) return 'read';
  return receipts.length > 0 ? 'delivered' : 'sent';
}

function textOf(content: proto.IMessage): string | undefined {
  return (
    content.conversation ??
    content.extendedTextMessage?.text ??
    content.reactionMessage?.text ??
    content.imageMessage?.caption ??
    content.documentMessage?.caption ??
    content.protocolMessage?.editedMessage?.conversation ??
    content.protocolMessage?.editedMessage?.extendedTextMessage?.text ??
    undefined
  );
}

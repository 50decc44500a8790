// What one person sees on the handset: messages, their ticks and failures. Invariant: an id is one message; a second
// delivery is counted as a duplicate and never shown twice.
import { normalizeMessageContent, type proto } from '@whiskeysockets/baileys';
import {
  type Addressing,
  chatIdentifier,
  type DeviceOwner,
  type ReceiptKind,
  type SimulatedChat,
} from './model.ts';

type MessageStatus = 'undecryptable' | 'received' | 'sent' | 'delivered' | 'read';

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
  /** For this person's own messages: the delivery state for each recipient. */
  receipts: Record<string, ReceiptKind>;
}

export interface DeliveryCounts {
  /** Messages of others that could be decrypted, each id once. */
  distinct: number;
  /** Further deliveries of an id that was already decrypted. */
  duplicates: number;
  /** Ids that could never be decrypted. */
  undecryptable: number;
}

interface Entry extends Omit<SeenMessage, 'status' | 'receipts' | 'text' | 'chat'> {
  chat: SimulatedChat;
  addressing: Addressing;
  read: boolean;
}

export interface MailboxArrival {
  id: string;
  chat: SimulatedChat;
  author: DeviceOwner;
  at: Date;
  /** How the message named its author; receipts name people in the same way. */
  addressing: Addressing;
  content: proto.IMessage | undefined;
}

export class Mailbox {
  readonly #owner: DeviceOwner;
  readonly #entries = new Map<string, Entry>();
  readonly #receipts = new Map<string, Map<string, ReceiptKind>>();
  #duplicates = 0;

  constructor(owner: DeviceOwner) {
    this.#owner = owner;
  }

  /** The message under this id, and whether it was there before. */
  add({ author, ...arrival }: MailboxArrival): { message: SeenMessage; duplicate: boolean } {
    const key = `${author.phone}/${arrival.id}`;
    const known = this.#entries.get(key);
    const fromMe = author === this.#owner;
    if (known?.content) {
      if (!fromMe) this.#duplicates += 1;
      return { message: this.#seen(known), duplicate: true };
    }
    const entry = { ...arrival, from: author.phone, fromMe, read: false };
    this.#entries.set(key, entry);
    return { message: this.#seen(entry), duplicate: false };
  }

  noteReceipt(id: string, from: string, kind: ReceiptKind): void {
    const receipts = this.#receipts.get(id) ?? new Map<string, ReceiptKind>();
    this.#receipts.set(id, receipts);
    if (receipts.get(from) !== 'read') receipts.set(from, kind);
  }

  /** Marks others' messages in a chat as read, and returns them. */
  markRead(chat: SimulatedChat): Entry[] {
    const unread = [...this.#entries.values()].filter(
      (entry) => entry.chat === chat && !entry.fromMe && entry.content && !entry.read,
    );
    for (const entry of unread) entry.read = true;
    return unread;
  }

  find(id: string): SeenMessage | undefined {
    const entry = [...this.#entries.values()].find((one) => one.id === id);
    return entry && this.#seen(entry);
  }

  all(): SeenMessage[] {
    return [...this.#entries.values()].map((entry) => this.#seen(entry));
  }

  counts(): DeliveryCounts {
    const others = [...this.#entries.values()].filter((entry) => !entry.fromMe);
    const distinct = others.filter((entry) => entry.content).length;
    return { distinct, duplicates: this.#duplicates, undecryptable: others.length - distinct };
  }

  #seen({ at, chat, content, from, fromMe, id, read }: Entry): SeenMessage {
    const receipts = fromMe ? Object.fromEntries(this.#receipts.get(id) ?? []) : {};
    return {
      id,
      chat: chatIdentifier(chat),
      from,
      fromMe,
      at,
      text: content ? textOf(content) : undefined,
      content,
      status: statusOf({ content, fromMe, read }, Object.values(receipts)),
      receipts,
    };
  }
}

function statusOf(
  { content, fromMe, read }: Pick<Entry, 'content' | 'fromMe' | 'read'>,
  receipts: ReceiptKind[],
): MessageStatus {
  if (!content) return 'undecryptable';
  if (!fromMe) return read ? 'read' : 'received';
  if (receipts.includes('read')) return 'read';
  return receipts.length > 0 ? 'delivered' : 'sent';
}

/** The text or the caption; an edit has its new text. */
export function textOf(message: proto.IMessage): string | undefined {
  const content = normalizeMessageContent(message) ?? {};
  const edited = content.protocolMessage?.editedMessage;
  return (
    content.conversation ??
    content.extendedTextMessage?.text ??
    content.reactionMessage?.text ??
    content.imageMessage?.caption ??
    content.videoMessage?.caption ??
    content.documentMessage?.caption ??
    (edited ? textOf(edited) : undefined)
  );
}

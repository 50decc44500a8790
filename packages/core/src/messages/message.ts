// A message as it reached the account, in no transport's words. Made by the transport's reader from an
// inbox row, stored by `inbox`. Addresses are JIDs: the one form that names people and groups alike.
import type { MessageId } from '../ids.ts';

export interface IncomingMessage {
  readonly id: MessageId;
  /** The group, or the person at the other end. */
  readonly chat: string;
  readonly isGroup: boolean;
  /** Who wrote it; the account itself when `fromMe`. */
  readonly sender: string;
  readonly fromMe: boolean;
  /** Every address the stanza gives for the person at the other end, or for the sender in a group. */
  readonly alsoKnownAs: readonly string[];
  /** The name the sender gave themselves. */
  readonly pushName: string | null;
  readonly sentAt: Date;
  /** WhatsApp's own word for the content, such as `imageMessage`. */
  readonly kind: string;
  /** The text, or the placeholder seed 000's table gives for what is not text. */
  readonly body: string;
  readonly quotedId: string | null;
  readonly media: IncomingMedia | null;
  /** What else it carries, for those who read more than the table's words; null when it is nothing. */
  readonly details: MessageDetails | null;
  /** It waited at the server while this account was away. */
  readonly late: boolean;
  /** Seconds after which the sender wants it gone; null when it stays. */
  readonly expiresAfterS: number | null;
}

/** Stored beside a message, each only where there is something to say. */
export interface MessageDetails {
  readonly forwarded?: true;
  /** `quotedId` is the message that this one takes the place of. */
  readonly edits?: true;
  /** JIDs of those it names. */
  readonly mentions?: readonly string[];
  /**
   * What the sender said where the table has only a placeholder: the emoji of a reaction (empty: taken
   * back), the question and options of a poll, a name on a contact or a place, the caption of a document.
   */
  readonly words?: string;
}

export interface IncomingMedia {
  readonly mimeType: string | null;
  readonly fileName: string | null;
  readonly size: number | null;
  readonly seconds: number | null;
}

/** Null for what is no message to anybody: keys being handed out, receipts in disguise. Throws for garbage. */
export type InboxReader = (stanza: Uint8Array, content: Uint8Array) => IncomingMessage | null;

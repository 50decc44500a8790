// A row of the inbox becomes a message that can be stored: opened, read by the transport's reader, and its
// text made fit for the database. What cannot be read is a reason, never an exception.

import type { ChatId, ContactId } from '@relay/contract/ids';
import type { InboxReader, IncomingMessage } from '@relay/core/messages/message';
import { toStorableText } from '@relay/core/messages/text';
import { aliasesOfAddresses, type Sighting } from '../../platform/db/contacts.ts';

/** As it lies there; `content` is sealed. */
export interface InboxRow {
  readonly seq: number;
  readonly chat: string;
  readonly sender: string;
  readonly message_id: string;
  readonly stanza: Buffer;
  readonly content: Buffer;
  /** Of its entry in the journal of what was decrypted. */
  readonly digest: Buffer | null;
  readonly received_at: Date;
}

/** Opens the content of a row. Throws when it was altered or sealed by another home. */
export type UnsealRow = (row: InboxRow) => Uint8Array;

export interface ReadableRow {
  readonly row: InboxRow;
  readonly message: IncomingMessage;
  /** Who is at the other end, or who wrote in the group; empty for the account's own words in a group. */
  readonly person: Sighting;
}

export interface UnreadableRow {
  readonly row: InboxRow;
  /** Why it was set aside; null for what is no message to anybody. */
  readonly failure: 'sealed' | 'garbage' | 'nobody' | null;
}

export function parseInboxRow(
  row: InboxRow,
  open: UnsealRow,
  read: InboxReader,
): ReadableRow | UnreadableRow {
  let content: Uint8Array;
  try {
    content = open(row);
  } catch {
    return { row, failure: 'sealed' };
  }
  let message: IncomingMessage | null;
  try {
    message = read(row.stanza, content);
  } catch {
    return { row, failure: 'garbage' };
  }
  if (message === null) return { row, failure: null };
  const person = personIn(message);
  // In a direct chat somebody must be at the other end, in a group somebody must have written.
  if (person.length === 0 && !(message.isGroup && message.fromMe))
    return { row, failure: 'nobody' };
  return { row, message: fitForStorage(message, row.received_at), person };
}

function personIn({ isGroup, fromMe, chat, sender, alsoKnownAs }: IncomingMessage): Sighting {
  if (isGroup) return fromMe ? [] : aliasesOfAddresses([sender, ...alsoKnownAs]);
  return aliasesOfAddresses(fromMe ? [chat, ...alsoKnownAs] : [chat, sender, ...alsoKnownAs]);
}

/** WhatsApp did not exist before, and a message from the future is one with a wrong clock. */
const EARLIEST = Date.UTC(2009, 0);
const AHEAD_MS = 86_400_000;
/** What a column of seconds can hold. WhatsApp's own timers end at 90 days; a sender may write anything. */
const LONGEST_TIMER_S = 2 ** 31 - 1;

function fitForStorage(message: IncomingMessage, receivedAt: Date): IncomingMessage {
  const { media, sentAt, expiresAfterS } = message;
  const plausible =
    sentAt.getTime() >= EARLIEST && sentAt.getTime() <= receivedAt.getTime() + AHEAD_MS;
  return {
    ...message,
    id: toStorableText(message.id) as IncomingMessage['id'],
    chat: toStorableText(message.chat),
    pushName: message.pushName === null ? null : toStorableText(message.pushName),
    sentAt: plausible ? sentAt : receivedAt,
    expiresAfterS: expiresAfterS && Math.min(expiresAfterS, LONGEST_TIMER_S),
    kind: toStorableText(message.kind),
    body: toStorableText(message.body),
    quotedId: message.quotedId === null ? null : toStorableText(message.quotedId),
    media: media && {
      ...media,
      mimeType: media.mimeType && toStorableText(media.mimeType),
      fileName: media.fileName && toStorableText(media.fileName),
    },
    details: message.details && {
      ...message.details,
      ...(message.details.mentions && { mentions: message.details.mentions.map(toStorableText) }),
      ...(message.details.words !== undefined && { words: toStorableText(message.details.words) }),
    },
  };
}

// A message that was read, with the rows it belongs to.

export interface PlacedMessage extends ReadableRow {
  readonly chat: ChatId;
  /** Null when the account itself wrote it. */
  readonly sender: ContactId | null;
}

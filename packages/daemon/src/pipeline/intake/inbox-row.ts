// Turns an inbox row into a message that can be stored: unseals it, parses it with the transport's reader, and makes
// its text storable. A row that cannot be read gives a reason, never an exception.

import type { ChatId, ContactId } from '@relay/contract/ids';
import type { InboxReader, IncomingMessage } from '@relay/core/messages/message';
import { toStorableText } from '@relay/core/messages/text';
import { aliasesOfAddresses, type Sighting } from '../../platform/db/contacts.ts';

/** A row as stored; `content` is encrypted. */
export interface InboxRow {
  readonly seq: number;
  readonly chat: string;
  readonly sender: string;
  readonly message_id: string;
  readonly stanza: Buffer;
  readonly content: Buffer;
  readonly received_at: Date;
}

/** Decrypts the content of a row. Throws if it was altered or sealed by another home. */
export type UnsealRow = (row: InboxRow) => Uint8Array;

export interface ReadableRow {
  readonly row: InboxRow;
  readonly message: IncomingMessage;
  /** The other side of a direct chat, or the sender in a group; empty for the account's own message in a group. */
  readonly person: Sighting;
}

export interface UnreadableRow {
  readonly row: InboxRow;
  /** Why it was set aside; null for anything that is not a message, such as a status update. */
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
  // A direct chat needs a contact, and a group message needs a sender.
  if (person.length === 0 && !(message.isGroup && message.fromMe))
    return { row, failure: 'nobody' };
  return { row, message: fitForStorage(message, row.received_at), person };
}

function personIn({ isGroup, fromMe, chat, sender, alsoKnownAs }: IncomingMessage): Sighting {
  if (isGroup) return fromMe ? [] : aliasesOfAddresses([sender, ...alsoKnownAs]);
  return aliasesOfAddresses(fromMe ? [chat, ...alsoKnownAs] : [chat, sender, ...alsoKnownAs]);
}

/** WhatsApp did not exist earlier, and a message from the future has a wrong clock. */
const EARLIEST = Date.UTC(2009, 0);
const AHEAD_MS = 86_400_000;
/**
 * The largest number of seconds that the column can hold. WhatsApp's own timers end at 90 days, but a sender can write
 * anything.
 */
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

// A readable message with its chat and sender.

export interface PlacedMessage extends ReadableRow {
  readonly chat: ChatId;
  /** Null if the account itself wrote it. */
  readonly sender: ContactId | null;
}

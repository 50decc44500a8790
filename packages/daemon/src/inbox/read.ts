// A row of the inbox becomes a message that can be stored: opened, read by the transport's reader, and its
// text made fit for the database. What cannot be read is a reason, never an exception.
import type { InboxReader, IncomingMessage } from '@relay/core/messages/message';
import { storable } from '@relay/core/messages/text';
import type { Sighting } from '../store/contacts.ts';
import { aliasesOf } from '../store/contacts.ts';

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
export type OpenRow = (row: InboxRow) => Uint8Array;

export interface Taken {
  readonly row: InboxRow;
  readonly message: IncomingMessage;
  /** Who is at the other end, or who wrote in the group; empty for the account's own words in a group. */
  readonly person: Sighting;
}

export interface Refused {
  readonly row: InboxRow;
  /** Why it was set aside; null for what is no message to anybody. */
  readonly failure: 'sealed' | 'garbage' | 'nobody' | null;
}

export function readRow(row: InboxRow, open: OpenRow, read: InboxReader): Taken | Refused {
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
  if (isGroup) return fromMe ? [] : aliasesOf([sender, ...alsoKnownAs]);
  return aliasesOf(fromMe ? [chat, ...alsoKnownAs] : [chat, sender, ...alsoKnownAs]);
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
    id: storable(message.id) as IncomingMessage['id'],
    chat: storable(message.chat),
    pushName: message.pushName === null ? null : storable(message.pushName),
    sentAt: plausible ? sentAt : receivedAt,
    expiresAfterS: expiresAfterS && Math.min(expiresAfterS, LONGEST_TIMER_S),
    kind: storable(message.kind),
    body: storable(message.body),
    quotedId: message.quotedId === null ? null : storable(message.quotedId),
    media: media && {
      ...media,
      mimeType: media.mimeType && storable(media.mimeType),
      fileName: media.fileName && storable(media.fileName),
    },
    details: message.details && {
      ...message.details,
      ...(message.details.mentions && { mentions: message.details.mentions.map(storable) }),
      ...(message.details.words !== undefined && { words: storable(message.details.words) }),
    },
  };
}

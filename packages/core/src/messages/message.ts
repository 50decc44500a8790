// A message as it reached the account, in no transport's words. Made by the transport's reader from an
// inbox row, stored by `inbox`. Addresses are JIDs: the one form that names people and groups alike.
import type { MessageId } from '@relay/contract/ids';

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

// Kinds of messages that only mark another one: a reaction, a vote, a pin. They say nothing themselves.

export const MARK_KINDS: ReadonlySet<string> = new Set([
  'reactionMessage',
  'encReactionMessage',
  'protocolMessage',
  'pollUpdateMessage',
  'pinInChatMessage',
  'keepInChatMessage',
  'unknown',
]);

/** `kind` is WhatsApp's own word for the content. */
export const isMark = (kind: string): boolean => MARK_KINDS.has(kind);

// What a message is, for whoever reads the chat: a photo is called one, what somebody typed stands as they typed it.
// Pure. Invariant: none of WhatsApp's own words and no braces reach a person.

export interface StoredMessageContent {
  /** WhatsApp's own word for the content. */
  readonly kind: string;
  /** The text, or the placeholder of the table of contents. */
  readonly body: string;
  readonly media: IncomingMedia | null;
  readonly details: MessageDetails | null;
}

interface ReadableMessage {
  /** What it is where it is more than text: `Photo`, `Voice message, 0:12`. */
  readonly label: string | null;
  /** What was typed; empty where nothing was. */
  readonly text: string;
}

const LABELS: Readonly<Record<string, string>> = {
  imageMessage: 'Photo',
  videoMessage: 'Video',
  ptvMessage: 'Video note',
  stickerMessage: 'Sticker',
  lottieStickerMessage: 'Sticker',
  contactMessage: 'Contact',
  contactsArrayMessage: 'Contacts',
  locationMessage: 'Location',
  liveLocationMessage: 'Live location',
  pollCreationMessage: 'Poll',
  pollCreationMessageV2: 'Poll',
  pollCreationMessageV3: 'Poll',
  pollUpdateMessage: 'Vote in a poll',
  eventMessage: 'Event',
  groupInviteMessage: 'Invitation to a group',
  callLogMesssage: 'Call',
  orderMessage: 'Order',
  productMessage: 'Product',
  protocolMessage: 'Deleted a message',
};

/** What stands before a caption in the table of contents. */
const PLACEHOLDER = /^\[(?:Image|Video|Document|Audio message|Sticker|\w+)\] ?/;
const TEXT = new Set(['conversation', 'extendedTextMessage']);

/** Kinds whose words the sender typed: text and captions. In every other kind they are a name that somebody chose. */
const TYPED = new Set([...TEXT, 'imageMessage', 'videoMessage', 'audioMessage']);

/** Whether the sender passes on what somebody else wrote: a forwarded message, a file's name, a contact card. */
export const isOthersText = ({
  kind,
  details,
}: Pick<StoredMessageContent, 'kind' | 'details'>): boolean =>
  details?.forwarded === true || !TYPED.has(kind);

export function toReadableMessage({
  kind,
  body,
  media,
  details,
}: StoredMessageContent): ReadableMessage {
  if (TEXT.has(kind)) return { label: null, text: body };
  if (kind === 'reactionMessage') return reaction(details?.words ?? '');
  const typed = details?.words ?? body.replace(PLACEHOLDER, '');
  if (kind === 'documentMessage') {
    const name = media?.fileName ?? body.replace(PLACEHOLDER, '');
    return { label: labelled('Document', name), text: details?.words ?? '' };
  }
  if (kind === 'audioMessage') {
    return { label: labelled(audioWord(media), lengthOf(media)), text: '' };
  }
  const label = LABELS[kind];
  // A kind that nobody knows has only its placeholder to show; what is no placeholder was typed.
  if (label === undefined && !PLACEHOLDER.test(body)) return { label: null, text: body };
  return { label: labelled(label ?? 'A message Relay cannot show', lengthOf(media)), text: typed };
}

const reaction = (emoji: string): ReadableMessage =>
  emoji === ''
    ? { label: 'Took a reaction back', text: '' }
    : { label: `Reacted ${emoji}`, text: '' };

const labelled = (label: string, more: string | null): string =>
  more === null || more === '' ? label : `${label}, ${more}`;

/** Voice messages are recorded in one codec, which files hardly ever have. */
const audioWord = (media: IncomingMedia | null): string =>
  media?.mimeType?.includes('opus') ? 'Voice message' : 'Audio';

function lengthOf(media: IncomingMedia | null): string | null {
  const seconds = media?.seconds ?? null;
  if (seconds === null) return null;
  return `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, '0')}`;
}

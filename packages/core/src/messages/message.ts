// A received message, independent of the transport. The transport's reader makes it from an inbox row, and the intake
// stores it. Addresses are JIDs, the one form for people and groups.
import type { MediaKind } from '@relay/contract/api/media';
import type { ReceivedContent } from '@relay/contract/api/received';
import type { MessageId } from '@relay/contract/ids';

export interface IncomingMessage {
  readonly id: MessageId;
  /** The group, or the person at the other end. */
  readonly chat: string;
  readonly isGroup: boolean;
  /** Who wrote it; the account itself when `fromMe`. */
  readonly sender: string;
  readonly fromMe: boolean;
  /** All addresses in the stanza for the person at the other end, or for the sender in a group. */
  readonly alsoKnownAs: readonly string[];
  /** The sender's profile name. */
  readonly pushName: string | null;
  readonly sentAt: Date;
  /** WhatsApp's name of the content type, such as `imageMessage`. */
  readonly kind: string;
  /** The text, or seed 000's placeholder for other content. */
  readonly body: string;
  readonly quotedId: string | null;
  readonly media: IncomingMedia | null;
  /** Further content for readers who need more than the placeholder; null if there is none. */
  readonly details: MessageDetails | null;
  /** Whether it waited at the server while this account was offline. */
  readonly late: boolean;
  /** The sender's disappearing-message time in seconds; null if the message stays. */
  readonly expiresAfterS: number | null;
}

/** Stored with a message; each field only if it applies. */
export interface MessageDetails {
  readonly forwarded?: true;
  /** `quotedId` is the message that this one replaces. */
  readonly edits?: true;
  /** JIDs of the mentioned people. */
  readonly mentions?: readonly string[];
  /**
   * The sender's words where the body is only a placeholder: a reaction's emoji (empty: removed), a poll's question and
   * options, the name of a contact or place, a document's caption.
   */
  readonly words?: string;
  /** What it is besides text and a file. */
  readonly content?: ReceivedContent;
}

export interface IncomingMedia {
  readonly mimeType: string | null;
  readonly fileName: string | null;
  readonly size: number | null;
  readonly seconds: number | null;
  /** Missing if it is not a file that can be downloaded. */
  readonly kind?: MediaKind;
  /** The sender wants it to disappear once it was opened. */
  readonly viewOnce?: true;
}

/**
 * Null for stanzas that are not messages to anybody, such as key distribution or receipts. Throws for malformed input.
 */
export type InboxReader = (stanza: Uint8Array, content: Uint8Array) => IncomingMessage | null;

// Kinds of messages that only mark another one: a reaction, a vote, a pin. They have no text of their own.

export const MARK_KINDS: ReadonlySet<string> = new Set([
  'reactionMessage',
  'encReactionMessage',
  'protocolMessage',
  'pollUpdateMessage',
  'pinInChatMessage',
  'keepInChatMessage',
  'unknown',
]);

/** `kind` is WhatsApp's name of the content type. */
export const isMark = (kind: string): boolean => MARK_KINDS.has(kind);

// Describes a message for the reader of a chat: a label such as `Photo`, and the typed text verbatim. WhatsApp's
// internal names and braces never reach a person.

export interface StoredMessageContent {
  /** WhatsApp's name of the content type. */
  readonly kind: string;
  /** The text, or the placeholder. */
  readonly body: string;
  readonly media: IncomingMedia | null;
  readonly details: MessageDetails | null;
}

interface ReadableMessage {
  /** What it is if it is more than text: `Photo`, `Voice message, 0:12`. */
  readonly label: string | null;
  /** The typed text; empty if there is none. */
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

/** The placeholder before a caption. */
const PLACEHOLDER = /^\[(?:Image|Video|Document|Audio message|Sticker|\w+)\] ?/;
/** Kinds whose body is all that their sender wrote. */
export const TEXT_KINDS: ReadonlySet<string> = new Set(['conversation', 'extendedTextMessage']);

/** Kinds whose text the sender typed: text and captions. In every other kind it is a name that somebody chose. */
const TYPED = new Set([...TEXT_KINDS, 'imageMessage', 'videoMessage', 'audioMessage']);

/** Whether the sender passes on another's text: a forwarded message, a file's name, a contact card. */
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
  if (TEXT_KINDS.has(kind)) return { label: null, text: body };
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
  // An unknown kind has only its placeholder to show; anything else was typed.
  if (label === undefined && !PLACEHOLDER.test(body)) return { label: null, text: body };
  return { label: labelled(label ?? 'Unsupported message', lengthOf(media)), text: typed };
}

const reaction = (emoji: string): ReadableMessage =>
  emoji === ''
    ? { label: 'Removed a reaction', text: '' }
    : { label: `Reacted ${emoji}`, text: '' };

const labelled = (label: string, more: string | null): string =>
  more === null || more === '' ? label : `${label}, ${more}`;

/** Voice messages use one codec, which audio files hardly ever have. */
const audioWord = (media: IncomingMedia | null): string =>
  media?.mimeType?.includes('opus') ? 'Voice message' : 'Audio';

function lengthOf(media: IncomingMedia | null): string | null {
  const seconds = media?.seconds ?? null;
  if (seconds === null) return null;
  return `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, '0')}`;
}

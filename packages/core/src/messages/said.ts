// What a message is, for whoever reads the chat: a photo is called one, what somebody typed stands as they typed it.
// Pure. Invariant: none of WhatsApp's own words and no braces reach a person.
import type { IncomingMedia, MessageDetails } from './message.ts';

export interface StoredWords {
  /** WhatsApp's own word for the content. */
  readonly kind: string;
  /** The text, or the placeholder of the table of contents. */
  readonly body: string;
  readonly media: IncomingMedia | null;
  readonly details: MessageDetails | null;
}

export interface Said {
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
export const isByOthers = ({ kind, details }: Pick<StoredWords, 'kind' | 'details'>): boolean =>
  details?.forwarded === true || !TYPED.has(kind);

export function saidIn({ kind, body, media, details }: StoredWords): Said {
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

const reaction = (emoji: string): Said =>
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

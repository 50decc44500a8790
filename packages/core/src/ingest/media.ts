// What was sent beside words, of a message that did not come over the wire: told by a notification or read
// out of an exported chat. Stored in the very words that a message from the wire has, so that all read alike.
import type { IncomingMedia, MessageDetails } from '../messages/message.ts';

export const MEDIA = [
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
  'poll',
] as const;
export type Media = (typeof MEDIA)[number];

export interface Content {
  /** WhatsApp's own word for it. */
  readonly kind: string;
  readonly body: string;
  readonly media: IncomingMedia | null;
  readonly details: MessageDetails | null;
}

/** Seed 000's words for each kind; those without a label are named by their kind, and say more in details. */
const STORED: Readonly<Record<Media, { readonly kind: string; readonly label?: string }>> = {
  image: { kind: 'imageMessage', label: '[Image]' },
  video: { kind: 'videoMessage', label: '[Video]' },
  audio: { kind: 'audioMessage', label: '[Audio message]' },
  document: { kind: 'documentMessage', label: '[Document]' },
  sticker: { kind: 'stickerMessage', label: '[Sticker]' },
  location: { kind: 'locationMessage' },
  contact: { kind: 'contactMessage' },
  poll: { kind: 'pollCreationMessage' },
};

/** `words`: a caption, the name of a file, a place or a person, or the question of a poll. */
export function contentOf(media: Media | null, words: string, seconds: number | null): Content {
  if (media === null) return { kind: 'conversation', body: words, media: null, details: null };
  const { kind, label } = STORED[media];
  if (label === undefined) {
    return { kind, body: `[${kind}]`, media: null, details: words === '' ? null : { words } };
  }
  const named = media === 'document' && words !== '';
  return {
    kind,
    body: words === '' || media === 'audio' || media === 'sticker' ? label : `${label} ${words}`,
    media: { mimeType: null, fileName: named ? words : null, size: null, seconds },
    details: null,
  };
}

const LABELS: ReadonlyMap<string, string> = new Map(
  Object.values(STORED).flatMap(({ kind, label }) => (label === undefined ? [] : [[kind, label]])),
);

/** What somebody said with a stored message: without the label, with the details; empty for bare media. */
export function saidIn({
  kind,
  body,
  details,
}: Pick<Content, 'kind' | 'body' | 'details'>): string {
  const label = LABELS.get(kind);
  if (label !== undefined && body.startsWith(label)) return body.slice(label.length).trim();
  if (body === `[${kind}]`) return details?.words?.split('\n', 1)[0] ?? '';
  return body;
}

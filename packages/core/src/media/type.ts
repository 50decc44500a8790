// What a file is: its type as detected from its bytes, and how it may be shown. What its sender declared is used only
// where nothing can be detected and nothing depends on it.
import type { MediaKind } from '@relay/contract/api/media';

export interface SettledType {
  /** A file whose bytes do not fit its declared kind is treated as a document. */
  readonly kind: MediaKind;
  readonly mimeType: string;
  /** Whether its bytes do not fit the declared kind. */
  readonly isMismatch: boolean;
}

interface TypeFacts {
  readonly kind: MediaKind;
  /** What the sender or the client wrote; null if nothing. */
  readonly declared: string | null;
  /** From the first bytes; null if they are of no known format. */
  readonly detected: string | null;
  /** Whether the first bytes are text. */
  readonly isText: boolean;
}

const UNKNOWN = 'application/octet-stream';
const PLAIN = 'text/plain';

/** Text has no signature. These types are shown as text or not at all, so believing them costs nothing. */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  PLAIN,
  'text/csv',
  'text/markdown',
  'text/calendar',
  'text/vcard',
]);

/** Containers that audio recorders use and that are detected as video. */
const AUDIO_OF: Readonly<Record<string, string>> = {
  'video/mp4': 'audio/mp4',
  'video/3gpp': 'audio/3gpp',
  'video/webm': 'audio/webm',
  'video/ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'audio/x-m4a': 'audio/mp4',
  'video/quicktime': 'audio/mp4',
};

/** The type without its parameters. */
export const bareType = (type: string): string => type.split(';', 1)[0]?.trim().toLowerCase() ?? '';

export function settleType({ kind, declared, detected, isText }: TypeFacts): SettledType {
  const found = detected === null ? null : bareType(detected);
  const as = (mimeType: string): SettledType => ({ kind, mimeType, isMismatch: false });
  if (kind === 'document') {
    if (found !== null) return as(found);
    const said = declared === null ? '' : bareType(declared);
    return as(isText ? (TEXT_TYPES.has(said) ? said : PLAIN) : UNKNOWN);
  }
  const fits = found === null ? null : typeFor(kind, found);
  if (fits !== null) return as(fits);
  const mimeType = found ?? (isText ? PLAIN : UNKNOWN);
  return { kind: 'document', mimeType, isMismatch: true };
}

/** The type to serve it as; null if it is not of this kind. */
function typeFor(kind: Exclude<MediaKind, 'document'>, found: string): string | null {
  switch (kind) {
    case 'image':
    case 'sticker':
      return found.startsWith('image/') && !found.includes('svg') ? found : null;
    case 'video':
      return found.startsWith('video/') ? found : null;
    case 'voice':
    case 'audio':
      return AUDIO_OF[found] ?? (found.startsWith('audio/') ? found : null);
  }
}

/** Browsers show these without running anything in them. */
const INLINE: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/avif',
  'audio/ogg',
  'audio/mpeg',
  'audio/mp4',
  'audio/aac',
  'audio/wav',
  'audio/webm',
  'audio/3gpp',
  'audio/amr',
  'video/mp4',
  'video/webm',
  'video/3gpp',
  'video/quicktime',
]);

/** Whether a browser may show it in a page; anything else is only for download. */
export const isShownInline = (mimeType: string): boolean => INLINE.has(bareType(mimeType));

/** Whether the bytes could be text: UTF-8 without control characters. The last character may be cut off. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (bytes.length === 0) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what text does not have
  const CONTROL = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true });
  return !CONTROL.test(text) && !text.includes('\u{fffd}');
}

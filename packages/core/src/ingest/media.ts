// Media in messages that were not received by the transport, but read from a notification or an exported chat. Stored
// with the same labels as received ones, so that all read alike.
import type { PlaceholderKind } from '@relay/contract/api/ingest';
import type { IncomingMedia, MessageDetails } from '../messages/message.ts';

export interface StoredContent {
  /** WhatsApp's name of the kind. */
  readonly kind: string;
  readonly body: string;
  readonly media: IncomingMedia | null;
  readonly details: MessageDetails | null;
}

/** Seed 000's label of each kind; kinds without one are named by the kind, with more in the details. */
const STORED: Readonly<
  Record<PlaceholderKind, { readonly kind: string; readonly label?: string }>
> = {
  image: { kind: 'imageMessage', label: '[Image]' },
  video: { kind: 'videoMessage', label: '[Video]' },
  audio: { kind: 'audioMessage', label: '[Audio message]' },
  document: { kind: 'documentMessage', label: '[Document]' },
  sticker: { kind: 'stickerMessage', label: '[Sticker]' },
  location: { kind: 'locationMessage' },
  contact: { kind: 'contactMessage' },
  poll: { kind: 'pollCreationMessage' },
};

/** `words`: a caption, the name of a file, place or person, or the question of a poll. */
export function toStoredContent(
  media: PlaceholderKind | null,
  words: string,
  seconds: number | null,
): StoredContent {
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

/** The text of a stored message: without the label, with the details; empty for media without text. */
export function textInStoredContent({
  kind,
  body,
  details,
}: Pick<StoredContent, 'kind' | 'body' | 'details'>): string {
  const label = LABELS.get(kind);
  if (label !== undefined && body.startsWith(label)) return body.slice(label.length).trim();
  if (body === `[${kind}]`) return details?.words?.split('\n', 1)[0] ?? '';
  return body;
}

// Reads the placeholder for media in a notification: "📷 Photo", "🎤 Voice message (0:27)". The emoji identifies the kind
// in every language; a word that only names the kind is not a caption.

interface PlaceholderReading {
  readonly media: PlaceholderKind | null;
  /** The text without the placeholder. */
  readonly words: string;
  readonly seconds: number | null;
}

/** `alone`: people begin sentences with it, so it counts only before a word for the kind. */
const SIGNS: Readonly<Record<string, { readonly media: PlaceholderKind; readonly alone?: true }>> =
  {
    '📷': { media: 'image' },
    '🎥': { media: 'video' },
    '📹': { media: 'video' },
    '👾': { media: 'video', alone: true },
    '🎤': { media: 'audio' },
    '🎙': { media: 'audio' },
    '🎵': { media: 'audio', alone: true },
    '📄': { media: 'document' },
    '💟': { media: 'sticker', alone: true },
    '📍': { media: 'location', alone: true },
    '👤': { media: 'contact', alone: true },
    '📊': { media: 'poll', alone: true },
  };

/** Names of the kinds in the most common phone languages, in lower case. */
const NAMES: ReadonlySet<string> = new Set(
  [
    'photo foto fotografía fotografia imagen imagem image bild immagine фото 写真 照片 圖片 图片 사진 صورة फ़ोटो फोटो fotoğraf',
    'video vídeo vidéo видео ビデオ 视频 影片 동영상 فيديو वीडियो gif',
    'audio áudio аудио オーディオ 音频 語音 오디오 صوت ऑडियो ses',
    'document documento dokument документ ドキュメント 文档 文件 문서 مستند दस्तावेज़ belge',
    'sticker pegatina figurinha adesivo autocollant стикер スタンプ 贴图 貼圖 스티커 ملصق स्टिकर çıkartma',
    'location ubicación localização standort posizione localisation местоположение 位置情報 位置 위치 موقع konum',
    'contact contacto contato kontakt contatto контакт 連絡先 联系人 연락처 kişi',
    'poll encuesta enquete umfrage sondaggio sondage опрос 投票 투표 anket',
  ].flatMap((line) => line.split(' ')),
);

const PHRASES: ReadonlySet<string> = new Set([
  'voice message',
  'voice note',
  'mensaje de voz',
  'nota de voz',
  'mensagem de voz',
  'sprachnachricht',
  'message vocal',
  'messaggio vocale',
  'голосовое сообщение',
  'ボイスメッセージ',
  '语音消息',
  '語音訊息',
  '음성 메시지',
  'رسالة صوتية',
  'वॉइस मैसेज',
  'sesli mesaj',
  'live location',
  'ubicación en tiempo real',
  'live-standort',
]);

const DURATION = /(?<!\s)\s*\((?:(\d{1,2}):)?(\d{1,2}):(\d{2})\)$/;
const LEADING = /^(\p{Extended_Pictographic})\ufe0f?\s*/u;
/** Somebody deleted a message; a notification does not say which one. */
const DELETED = /^\u{1f6ab}\s*\S/u;

export const isDeletionNotice = (text: string): boolean => DELETED.test(text.trim());

/** `media` is the kind from the forwarder, if given; then the text is its caption unless it only names the kind. */
export function readPlaceholder(text: string, media: PlaceholderKind | null): PlaceholderReading {
  const trimmed = text.trim();
  const [lead = '', sign = ''] = LEADING.exec(trimmed) ?? [];
  const known = SIGNS[sign];
  const told = media ?? known?.media ?? null;
  if (told === null) return { media: null, words: trimmed, seconds: null };
  const rest = known?.media === told ? trimmed.slice(lead.length) : trimmed;
  const duration = DURATION.exec(rest);
  const words = duration === null ? rest : rest.slice(0, duration.index).trim();
  const bare = words === '' || isName(words);
  if (media === null && known?.alone === true && !bare) {
    return { media: null, words: trimmed, seconds: null };
  }
  return { media: told, words: bare ? '' : words, seconds: secondsIn(duration) };
}

function isName(words: string): boolean {
  const lower = words.toLowerCase();
  return NAMES.has(lower) || PHRASES.has(lower);
}

function secondsIn(duration: RegExpExecArray | null): number | null {
  if (duration === null) return null;
  const [, hours = '0', minutes = '0', seconds = '0'] = duration;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

// Converts message content to the protobuf that is sent, and opens received media. Invariant: media is encrypted before
// the media hosts see it, and every hash, the MAC and the length are checked before it counts as opened.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type AnyMessageContent,
  aesDecryptWithIV,
  generateWAMessageContent,
  getMediaKeys,
  hmacSign,
  type MediaType,
  normalizeMessageContent,
  type proto,
} from '@whiskeysockets/baileys';
import type { MediaHosts } from './media-hosts.ts';

/** Plain text, anything Baileys can compose, or the protobuf itself. */
export type SendableContent = string | AnyMessageContent | { raw: proto.IMessage };

const MAC_LENGTH = 10;

export async function composeContent(
  content: SendableContent,
  store: MediaHosts,
): Promise<proto.IMessage> {
  if (typeof content === 'string') return { conversation: content };
  if ('raw' in content) return content.raw;
  return generateWAMessageContent(content, {
    upload: async (path) => {
      const { directPath, url } = await store.add(createReadStream(path));
      return { mediaUrl: url, directPath };
    },
  });
}

/** The part of a message that describes a file; stickers and the like share its fields. */
interface MediaPart {
  kind: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  /** Names the keys that are derived from the media key. */
  type: MediaType;
  viewOnce: boolean;
  fields: proto.Message.IDocumentMessage & { ptt?: boolean | null; seconds?: number | null };
}

const PARTS: readonly [keyof proto.IMessage, MediaPart['kind'], MediaType][] = [
  ['imageMessage', 'image', 'image'],
  ['videoMessage', 'video', 'video'],
  ['ptvMessage', 'video', 'video'],
  ['audioMessage', 'audio', 'audio'],
  ['documentMessage', 'document', 'document'],
  ['stickerMessage', 'sticker', 'sticker'],
];

/** The file in a message, also inside view-once and captioned documents; undefined if it has none. */
export function mediaPartOf(content: proto.IMessage): MediaPart | undefined {
  const inner = normalizeMessageContent(content);
  for (const [field, kind, type] of PARTS) {
    const fields = inner?.[field] as MediaPart['fields'] | null | undefined;
    if (!fields) continue;
    const wrapped = content.viewOnceMessage ?? content.viewOnceMessageV2;
    const extension = content.viewOnceMessageV2Extension;
    return { kind, type, viewOnce: Boolean(wrapped ?? extension), fields };
  }
  return undefined;
}

export async function decryptMedia(content: proto.IMessage, store: MediaHosts): Promise<Buffer> {
  const part = mediaPartOf(content);
  const { directPath, fileEncSha256, fileLength, fileSha256, mediaKey } = part?.fields ?? {};
  if (!part || !mediaKey || !directPath) throw new Error('this message holds no media');
  const blob = await store.read(directPath);
  if (!blob) throw new Error(`the store has no ${directPath}`);
  if (!fileEncSha256 || !sha256(blob).equals(fileEncSha256)) {
    throw new Error('the encrypted file has another hash');
  }
  const { cipherKey, iv, macKey } = await getMediaKeys(mediaKey, part.type);
  const sealed = blob.subarray(0, -MAC_LENGTH);
  if (!macKey) throw new Error('the media key has no MAC key');
  const mac = hmacSign(Buffer.concat([iv, sealed]), macKey).subarray(0, MAC_LENGTH);
  if (!mac.equals(blob.subarray(-MAC_LENGTH))) throw new Error('the media was altered');
  const file = aesDecryptWithIV(sealed, Buffer.from(cipherKey), Buffer.from(iv));
  if (!fileSha256 || !sha256(file).equals(fileSha256)) throw new Error('the file has another hash');
  if (Number(fileLength) !== file.length) throw new Error('the file has another length');
  return file;
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

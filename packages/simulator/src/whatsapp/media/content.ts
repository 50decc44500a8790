// What a person puts into a message, made into the protobuf that travels; and media made readable again.
// Invariant: media is encrypted before the store sees it, and its MAC is checked before it is decrypted.
import { readFile } from 'node:fs/promises';
import {
  type AnyMessageContent,
  aesDecryptWithIV,
  generateWAMessageContent,
  getMediaKeys,
  hmacSign,
  type MediaType,
  type proto,
} from '@whiskeysockets/baileys';
import type { MediaStore } from './store.ts';

/** Plain text, anything Baileys can compose, or the protobuf itself. */
export type Content = string | AnyMessageContent | { raw: proto.IMessage };

const MAC_LENGTH = 10;

export async function compose(content: Content, store: MediaStore): Promise<proto.IMessage> {
  if (typeof content === 'string') return { conversation: content };
  if ('raw' in content) return content.raw;
  return generateWAMessageContent(content, {
    upload: async (path, { fileEncSha256B64 }) => {
      const { directPath, url } = store.put(fileEncSha256B64, await readFile(path));
      return { mediaUrl: url, directPath };
    },
  });
}

function mediaOf(content: proto.IMessage) {
  const kinds: Partial<Record<MediaType, keyof proto.IMessage>> = {
    image: 'imageMessage',
    video: 'videoMessage',
    audio: 'audioMessage',
    document: 'documentMessage',
  };
  for (const [type, key] of Object.entries(kinds)) {
    const media = content[key] as proto.Message.IDocumentMessage | null | undefined;
    if (media?.mediaKey && media.directPath) {
      return { type: type as MediaType, mediaKey: media.mediaKey, directPath: media.directPath };
    }
  }
  throw new Error('this message holds no media');
}

export async function openMedia(content: proto.IMessage, store: MediaStore): Promise<Buffer> {
  const { directPath, mediaKey, type } = mediaOf(content);
  const blob = store.get(directPath);
  if (!blob) throw new Error(`the store has no ${directPath}`);
  const { cipherKey, iv, macKey } = await getMediaKeys(mediaKey, type);
  const sealed = blob.subarray(0, -MAC_LENGTH);
  if (!macKey) throw new Error('the media key has no MAC key');
  const mac = hmacSign(Buffer.concat([iv, sealed]), macKey).subarray(0, MAC_LENGTH);
  if (!mac.equals(blob.subarray(-MAC_LENGTH))) throw new Error('the media was altered');
  return aesDecryptWithIV(sealed, Buffer.from(cipherKey), Buffer.from(iv));
}

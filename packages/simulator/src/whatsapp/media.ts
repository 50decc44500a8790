// Converts message content to the protobuf that is sent, and stores and decrypts media. Invariant: media is encrypted
// before the store sees it, and its MAC is checked before it is decrypted.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  type AnyMessageContent,
  aesDecryptWithIV,
  generateWAMessageContent,
  getMediaKeys,
  hmacSign,
  type MediaType,
  type proto,
} from '@whiskeysockets/baileys';
import { mediaCertificate } from './wire/trust.ts';

/** Plain text, anything Baileys can compose, or the protobuf itself. */
export type SendableContent = string | AnyMessageContent | { raw: proto.IMessage };

const MAC_LENGTH = 10;

export async function composeContent(
  content: SendableContent,
  store: MediaStore,
): Promise<proto.IMessage> {
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

// The media store: encrypted blobs over https, POST to store and GET to fetch, like the service's media hosts.
// Invariant: it never sees a key, only what the sender encrypted.

const HOST = '127.0.0.1';

interface StoredMedia {
  url: string;
  directPath: string;
}

export class MediaStore {
  readonly #blobs = new Map<string, Buffer>();
  readonly #server: Server;
  #host = HOST;

  constructor() {
    this.#server = createServer(mediaCertificate(), (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  get host(): string {
    return this.#host;
  }

  async listen(): Promise<void> {
    const { promise, reject, resolve } = Promise.withResolvers<void>();
    this.#server.once('error', reject).listen(0, HOST, resolve);
    await promise;
    this.#host = `${HOST}:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  put(name: string, blob: Buffer): StoredMedia {
    const directPath = `/v/${encodeURIComponent(name)}.enc`;
    this.#blobs.set(directPath, blob);
    return { url: `https://${this.#host}${directPath}`, directPath };
  }

  get(directPath: string): Buffer | undefined {
    return this.#blobs.get(directPath);
  }

  get size(): number {
    return this.#blobs.size;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', `https://${this.#host}`);
    if (request.method === 'POST') {
      const name = decodeURIComponent(pathname.split('/').at(-1) ?? '');
      const { directPath, url } = this.put(name, await buffer(request));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ url, direct_path: directPath }));
      return;
    }
    const blob = this.#blobs.get(pathname);
    if (!blob) {
      response.writeHead(404).end();
      return;
    }
    const range = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '');
    if (!range) {
      response.end(blob);
      return;
    }
    const end = range[2] ? Number(range[2]) + 1 : undefined;
    response.writeHead(206).end(blob.subarray(Number(range[1]), end));
  }
}

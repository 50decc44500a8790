// Bare Baileys as its users run it, in a separate process: keys in memory, images sent from memory and downloaded into
// it.
import '@relay/simulator/whatsapp/trust-preload';
import { createHash, randomBytes } from 'node:crypto';
import { memoryAuth, SILENT } from '@relay/simulator/whatsapp/testing/client';
import {
  type BinaryNode,
  downloadMediaMessage,
  makeWASocket,
  type WASocket,
} from '@whiskeysockets/baileys';
import { serve } from '../worker.ts';

const auth = memoryAuth();
const acks = new Map<string, () => void>();
let socket: WASocket | undefined;
/** Hashes of the images that were downloaded. */
const downloaded = new Set<string>();
let begun = 0;
let sent = 0;

function connect(url: string, hopes: { onQr?: (qr: string) => void }): void {
  const made = makeWASocket({ waWebSocketUrl: url, logger: SILENT, auth, emitOwnEvents: false });
  socket = made;
  made.ev.on('creds.update', (update) => Object.assign(auth.creds, update));
  made.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => acks.get(attrs.id ?? '')?.());
  made.ev.on('messages.upsert', ({ messages }) => {
    for (const message of messages) {
      if (!message.message?.imageMessage) continue;
      begun += 1;
      downloadMediaMessage(message, 'buffer', {}).then((bytes) => {
        downloaded.add(createHash('sha256').update(bytes).digest('hex'));
      });
    }
  });
  made.ev.on('connection.update', ({ connection, qr }) => {
    if (qr) hopes.onQr?.(qr);
    if (connection === 'close') connect(url, {});
  });
}

const methods = {
  /** Resolves with the text of the QR code. */
  begin: ({ url }: { url: string }): Promise<string> =>
    new Promise((resolve) => connect(url, { onQr: resolve })),
  /** Milliseconds from the first upload until the server has accepted all of them. */
  send: async ({ chat, count, bytes, atOnce }: Sending): Promise<number> => {
    const images = Array.from({ length: count }, () => randomBytes(bytes));
    const start = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let index = next++; index < count; index = next++) {
          sent += 1;
          const messageId = `3EB0${sent.toString(16).padStart(18, '0').toUpperCase()}`;
          const taken = new Promise<void>((resolve) => acks.set(messageId, resolve));
          const image = images[index] ?? Buffer.alloc(0);
          await socket?.sendMessage(chat, { image, jpegThumbnail: '' }, { messageId });
          await taken;
        }
      }),
    );
    return performance.now() - start;
  },
  downloaded: () => ({ begun, done: downloaded.size }),
};

interface Sending {
  chat: string;
  count: number;
  bytes: number;
  atOnce: number;
}

export type BareArm = typeof methods;
serve(methods);

// Relay's transport alone, in a separate process, with its session in memory: images are read from sealed files, built
// and sent as the outbox does it, without gate, database and ledger.
import '@relay/simulator/whatsapp/trust-preload';
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountId, MessageId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import type { Transport } from '@relay/core/ports/transport';
import { MediaStore, type StoredObject } from '@relay/daemon/features/media/store';
import { aesSealer } from '@relay/daemon/platform/home/vault/sealer';
import { createBaileysTransport } from '@relay/daemon/whatsapp/transport';
import { MemoryWire } from '@relay/testing/memory-wire-store';
import { removeFolder } from '@relay/testing/remove-folder';
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import { serve } from '../worker.ts';

const wire = new MemoryWire();
const home = await mkdtemp(join(tmpdir(), 'relay-bench-'));
const sealer = aesSealer(createSecretKey(randomBytes(32)));
const store = new MediaStore({ home, account: 1 as AccountId, sealer });
let transport: Transport | undefined;
let sent = 0;

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

const methods = {
  /** Resolves with the text of the QR code. */
  begin: ({ url }: { url: string }): Promise<string> => {
    DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = url;
    const made = createBaileysTransport({
      openStore: () => wire.open(),
      findSent: async () => null,
      onReceived: () => {},
      log: silentLog,
    });
    transport = made;
    return new Promise((resolve) => {
      made.subscribe((event) => {
        if (event.type === 'link' && event.link.qr !== null) resolve(event.link.qr);
      });
      made.connect();
    });
  },
  isConnected: () => transport?.link.state === 'connected',
  /** Milliseconds from the first upload until the server has accepted all of them. */
  send: async ({ chat, count, bytes, atOnce }: Sending): Promise<number> => {
    const files: StoredObject[] = [];
    for (let index = 0; index < count; index++) {
      files.push(await store.put(once(randomBytes(bytes)), { limit: bytes }, async (one) => one));
    }
    const start = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let index = next++; index < count; index = next++) {
          const file = files[index];
          if (file !== undefined) await sendOne(chat, file);
        }
      }),
    );
    return performance.now() - start;
  },
  end: async () => {
    await transport?.close();
    await removeFolder(home);
  },
};

async function sendOne(chat: string, { object, sha256, bytes }: StoredObject): Promise<void> {
  const id = `3EB0${(++sent).toString(16).padStart(18, '0').toUpperCase()}` as MessageId;
  const open = async function* () {
    yield* (await store.open(object)).stream;
  };
  const content = {
    kind: 'media',
    as: 'image',
    sha256: sha256.toString('hex'),
    bytes,
    mimetype: 'image/jpeg',
    file_name: null,
    open,
  } as const;
  const built = await transport?.capabilities.build?.({ chat, text: '', content });
  if (built === undefined) throw new Error('this transport builds nothing');
  await transport?.send({ id, chat, text: '', built });
}

interface Sending {
  chat: string;
  count: number;
  bytes: number;
  atOnce: number;
}

export type TransportArm = typeof methods;
serve(methods);

// One side of the comparison in a separate process: `bare` is Baileys with its keys in memory, as its users run it;
// `relay` is Baileys over AccountKeys and the store in PostgreSQL.
import '@relay/simulator/whatsapp/trust-preload';
import { setImmediate as turn } from 'node:timers/promises';
import { SILENT } from '@relay/simulator/whatsapp/testing/client';
import { type BinaryNode, makeWASocket, type WASocket } from '@whiskeysockets/baileys';
import { serve } from '../worker.ts';
import { bareKeys } from './bare.ts';
import type { ArmKeys } from './keys.ts';
import { type RelayTarget, relayKeys } from './relay.ts';

const kind = process.argv[2];
const accounts: { socket: WASocket; keys: ArmKeys }[] = [];
const acks = new Map<string, () => void>();
let target: RelayTarget | undefined;
let sent = 0;

const methods = {
  use: (given: RelayTarget) => {
    target = given;
  },
  /** Resolves with the text of the QR code. */
  begin: async ({ url }: { url: string }): Promise<string> => {
    const keys = kind === 'bare' || !target ? bareKeys() : await relayKeys(target);
    const index = accounts.length;
    return new Promise((resolve) => connect(url, keys, index, { onQr: resolve }));
  },
  /** The numbers of the accounts that were linked here. */
  accounts: () => accounts.map(({ keys }) => keys.account),
  /** Logs in an account that another process has linked. */
  resume: async ({ url, account }: { url: string; account: number }): Promise<void> => {
    if (!target) throw new Error('only what is stored can be resumed');
    const keys = await relayKeys(target, account);
    const index = accounts.length;
    await new Promise<void>((resolve) => connect(url, keys, index, { onOpen: resolve }));
  },
  /** Milliseconds from handing over each message until the server accepted it, and for all of them. */
  send: async ({ chats, count, atOnce }: Sending) => {
    const { socket, keys } = last();
    const latencies: number[] = [];
    const start = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let index = next++; index < count; index = next++) {
          const id = `3EB0${(++sent).toString(16).padStart(18, '0').toUpperCase()}`;
          const taken = new Promise<void>((resolve) => acks.set(id, resolve));
          const begun = performance.now();
          await keys.send(socket, chats[index % chats.length] ?? '', `message ${index}`, id);
          await taken;
          latencies.push(performance.now() - begun);
        }
      }),
    );
    return { ms: performance.now() - start, latencies };
  },
  usage: () => {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000, commits: last().keys.commits() };
  },
  rss: async () => {
    for (let round = 0; round < 5; round++) {
      globalThis.gc?.();
      await turn();
    }
    return process.memoryUsage().rss;
  },
};

interface Sending {
  chats: string[];
  count: number;
  atOnce: number;
}

function last() {
  const account = accounts.at(-1);
  if (!account) throw new Error('no account yet');
  return account;
}

interface Hopes {
  readonly onQr?: (qr: string) => void;
  readonly onOpen?: () => void;
}

function connect(url: string, keys: ArmKeys, index: number, hopes: Hopes): void {
  const socket = makeWASocket({ waWebSocketUrl: url, logger: SILENT, ...keys.config(url) });
  accounts[index] = { socket, keys };
  keys.attach(socket);
  socket.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => {
    acks.get(attrs.id ?? '')?.();
    acks.delete(attrs.id ?? '');
  });
  socket.ev.on('connection.update', ({ connection, qr }) => {
    if (qr) hopes.onQr?.(qr);
    if (connection === 'open') hopes.onOpen?.();
    if (connection === 'close') connect(url, keys, index, hopes);
  });
}

export type ArmMethods = typeof methods;
serve(methods);

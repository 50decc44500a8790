// Bare Baileys with one socket for each account, as its users run several sessions in one process: its default
// configuration, keys in memory, a new socket after a close. It does nothing with the messages.
import '@relay/simulator/whatsapp/trust-preload';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SILENT } from '@relay/simulator/whatsapp/testing/client';
import { makeWASocket } from '@whiskeysockets/baileys';
import { type BareSession, openSession, type StoredSession } from './session.ts';

const APART_MS = 50;
const AGAIN_WITHIN_MS = 10_000;
const [url = '', file = ''] = process.argv.slice(2);

function connect(auth: BareSession): void {
  const socket = makeWASocket({ waWebSocketUrl: url, auth, logger: SILENT });
  socket.ev.on('creds.update', (update) => Object.assign(auth.creds, update));
  socket.ev.on('connection.update', ({ connection }) => {
    if (connection === 'close') setTimeout(() => connect(auth), Math.random() * AGAIN_WITHIN_MS);
  });
}

for (const session of JSON.parse(readFileSync(file, 'utf8')) as StoredSession[]) {
  connect(openSession(session));
  await sleep(APART_MS);
}

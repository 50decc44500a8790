// Links sessions of bare Baileys and returns what they stored.
import '@relay/simulator/whatsapp/trust-preload';
import { SILENT } from '@relay/simulator/whatsapp/testing/client';
import { makeWASocket } from '@whiskeysockets/baileys';
import { serve } from '../worker.ts';
import { type BareSession, openSession } from './session.ts';

const sessions: BareSession[] = [];

function connect(url: string, session: BareSession, onQr: (qr: string) => void): void {
  const socket = makeWASocket({ waWebSocketUrl: url, auth: session, logger: SILENT });
  socket.ev.on('creds.update', (update) => Object.assign(session.creds, update));
  socket.ev.on('connection.update', ({ connection, qr }) => {
    if (qr) onQr(qr);
    if (connection === 'close') connect(url, session, onQr);
  });
}

const methods = {
  /** Resolves with the text of the QR code. */
  begin: ({ url }: { url: string }): Promise<string> => {
    const session = openSession();
    sessions.push(session);
    return new Promise((resolve) => connect(url, session, resolve));
  },
  sessions: () => sessions.map((session) => session.store()),
};

export type LinkBareMethods = typeof methods;
serve(methods);

// Relay's transport on the simulated network, with its session in memory and short time limits.
// Invariant: only time limits differ; every decision is made as in production.
import '@relay/simulator/whatsapp/trust-preload';
import { type Log, silentLog } from '@relay/core/log';
import type { IncomingMessage } from '@relay/core/messages/message';
import type { SocketGate } from '@relay/core/ports/transport';
import { createNetwork } from '@relay/simulator/whatsapp/network';
import { MemoryWire } from '@relay/testing/memory-wire-store';
import type { TransportHarness } from '@relay/testing/transport/harness';
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import { readInboxRow } from '../inbound/read-message.ts';
import type { TransportTimings } from '../socket.ts';
import { createBaileysTransport } from '../transport.ts';

const SHORT: Partial<TransportTimings> = {
  ackMs: 500,
  flushMs: 20,
  qrMs: 10_000,
  steadyMs: 0,
  closeMs: 300,
  backOff: 0.01,
  mediaIdleMs: 1_000,
  mediaBytesPerS: 100_000,
  mediaAgainMs: 1_000,
};

export interface BaileysHarness extends TransportHarness {
  readonly wire: MemoryWire;
}

export async function baileysHarness(
  timings: Partial<TransportTimings> = {},
  log: Log = silentLog,
  gate?: SocketGate,
): Promise<BaileysHarness> {
  const network = await createNetwork();
  const wire = new MemoryWire();
  const sent = new Map<string, string | Uint8Array>();
  let hints = 0;
  DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = network.url;
  return {
    network,
    wire,
    sent,
    open: () =>
      createBaileysTransport({
        openStore: () => wire.open(),
        findSent: async (id) => {
          const known = sent.get(id);
          if (known === undefined) return null;
          return typeof known === 'string' ? { text: known } : { text: '', built: known };
        },
        onReceived: () => {
          hints += 1;
        },
        log,
        ...(gate === undefined ? {} : { gate }),
        timings: { ...SHORT, ...timings },
      }),
    hasSession: () => wire.credentials !== null || wire.keys.size > 0,
    received: () =>
      wire.inbox
        .map(({ content, stanza }) => readInboxRow(stanza, content))
        .filter((message): message is IncomingMessage => message !== null),
    content: (id) => {
      const entry = wire.inbox.find((one) => one.id === id);
      const message = entry && readInboxRow(entry.stanza, entry.content);
      if (!entry || !message) throw new Error(`no message ${id} was received`);
      const { chat, sender, content } = entry;
      return { id: message.id, chat, sender, fromMe: message.fromMe, content };
    },
    hints: () => hints,
    end: () => network.close(),
  };
}

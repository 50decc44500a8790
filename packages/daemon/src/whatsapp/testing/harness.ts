// Relay's transport on the simulated network, with its session in memory and short time limits.
// Invariant: only time limits differ; every decision is made as in production.
import '@relay/simulator/whatsapp/trust-preload';
import { type Log, silentLog } from '@relay/core/log';
import type { IncomingMessage } from '@relay/core/messages/message';
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
};

export interface BaileysHarness extends TransportHarness {
  readonly wire: MemoryWire;
}

export async function baileysHarness(
  timings: Partial<TransportTimings> = {},
  log: Log = silentLog,
): Promise<BaileysHarness> {
  const network = await createNetwork();
  const wire = new MemoryWire();
  const sent = new Map<string, string>();
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
          const text = sent.get(id);
          return text === undefined ? null : { text };
        },
        onReceived: () => {
          hints += 1;
        },
        log,
        timings: { ...SHORT, ...timings },
      }),
    hasSession: () => wire.credentials !== null || wire.keys.size > 0,
    received: () =>
      wire.inbox
        .map(({ content, stanza }) => readInboxRow(stanza, content))
        .filter((message): message is IncomingMessage => message !== null),
    hints: () => hints,
    end: () => network.close(),
  };
}

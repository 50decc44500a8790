// The message to oneself that proves the wire after linking: sent like any other, then asked after by its
// key, which never sends it twice.
import { randomUUID } from 'node:crypto';
import type { Probe } from '@relay/core/api/messages';
import { connectionSentence } from '@relay/core/connection/states';
import { RelayError } from '@relay/core/errors';
import { PROBE_TEXT } from '@relay/core/messages/probe';
import type { OutboxState } from '@relay/core/outbox/progress';
import type { OwnerSent, SendAsOwner } from '@relay/core/ports/owner-messages';
import type { Transport } from '@relay/core/ports/transport';
import { createBell } from './bell.ts';
import type { Limits } from './limits.ts';
import { isConnected } from './linking.ts';

const SENTENCES: Readonly<Record<OutboxState, string>> = {
  pending: 'The message to yourself has not left yet; `relay status` says how sending is.',
  sent: 'A message to yourself was taken by WhatsApp.',
  delivered: 'A message to yourself arrived.',
  read: 'A message to yourself arrived.',
  failed: 'The message to yourself could not be sent; `relay logs` says why.',
  unknown: 'The message to yourself may or may not have arrived; its receipt will tell.',
};

interface ProbeWorld {
  readonly whatsapp: Transport;
  readonly send: SendAsOwner;
  readonly limits: Pick<Limits, 'probeMs' | 'probeLookMs'>;
  /** The caller is gone: nobody waits for the answer. */
  readonly signal: AbortSignal;
}

export async function probeWire({ whatsapp, send, limits, signal }: ProbeWorld): Promise<Probe> {
  const { phone, state } = whatsapp.link;
  if (!isConnected(whatsapp) || phone === null) {
    throw new RelayError('whatsapp_not_connected', { sentence: connectionSentence(state) });
  }
  const message = { to: `${phone}@s.whatsapp.net`, text: PROBE_TEXT, key: `probe:${randomUUID()}` };
  const bell = createBell();
  const unsubscribe = whatsapp.subscribe((event) => {
    if (event.type === 'receipt' || event.type === 'refused') bell.ring();
  });
  try {
    const until = performance.now() + limits.probeMs;
    let sent = await send(message);
    while (sent.state === 'pending' && performance.now() < until && !signal.aborted) {
      await bell.wait(limits.probeLookMs, signal);
      sent = await send(message);
    }
    return report(sent);
  } finally {
    unsubscribe();
  }
}

function report({ state, messageId }: OwnerSent): Probe {
  const arrived = state === 'sent' || state === 'delivered' || state === 'read';
  return { arrived, state, messageId, sentence: SENTENCES[state] };
}

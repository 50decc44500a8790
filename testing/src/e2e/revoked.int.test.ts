// A revoked grant counts at once, end to end: also for an answer that is written, permitted and about to be sent, when
// the contact already sees typing.
import { expect, test } from 'vitest';
import { eventually } from './gateway.ts';
import { BEN, type LinkedRelay, ME, startLinkedRelay } from './linked.ts';

const TYPES_MS = 4_000;
const settings = { pacing: { typing_min_ms: TYPES_MS, typing_max_ms: TYPES_MS, per_minute: 60 } };

test('a revoked or narrowed grant stops an answer that is about to be sent', {
  timeout: 180_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside', settings });
  const { model, phones, relay } = linked.demo;
  for (const { how, revoke } of revocations(linked)) {
    model.play(() => ({ text: `An answer, ${how}` }));
    const id = await grant(linked);
    const typing = seesTyping(linked);
    await phones.send(BEN, ME, `Hello, ${how}`);
    await typing;
    await revoke(id);
    const stopped = await eventually('the answer to be stopped', async () => {
      const [row] = await linked.query<{ state: string; failure: string; attempts: number }>(
        'SELECT state, failure, attempts FROM relay.outbox WHERE body = $1',
        [`An answer, ${how}`],
      );
      return row?.state === 'failed' ? row : undefined;
    });
    expect(stopped).toMatchObject({ attempts: 0, failure: expect.stringMatching(/\.$/) });
    expect(answersSeen(linked)).toEqual([]);
    await relay.call('DELETE', `/api/whatsapp/permissions/${id}`);
  }
  model.play(() => ({ text: 'An answer that may leave' }));
  await grant(linked);
  await phones.send(BEN, ME, 'Hello once more');
  await phones.sees(BEN, { text: 'An answer that may leave' });
  expect(answersSeen(linked)).toEqual(['An answer that may leave']);
});

function revocations({ demo: { relay } }: LinkedRelay) {
  const path = (id: string) => `/api/whatsapp/permissions/${id}`;
  return [
    { how: 'revoked', revoke: (id: string) => relay.ok('DELETE', path(id)) },
    {
      how: 'narrowed to reading',
      revoke: (id: string) => relay.ok('PATCH', path(id), { canReply: false }),
    },
  ];
}

async function grant({ demo: { relay } }: LinkedRelay): Promise<string> {
  const asked = { phoneNumber: `+${BEN}`, displayName: 'Ben', canRead: true, canReply: true };
  return (await relay.ok<{ id: string }>('POST', '/api/whatsapp/permissions', asked)).id;
}

function seesTyping({ demo: { simulator } }: LinkedRelay): Promise<void> {
  return new Promise((resolve) => {
    simulator.network.events.on('presence', ({ account, stanza }) => {
      if (account.phone === ME && JSON.stringify(stanza).includes('composing')) resolve();
    });
  });
}

function answersSeen({ demo: { simulator } }: LinkedRelay): (string | undefined)[] {
  const seen = simulator.network.account(BEN)?.messages({ with: ME }) ?? [];
  return seen.filter(({ fromMe }) => !fromMe).map(({ text }) => text);
}

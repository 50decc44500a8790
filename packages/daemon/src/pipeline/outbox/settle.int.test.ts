import { outboxId } from '@relay/contract/ids';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { expect, test } from 'vitest';
import { applyDeliveryReports } from './delivery-updates.ts';

const harness = await freshDaemonHarness();
const { account, database, sql, create, reaches, lines } = harness;
await harness.acknowledges(false);

test('adds a failed message to its conversation once, so that it does not wait for an answer', async () => {
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  const [row] = await sql<{ id: string }>('SELECT id FROM outbox WHERE instance_id = $1', [id]);
  const stopped = {
    target: { id: outboxId(row?.id ?? '') },
    apply: () => ({ event: { type: 'stopped' }, at: new Date(), sentence: 'Too late.' }) as const,
  };
  for (const outcomes of [[stopped, stopped], [stopped]]) {
    await database.kysely.transaction().execute((tx) =>
      applyDeliveryReports(tx, account, outcomes, {
        recordSent: () => Promise.reject(new Error('not sent')),
        onUndelivered: () => Promise.reject(new Error('stopped on purpose')),
        onSettled: async () => {},
      }),
    );
  }
  expect(await lines(id)).toEqual(['agent: Hello', 'system: Not sent: Too late.']);
});

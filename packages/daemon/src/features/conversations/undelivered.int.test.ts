import type { InstanceId, OutboxId } from '@relay/contract/ids';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { beforeEach, expect, test } from 'vitest';
import { wakeConversations } from '../../pipeline/outbox/delivery-updates.ts';

const harness = await freshDaemonHarness();
const { account, agent, create, lines, reaches, sql, state, steps, service } = harness;
const WHY = 'WhatsApp does not know this number.';

beforeEach(() => agent(() => ({ messages: ['Hello'] })));

async function waiting(): Promise<InstanceId> {
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  return id;
}

/** The outbox gave up on the first message and reports it. */
async function undelivered(id: InstanceId, failed = true) {
  const [message] = await sql<{ id: OutboxId }>(
    `UPDATE outbox SET state = $2, failure = $3 WHERE instance_id = $1 RETURNING id`,
    failed ? [id, 'failed', WHY] : [id, 'sent', null],
  );
  if (message === undefined) throw new Error('it has said nothing');
  await harness.database.kysely
    .transaction()
    .execute((tx) =>
      wakeConversations(harness.jobs, account).onUndelivered(tx, [
        { id: message.id, instance: id },
      ]),
    );
  await harness.quiet();
}

test('fails the conversation with the reason and frees the contact when a message could not be delivered', async () => {
  const id = await waiting();
  const { target_contact } = await service.get(id);
  const next = await create(target_contact);
  await undelivered(id);
  expect(await service.get(id)).toMatchObject({
    state: 'FAILED',
    failure_reason: WHY,
    reason: WHY,
  });
  expect(await lines(id)).toEqual(['agent: Hello']);
  expect(harness.logged).toContainEqual({
    level: 'error',
    message: 'conversation failed',
    fields: { instance: id, reason: WHY },
  });
  await reaches(next, 'WAITING_FOR_REPLY');
});

test('fails the conversation in a later state too when a message could not be delivered', async () => {
  const id = await waiting();
  agent(() => ({ messages: [], interventionReason: 'help' }));
  await harness.reply(id, 'Yes');
  await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  await undelivered(id);
  expect(await state(id)).toBe('FAILED');
});

test('leaves a paused or ended conversation unchanged when a message could not be delivered', async () => {
  const paused = await waiting();
  await service.pause(paused);
  await undelivered(paused);
  expect(await state(paused)).toBe('PAUSED');
  const over = await waiting();
  await service.cancel(over);
  await undelivered(over);
  expect(await service.get(over)).toMatchObject({ state: 'FAILED', failure_reason: 'cancelled' });
  expect(harness.logged.filter(({ message }) => message === 'transition refused')).toEqual([]);
  expect((await service.resume(paused)).state).toBe('WAITING_FOR_REPLY');
});

test('changes nothing when the message was delivered after all', async () => {
  const id = await waiting();
  const before = await steps(id);
  await undelivered(id, false);
  expect(await state(id)).toBe('WAITING_FOR_REPLY');
  expect([await steps(id), await lines(id)]).toEqual([before, ['agent: Hello']]);
});

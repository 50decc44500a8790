import type { InstanceId } from '@relay/contract/ids';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { beforeEach, expect, test } from 'vitest';
import { transaction } from '../../platform/db/transaction.ts';
import { lockInstance } from './sql.ts';
import { applyEvents } from './transitions.ts';

const harness = await freshDaemonHarness();
const { account, agent, create, heartbeat, reaches, sql, service } = harness;
const ME = '4915199999999';
await sql('UPDATE accounts SET phone = $1', [ME]);

beforeEach(() => {
  agent(() => ({ messages: ['Hello'] }));
  harness.settings.tell_owner_on_whatsapp = true;
});

/** The notices to the owner about it. */
const notes = async (id: InstanceId) =>
  (
    await sql(
      `SELECT o.body FROM outbox o JOIN permits p ON p.id = o.permit_id JOIN chats c ON c.id = o.chat_id
        JOIN contact_aliases a ON a.contact_id = c.contact_id
       WHERE p.actor = 'notifier' AND a.value = $1 AND o.instance_id IS NULL AND o.body LIKE $2 ORDER BY o.seq`,
      [ME, `%${id}`],
    )
  ).map((row) => row.body);

const events = async (id: InstanceId) =>
  sql("SELECT kind, data FROM events WHERE kind LIKE 'conversation.%' AND subject = $1", [id]);

test('notifies the owner in their own chat when a conversation needs them, with what to do', async () => {
  agent(() => ({ messages: [], interventionReason: 'The price is too high.' }));
  const phone = newPhone();
  const id = await create(phone);
  await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  expect(await notes(id)).toEqual([
    `Relay: “Get a quote” with ${phone} needs you. The price is too high. → relay get ${id}`,
  ]);
  expect(await events(id)).toEqual([
    {
      kind: 'conversation.needs_you',
      data: { reason: 'The price is too high.', contact: expect.any(String) },
    },
  ]);
});

test('notifies the owner when a conversation ends or is taken over', async () => {
  agent(() => ({ messages: ['Thanks'], endReason: 'Done.' }));
  const completed = await create();
  await reaches(completed, 'COMPLETED');
  agent(() => ({ messages: ['Hello'] }));
  const abandoned = await create(newPhone(), { max_followups: 0 });
  await reaches(abandoned, 'WAITING_FOR_REPLY');
  await heartbeat(abandoned);
  await reaches(abandoned, 'ABANDONED');
  const taken = await create();
  await reaches(taken, 'WAITING_FOR_REPLY');
  await harness.takeover(taken, 'Me');
  const failed = await create();
  await reaches(failed, 'WAITING_FOR_REPLY');
  await transaction(harness.conversations, async (work) => {
    const row = await lockInstance(work.tx, harness.conversations.lease, failed);
    const reason = 'Nobody is there.';
    await applyEvents(harness.conversations, work, row, [{ type: 'unrecoverable_error', reason }]);
  });
  expect((await notes(failed))[0]).toContain('failed. Nobody is there. → relay get');
  expect((await notes(completed))[0]).toContain('is completed. Done. → relay transcript');
  expect((await notes(abandoned))[0]).toContain('ended without a reply. The contact did not reply');
  expect((await notes(taken))[0]).toMatch(/is paused\. .+ → relay resume /);
});

test('sends no notice to an owner who cancelled or turned notices off, but appends the event', async () => {
  const cancelled = await create();
  await reaches(cancelled, 'WAITING_FOR_REPLY');
  await service.cancel(cancelled);
  harness.settings.tell_owner_on_whatsapp = false;
  agent(() => ({ messages: [], interventionReason: 'help' }));
  const quiet = await create();
  await reaches(quiet, 'NEEDS_HUMAN_INTERVENTION');
  expect([...(await notes(cancelled)), ...(await notes(quiet))]).toEqual([]);
  expect((await events(cancelled)).map(({ kind }) => kind)).toEqual(['conversation.failed']);
  expect((await events(quiet)).map(({ kind }) => kind)).toEqual(['conversation.needs_you']);
});

test('completes the transition when the notice cannot be sent', async () => {
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  await harness.hold();
  await harness.takeover(id, 'Me');
  await harness.release();
  expect(await harness.state(id)).toBe('PAUSED');
  expect(await notes(id)).toEqual([]);
  await sql('UPDATE accounts SET phone = NULL WHERE id = $1', [account]);
  agent(() => ({ messages: [], interventionReason: 'help' }));
  const other = await create();
  await reaches(other, 'NEEDS_HUMAN_INTERVENTION');
  await sql('UPDATE accounts SET phone = $1 WHERE id = $2', [ME, account]);
  expect(await notes(other)).toEqual([]);
});

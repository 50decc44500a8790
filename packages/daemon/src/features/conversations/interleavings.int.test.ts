import { isTerminal } from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import type { InstanceId } from '@relay/contract/ids';
import { holdsContact } from '@relay/core/conversation/transition';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { TransactionConflict } from '../../platform/db/transaction.ts';
import { toInstance } from './sql.ts';

const harness = await freshDaemonHarness();
const { service } = harness;
const ROUNDS = 200;
const AT_ONCE = 8;

/** A seeded generator, so that a failing run can be repeated. */
function chance(seed: number) {
  let x = seed;
  return (below: number) => {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((x / 2 ** 32) * below);
  };
}

test('keeps the invariants under concurrent operations in random order', async () => {
  verifies('003-INV-ONE-ACTIVE', '003-INV-PAUSED', '003-INV-FOLLOW-UPS', '003-INV-STATE-MACHINE');
  verifies('003-INV-ONE-STATE');
  const pick = chance(20_261_115);
  harness.agent(() => {
    const dice = pick(10);
    if (dice === 0) return { messages: ['Bye'], endReason: 'done' };
    if (dice === 1) return { messages: [], interventionReason: 'help' };
    if (dice === 2) throw new Error('network');
    return { messages: ['Hello'] };
  });
  const phones = times(3, () => newPhone());
  const ids: InstanceId[] = [];
  for (const phone of [...phones, ...phones, ...phones])
    ids.push(await harness.create(phone, { max_followups: 2 }));

  const moves: ((id: InstanceId) => Promise<unknown>)[] = [
    (id) => harness.reply(id, 'Yes'),
    (id) => harness.reply(id, 'No'),
    (id) => service.pause(id),
    (id) => service.resume(id),
    (id) => service.resume(id),
    (id) => service.send(id, 'Mine'),
    (id) => harness.heartbeat(id),
    (id) => harness.heartbeat(id),
    (id) => (pick(4) === 0 ? harness.takeover(id, 'Typed') : harness.reply(id, 'Hm')),
    async (id) => {
      await harness.hold();
      await harness.release();
      await harness.state(id);
    },
    async (id) => {
      if (pick(4) === 0) await service.cancel(id);
    },
  ];
  const surprises: unknown[] = [];
  for (let round = 0; round < ROUNDS / AT_ONCE; round++) {
    await Promise.all(
      times(AT_ONCE, async () => {
        const id = ids[pick(ids.length)];
        const move = moves[pick(moves.length)];
        if (id === undefined || move === undefined) return;
        await move(id).catch((error: unknown) => {
          // The state does not allow it, or a hold is on.
          const refused =
            error instanceof RelayError && ['illegal_transition', 'denied'].includes(error.code);
          // A message for an ended conversation: the router, which is not part of this test, routes it again.
          if (!refused && !(error instanceof TransactionConflict)) surprises.push(error);
        });
      }),
    );
    if (round % 5 === 4) ids.push(await harness.create(phones[pick(3)], { max_followups: 2 }));
  }
  await harness.quiet();
  expect(surprises).toEqual([]);

  const rows = await harness.conversations.db.selectFrom('instances').selectAll().execute();
  for (const contact of new Set(rows.map((row) => row.contact_id))) {
    const theirs = rows.filter((row) => row.contact_id === contact);
    const holders = theirs.filter((row) => holdsContact(toInstance(row)));
    expect(holders.length).toBeLessThanOrEqual(1);
    // No conversation stays queued for a free contact.
    if (holders.length === 0) expect(theirs.map((row) => row.state)).not.toContain('QUEUED');
  }
  for (const row of rows) {
    expect(row.follow_up_count).toBeLessThanOrEqual(row.max_followups + 1);
    expect(row.state === 'PAUSED').toBe(row.previous_state !== null);
    expect(row.timer_due_at !== null).toBe(row.state === 'WAITING_FOR_REPLY' && !row.unsent);
    const log = await harness.steps(row.id);
    let at = 'CREATED';
    for (const step of log) {
      const [from, to] = step.split(' → ');
      expect(from).toBe(at);
      expect(isTerminal(from as typeof row.state)).toBe(false);
      at = to ?? '';
    }
    expect(at).toBe(row.state);
  }
  const timers = await harness.sql('SELECT subject_id, epoch FROM timers ORDER BY subject_id');
  const due = rows.filter((row) => row.timer_due_at !== null);
  expect(timers).toEqual(
    due
      .map((row) => ({ subject_id: row.id, epoch: row.epoch }))
      .sort((a, b) => (a.subject_id < b.subject_id ? -1 : 1)),
  );
  const [loose] = await harness.sql(
    `SELECT count(*) AS count FROM instance_messages WHERE (role = 'agent' OR (role = 'manual' AND message_id IS NULL)) <> (outbox_id IS NOT NULL)`,
  );
  expect(loose).toEqual({ count: 0 });
});

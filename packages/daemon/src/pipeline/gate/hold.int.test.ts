import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { expect, test } from 'vitest';
import { isOnHold } from './gate.ts';
import { createHoldService, readHold } from './hold.ts';

const { database, sql, account, conversations } = await freshDaemonHarness();
const { db, lease, gate } = conversations;
let asked: boolean[] = [];
const after: string[] = [];
const hold = createHoldService({
  db,
  lease,
  gate,
  onChange: () => {},
  onRelease: async ({ tx, afterCommit }) => {
    asked.push((await tx.selectFrom('holds').selectAll().execute()).length === 1);
    afterCommit.push(() => after.push('committed'));
  },
});

test('records a hold and its release in ledger and events, and keeps the start when set again', async () => {
  const first = await hold.hold('lunch');
  const second = await hold.hold('a long lunch');
  expect(second).toEqual({ hold: true, reason: 'a long lunch', since: first.since });
  expect(await hold.hold('')).toEqual(second);
  expect(await hold.release()).toEqual({ hold: false, reason: null, since: null });
  expect(await hold.release()).toMatchObject({ hold: false });
  const rows = await sql(
    "SELECT subject_id, outcome, actor FROM ledger WHERE action = 'set_hold' ORDER BY seq",
  );
  expect(rows.map((row) => `${row.actor} ${row.outcome} ${row.subject_id}`)).toEqual([
    'owner allow on',
    'owner allow on',
    'owner allow on',
    'owner allow off',
    'owner allow off',
  ]);
  const events = await sql("SELECT data->>'on' AS on FROM events WHERE kind = 'hold' ORDER BY id");
  expect(events.map((row) => row.on)).toEqual(['true', 'true', 'true', 'false', 'false']);
});

test('queues postponed turns again in the transaction that ends the hold', async () => {
  asked = [];
  await hold.hold('');
  expect(await readHold(db, lease)).toMatchObject({ hold: true, reason: null });
  await hold.release();
  expect(asked).toEqual([true]);
  expect(after.at(-1)).toBe('committed');
});

test('makes the release wait for whoever found the hold, and shows no hold to later ones', async () => {
  await hold.hold('');
  const order: string[] = [];
  const found = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const parking = database.kysely.transaction().execute(async (tx) => {
    expect(await isOnHold(tx, account, 'share')).toBe(true);
    found.resolve();
    await leave.promise;
    order.push('put off');
  });
  await found.promise;
  const releasing = hold.release().then(() => order.push('released'));
  await sql('SELECT pg_sleep(0.2)');
  leave.resolve();
  await Promise.all([parking, releasing]);
  expect(order).toEqual(['put off', 'released']);
  expect(await database.kysely.transaction().execute((tx) => isOnHold(tx, account, 'share'))).toBe(
    false,
  );
});

test('keeps the hold as a row that survives a restart', async () => {
  await hold.hold('over night');
  expect(await sql('SELECT reason FROM holds WHERE account_id = $1', [account])).toEqual([
    { reason: 'over night' },
  ]);
  await hold.release();
});

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
  changed: () => {},
  onRelease: async ({ tx, afterCommit }) => {
    asked.push((await tx.selectFrom('holds').selectAll().execute()).length === 1);
    afterCommit.push(() => after.push('committed'));
  },
});

test('a hold and its release stand in the ledger and on the streams, and asking twice keeps the beginning', async () => {
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

test('what was put off is asked for anew in the transaction that ends the hold', async () => {
  asked = [];
  await hold.hold('');
  expect(await readHold(db, lease)).toMatchObject({ hold: true, reason: null });
  await hold.release();
  expect(asked).toEqual([true]);
  expect(after.at(-1)).toBe('committed');
});

test('who found the hold and puts something off is waited for by the release; later ones find none', async () => {
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

test('a restart keeps the hold: it is a row', async () => {
  await hold.hold('over night');
  expect(await sql('SELECT reason FROM holds WHERE account_id = $1', [account])).toEqual([
    { reason: 'over night' },
  ]);
  await hold.release();
});

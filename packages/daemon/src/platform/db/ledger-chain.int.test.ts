import { freshStore, times } from '@relay/testing/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sealOf } from './database.ts';
import { appendLedger } from './ledger.ts';
import { verifyChain } from './ledger-chain.ts';

const { sql, account, database } = await freshStore();
const db = database.kysely;
const check = (full = false) => verifyChain(db, account, { full, alwaysAll: 0 });

/** The chain that `ledger_add` creates, in one statement, and signed. */
async function append(count: number) {
  const [head] = await sql<{ seq: number; hash: Buffer }>(
    `WITH RECURSIVE chain AS (
       SELECT seq, hash FROM ledger_heads WHERE account_id = $1
       UNION ALL SELECT seq + 1, ledger_digest(hash, seq + 1, now(), 'router', 'route_message', 'message',
         'M' || seq, 'stored', 'no_grant', '{}') FROM chain
       WHERE seq < (SELECT seq FROM ledger_heads WHERE account_id = $1) + $2
     ), put AS (
       INSERT INTO ledger SELECT $1, seq, now(), 'router', 'route_message', 'message', 'M' || (seq - 1),
         'stored', 'no_grant', '{}', hash FROM chain
       WHERE seq > (SELECT seq FROM ledger_heads WHERE account_id = $1)
     )
     UPDATE ledger_heads h SET seq = chain.seq, hash = chain.hash FROM chain
     WHERE h.account_id = $1 AND chain.seq = h.seq + $2 RETURNING h.seq, h.hash`,
    [account, count],
  );
  if (head === undefined) throw new Error('an account has a head');
  const mac = sealOf(db).signHead(account, { seq: head.seq, hash: head.hash.toString('hex') });
  await sql('UPDATE ledger_heads SET mac = $2 WHERE account_id = $1', [account, mac]);
}

/** Tampering by hand bypasses the trigger. */
await sql('ALTER TABLE ledger DISABLE TRIGGER ledger_append_only');

/** Rolled back after the check. */
async function after(statements: readonly string[], full = false) {
  await sql('CREATE TABLE kept AS SELECT * FROM ledger');
  for (const statement of statements) await sql(statement);
  const verdict = await check(full);
  await sql('DELETE FROM ledger');
  await sql('INSERT INTO ledger SELECT * FROM kept');
  await sql('DROP TABLE kept');
  return verdict;
}

test('a ledger without rows is whole', async () => {
  expect(await check()).toMatchObject({ whole: true, rows: 0, checked: 0 });
});

test('verified rows are not recomputed unless a full check is requested', async () => {
  await append(40);
  expect(await check()).toMatchObject({ whole: true, rows: 40, checked: 40, full: true });
  await append(5);
  expect(await check()).toMatchObject({ whole: true, rows: 45, checked: 5, full: false });
  expect(await check(true)).toMatchObject({ whole: true, checked: 45, full: true });
  const { head } = await check();
  const [row] = await sql("SELECT encode(hash, 'hex') AS hash FROM ledger_heads");
  expect(head).toBe(row?.hash);
});

test.each([
  ['dropped', ['DELETE FROM ledger WHERE seq = 7'], { kind: 'missing', seq: 7 }],
  ['cut off', ['DELETE FROM ledger WHERE seq > 20'], { kind: 'cut', seq: 21 }],
  [
    'added behind the head',
    [
      'INSERT INTO ledger SELECT account_id, 46, at, actor, action, subject_kind, subject_id, outcome, reason, detail, ledger_digest(hash, 46, at, actor, action, subject_kind, subject_id, outcome, reason, detail) FROM ledger WHERE seq = 45',
    ],
    { kind: 'beyond', seq: 46 },
  ],
  [
    'written anew as a whole',
    ["UPDATE ledger SET hash = sha256(hash || 'x')"],
    { kind: 'rewritten', seq: 45 },
  ],
] as const)(
  'rows that were %s are detected without recomputing the whole ledger',
  async (_, statements, fault) => {
    expect(await check()).toMatchObject({ whole: true });
    expect(await after(statements)).toMatchObject({ whole: false, fault });
    expect(await check()).toMatchObject({ whole: true });
  },
);

test('a fault is reported again by the next check, and no part is remembered as whole', async () => {
  await append(3);
  const alter = ["UPDATE ledger SET reason = 'owner' WHERE seq = 47"];
  expect(await after(alter)).toMatchObject({ fault: { kind: 'altered', seq: 47 } });
  expect(await after(alter)).toMatchObject({ fault: { kind: 'altered', seq: 47 } });
  expect((await after(alter)).sentence).toBe('Row 47 of the ledger was changed.');
  expect(await check()).toMatchObject({ whole: true, checked: 3 });
});

test('a full check detects any alteration, deletion, insertion or swap of rows', async () => {
  const rows = (await check(true)).rows;
  const row = fc.integer({ min: 1, max: rows });
  const value = fc.constantFrom("'x'", "reason || ' '", 'upper(action)');
  const column = fc.constantFrom(
    'actor',
    'action',
    'subject_kind',
    'subject_id',
    'outcome',
    'reason',
  );
  const swap = (a: number, b: number) => [
    `UPDATE ledger SET seq = -1 WHERE seq = ${a}`,
    `UPDATE ledger SET seq = ${a} WHERE seq = ${b}`,
    `UPDATE ledger SET seq = ${b} WHERE seq = -1`,
  ];
  const tampering = fc.oneof(
    fc
      .tuple(row, column, value)
      .map(([seq, name, to]) => [`UPDATE ledger SET ${name} = ${to} WHERE seq = ${seq}`]),
    row.map((seq) => [`UPDATE ledger SET at = at + interval '1 us' WHERE seq = ${seq}`]),
    row.map((seq) => [`UPDATE ledger SET detail = '{"run": "x"}' WHERE seq = ${seq}`]),
    row.map((seq) => [`UPDATE ledger SET hash = sha256(hash) WHERE seq = ${seq}`]),
    row.map((seq) => [`DELETE FROM ledger WHERE seq = ${seq}`]),
    row.map((seq) => [`DELETE FROM ledger WHERE seq >= ${seq}`]),
    fc
      .tuple(row, row)
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => swap(a, b)),
    fc
      .constantFrom(0, -5, rows + 1, rows + 7)
      .map((seq) => [
        `INSERT INTO ledger SELECT account_id, ${seq}, at, actor, action, subject_kind, subject_id, outcome, reason, detail, hash FROM ledger WHERE seq = 1`,
      ]),
  );
  await fc.assert(
    fc.asyncProperty(tampering, async (statements) => {
      expect(await after(statements, true), statements.join('; ')).toMatchObject({ whole: false });
    }),
    { numRuns: 60 },
  );
  expect(await check(true)).toMatchObject({ whole: true });
});

test('verifying a hundred thousand rows is cheap the second time', async () => {
  await append(100_000);
  const took = async (full: boolean) => {
    const began = performance.now();
    expect(await check(full)).toMatchObject({ whole: true });
    return performance.now() - began;
  };
  const first = await took(true);
  await append(100);
  const again = await took(false);
  expect(again).toBeLessThan(first / 2);
});

test('concurrent appends do not break the check', async () => {
  const appending = times(8, (n) =>
    db.transaction().execute((tx) =>
      appendLedger(tx, account, {
        actor: 'owner',
        action: 'set_hold',
        subject: { kind: 'hold', id: 'on' },
        outcome: 'allow',
        reason: 'owner',
        detail: { n },
      }),
    ),
  );
  const looking = times(4, () => check());
  expect((await Promise.all(looking)).every(({ whole }) => whole)).toBe(true);
  await Promise.all(appending);
  expect(await check()).toMatchObject({ whole: true });
});

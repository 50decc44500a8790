import type { AccountId } from '@relay/contract/ids';
import { freshStore, type TestStore, times } from '@relay/testing/store';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { databaseOf } from './database.ts';
import type { LedgerEntry } from './ledger.ts';
import { appendLedger } from './ledger.ts';
import { verifyLedger } from './ledger-chain.ts';

const store: TestStore = await freshStore();
const { sql } = store;
const dbOf = (account: AccountId) => databaseOf(store.database, account).kysely;

const entry = (n: number): LedgerEntry => ({
  actor: 'owner',
  action: 'send_message',
  subject: { kind: 'chat', id: `chat ${n}` },
  outcome: 'allow',
  reason: 'owner',
  detail: { n },
});

async function ledgerOf(entries: readonly LedgerEntry[]) {
  const { id: account } = await store.database.allAccounts
    .insertInto('accounts')
    .values({ label: 'x' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await dbOf(account)
    .transaction()
    .execute(async (tx) => {
      for (const one of entries) await appendLedger(tx, account, one);
    });
  return account;
}

test('the database refuses to change a ledger row', async () => {
  await ledgerOf([entry(1)]);
  await expect(sql("UPDATE ledger SET reason = 'other'")).rejects.toThrow('ledger is append-only');
});

test('twenty concurrent writers leave one whole chain without gaps in its numbers', async () => {
  const account = await ledgerOf([]);
  const numbers = await Promise.all(
    times(20, (n) =>
      dbOf(account)
        .transaction()
        .execute(async (tx) => {
          const seqs = [];
          for (let i = 0; i < 5; i++) seqs.push(await appendLedger(tx, account, entry(n * 5 + i)));
          return seqs;
        }),
    ),
  );
  expect(numbers.flat().sort((a, b) => a - b)).toEqual(times(100, (i) => i + 1));
  expect(await verifyLedger(dbOf(account), account)).toBeNull();
});

test('a rolled back decision leaves no gap', async () => {
  const account = await ledgerOf([entry(1)]);
  const failed = dbOf(account)
    .transaction()
    .execute(async (tx) => {
      await appendLedger(tx, account, entry(2));
      throw new Error('no');
    });
  await expect(failed).rejects.toThrow('no');
  const next = await dbOf(account)
    .transaction()
    .execute((tx) => appendLedger(tx, account, entry(3)));
  expect(next).toBe(2);
  expect(await verifyLedger(dbOf(account), account)).toBeNull();
});

describe('tampering with the ledger', () => {
  const ROWS = 7;

  // The tamperer owns the database and can disable its triggers.
  beforeAll(() => sql('ALTER TABLE ledger DISABLE TRIGGER ledger_append_only'));

  const at = (seq: number, change: string) => `UPDATE ledger SET ${change} WHERE seq = ${seq} AND`;
  const cases: [string, (seq: number) => string[], (seq: number) => unknown][] = [
    ...[
      "at = at + interval '1 microsecond'",
      "actor = 'somebody'",
      "action = 'other'",
      "subject_kind = 'contact'",
      "subject_id = 'other'",
      "outcome = 'deny'",
      "reason = 'other'",
      'detail = \'{"n": 1e3}\'',
      'hash = sha256(hash)',
    ].map((change): (typeof cases)[number] => [
      `sets ${change}`,
      (seq) => [at(seq, change)],
      (seq) => ({ kind: 'altered', seq }),
    ]),
    [
      'moves text from one column to the next',
      (seq) => [at(seq, "actor = '', action = actor || action")],
      (seq) => ({ kind: 'altered', seq }),
    ],
    [
      'deletes a row',
      (seq) => [`DELETE FROM ledger WHERE seq = ${seq} AND`],
      (seq) => ({ kind: seq === ROWS ? 'cut' : 'missing', seq }),
    ],
    [
      'deletes a row and closes the gap',
      (seq) => [
        `DELETE FROM ledger WHERE seq = ${seq} AND`,
        `UPDATE ledger SET seq = seq - 1000 WHERE seq > ${seq} AND`,
        'UPDATE ledger SET seq = seq + 999 WHERE seq < 0 AND',
      ],
      (seq) => ({ kind: seq === ROWS ? 'cut' : 'altered', seq }),
    ],
    [
      'deletes everything from a row on',
      (seq) => [`DELETE FROM ledger WHERE seq >= ${seq} AND`],
      (seq) => ({ kind: 'cut', seq }),
    ],
  ];

  test.each(cases)('that %s is detected, with the row', async (_, statements, fault) => {
    for (const seq of [1, 4, ROWS]) {
      const account = await ledgerOf(times(ROWS, entry));
      for (const statement of statements(seq)) await sql(`${statement} account_id = ${account}`);
      expect(await verifyLedger(dbOf(account), account)).toEqual(fault(seq));
    }
  });

  test('that swaps two rows is detected at the first of them', async () => {
    const account = await ledgerOf(times(ROWS, entry));
    const move = (from: number, to: number) =>
      sql(`UPDATE ledger SET seq = ${to} WHERE seq = ${from} AND account_id = ${account}`);
    await move(3, 100);
    await move(5, 3);
    await move(100, 5);
    expect(await verifyLedger(dbOf(account), account)).toEqual({ kind: 'altered', seq: 3 });
  });

  test.each([
    ['removes the head', 'DELETE FROM ledger_heads WHERE', 'cut', ROWS + 1],
    ['sets the head back', 'UPDATE ledger_heads SET seq = 2, hash = DEFAULT WHERE', 'beyond', 3],
    ['changes the head alone', 'UPDATE ledger_heads SET seq = seq + 1 WHERE', 'cut', ROWS + 1],
  ])('that %s is detected', async (_, statement, kind, seq) => {
    const account = await ledgerOf(times(ROWS, entry));
    await sql(`${statement} account_id = ${account}`);
    expect(await verifyLedger(dbOf(account), account)).toEqual({ kind, seq });
  });

  test('in any column of any row of any ledger is detected at that row', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((s) => !s.includes('\0'));
    const anyEntry: fc.Arbitrary<LedgerEntry> = fc.record({
      actor: text,
      action: text,
      subject: fc.record({ kind: text, id: text }),
      outcome: text,
      reason: text,
      detail: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.double({ noNaN: true }))),
    });
    const column = fc.constantFrom(
      'actor',
      'action',
      'subject_kind',
      'subject_id',
      'outcome',
      'reason',
    );
    const ledger = fc
      .array(anyEntry, { minLength: 1, maxLength: 8 })
      .chain((entries) => fc.tuple(fc.constant(entries), fc.nat({ max: entries.length - 1 })));
    await fc.assert(
      fc.asyncProperty(ledger, column, text, async ([entries, index], name, value) => {
        const account = await ledgerOf(entries);
        expect(await verifyLedger(dbOf(account), account)).toBeNull();
        const changed = await sql(
          `UPDATE ledger SET ${name} = $1 WHERE account_id = $2 AND seq = $3 AND ${name} <> $1 RETURNING 1`,
          [value, account, index + 1],
        );
        expect(await verifyLedger(dbOf(account), account)).toEqual(
          changed.length === 0 ? null : { kind: 'altered', seq: index + 1 },
        );
      }),
      { numRuns: 40 },
    );
  });
});

import { testSealer } from '@relay/testing/sealer';
import { freshStore, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './database.ts';
import { appendLedger } from './ledger.ts';
import { verifyChain } from './ledger-chain.ts';

// What somebody can do who has the database password, as a superuser, but not the vault's key.

const ROWS = 8;

async function ledger() {
  const { sql, account, database, url } = await freshStore(onTestFinished);
  const db = database.kysely;
  const entry = (n: number) => ({
    actor: 'owner',
    action: 'send_message',
    subject: { kind: 'chat', id: `chat ${n}` },
    outcome: 'allow',
    reason: 'owner',
  });
  /** In transactions of two rows. */
  const append = async (count: number) => {
    for (let n = 0; n < count; n += 2) {
      await db.transaction().execute(async (tx) => {
        for (const one of times(Math.min(2, count - n), entry))
          await appendLedger(tx, account, one);
      });
    }
  };
  await append(ROWS);
  await sql('ALTER TABLE ledger DISABLE TRIGGER ledger_append_only');
  return {
    sql,
    append,
    check: (alwaysAll?: number) =>
      verifyChain(db, account, { full: false, ...(alwaysAll === undefined ? {} : { alwaysAll }) }),
    /** Checks in a process that has the key but has not seen this ledger yet. */
    checkAnew: async () => {
      const other = openDatabase({ connectionString: url }, { max: 2, sealer: testSealer });
      const verdict = verifyChain(other.allAccounts, account, { full: true });
      return verdict.finally(() => other.close());
    },
    /** Hashes, head and mark are consistent again afterwards. */
    tamper: async (...statements: readonly string[]) => {
      for (const statement of [...statements, REHASH, HEAD, MARK]) await sql(statement);
    },
  };
}

const REHASH = `WITH RECURSIVE chain AS (
    SELECT seq, ledger_digest('', seq, at, actor, action, subject_kind, subject_id, outcome, reason, detail) AS hash
      FROM ledger WHERE seq = 1
    UNION ALL SELECT l.seq, ledger_digest(c.hash, l.seq, l.at, l.actor, l.action, l.subject_kind, l.subject_id,
      l.outcome, l.reason, l.detail) FROM chain c JOIN ledger l ON l.seq = c.seq + 1)
  UPDATE ledger l SET hash = chain.hash FROM chain WHERE l.seq = chain.seq`;
const HEAD = `UPDATE ledger_heads SET (seq, hash) =
  (SELECT coalesce(max(seq), 0), coalesce((SELECT hash FROM ledger ORDER BY seq DESC LIMIT 1), '') FROM ledger)`;
const MARK = `UPDATE settings SET value = value || (SELECT jsonb_build_object('seq', seq, 'hash', encode(hash, 'hex'))
  FROM ledger_heads) WHERE key = 'ledger_verified'`;

const REWRITE = "UPDATE ledger SET reason = 'by_hand' WHERE seq = 7";

test('appended rows are whole, also for a process that has not seen the ledger before', async () => {
  const { check, checkAnew } = await ledger();
  expect(await check()).toMatchObject({ whole: true, rows: ROWS });
  expect(await checkAnew()).toMatchObject({ whole: true, rows: ROWS });
});

test.each([
  ['a decision rewritten', [REWRITE]],
  ['the last two decisions cut off', ['DELETE FROM ledger WHERE seq > 6']],
  ['the last decision cut off', ['DELETE FROM ledger WHERE seq > 7']],
  [
    'a decision dropped, and the gap closed',
    ['DELETE FROM ledger WHERE seq = 8', 'UPDATE ledger SET seq = 8 WHERE seq = 7'],
  ],
  [
    'a decision added',
    [
      `SELECT ledger_add(account_id, 'owner', 'send_message', 'chat', 'x', 'allow', 'owner', '{}') FROM ledger_heads`,
    ],
  ],
])('detects %s, although hashes, head and mark were adjusted', async (_, statements) => {
  verifies('TRUST-LEDGER-SIGNED');
  const { check, checkAnew, tamper, append } = await ledger();
  await check();
  await tamper(...statements);
  expect(await check()).toMatchObject({ whole: false });
  expect(await checkAnew()).toMatchObject({ whole: false });
  await append(4);
  expect(await check()).toMatchObject({ whole: false });
  expect(await checkAnew()).toMatchObject({ whole: false });
});

test('a head that the daemon did not sign is reported with its row', async () => {
  const { tamper, checkAnew } = await ledger();
  await tamper(REWRITE);
  expect(await checkAnew()).toMatchObject({
    fault: { kind: 'unsigned', seq: ROWS },
    sentence: expect.stringMatching(/^Row 8 of the ledger .* was not signed by Relay/),
  });
});

test('a head without a MAC is detected', async () => {
  const { sql, check } = await ledger();
  await sql('UPDATE ledger_heads SET mac = NULL');
  expect(await check()).toMatchObject({ fault: { kind: 'unsigned', seq: ROWS } });
});

test("a ledger set back to an earlier head with that head's MAC is detected", async () => {
  verifies('TRUST-LEDGER-SIGNED');
  const { sql, check, append } = await ledger();
  const [earlier] = await sql('SELECT seq, hash, mac FROM ledger_heads');
  await append(4);
  await sql('DELETE FROM ledger WHERE seq > $1', [earlier?.seq]);
  await sql('UPDATE ledger_heads SET seq = $1, hash = $2, mac = $3', [
    ...[earlier?.seq, earlier?.hash, earlier?.mac],
  ]);
  expect(await check()).toMatchObject({ fault: { kind: 'cut', seq: ROWS + 1 } });
  await append(6);
  expect(await check()).toMatchObject({ whole: false, fault: { kind: 'rewritten' } });
});

test('a mark that the daemon did not sign is ignored, and every row is recomputed', async () => {
  const { sql, check } = await ledger();
  await check();
  expect(await check(0)).toMatchObject({ whole: true, checked: 0 });
  await sql(`UPDATE settings SET value = value || '{"mac": "00"}' WHERE key = 'ledger_verified'`);
  expect(await check(0)).toMatchObject({ whole: true, checked: ROWS });
});

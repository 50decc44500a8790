// Verifies that the ledger is complete and was written by this daemon. All rows are recomputed as long as that takes
// about a second. For a longer ledger the verified part is remembered and the next check begins after it, unless a full
// check is requested. Sequence numbers and hashes at the seams, the head's MAC and the newest known head are compared
// either way.
import type { LedgerVerdict } from '@relay/contract/api/ledger';
import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Db, sealOf } from './database.ts';
import { LEDGER_START, type LedgerMark } from './seal.ts';
import { readSnapshot } from './transaction.ts';

interface LedgerFault {
  readonly kind: 'altered' | 'missing' | 'added' | 'beyond' | 'cut' | 'rewritten' | 'unsigned';
  readonly seq: number;
}

/** This many rows take about a second. */
const MAX_ROWS_VERIFIED_WHOLE = 100_000;

const VERIFIED_MARK_KEY = 'ledger_verified';
const markSchema = z.object({ seq: z.int(), hash: z.string(), mac: z.string() });

/**
 * Recomputes every row of the chain and returns the first that was altered, dropped, added or cut off; null if intact.
 */
export async function verifyLedger(db: Db, account: AccountId): Promise<LedgerFault | null> {
  return (await alongChain(db, account, LEDGER_START)) ?? atHead(await readEnds(db, account));
}

export async function verifyChain(
  db: Db,
  account: AccountId,
  {
    full: asked,
    alwaysAll = MAX_ROWS_VERIFIED_WHOLE,
  }: { readonly full: boolean; readonly alwaysAll?: number },
): Promise<LedgerVerdict> {
  const seal = sealOf(db);
  const mark = await readMark(db, account);
  const newest = seal.newestHead(account);
  // One snapshot for everything: a row appended meanwhile is neither missing nor surplus.
  const { fault, ends, from } = await readSnapshot(db, async (tx) => {
    const ends = await readEnds(tx, account);
    const full = asked || ends.last.seq <= alwaysAll;
    const from = full ? LEDGER_START : mark;
    const fault =
      (full ? null : await atMark(tx, account, mark, ends)) ??
      (await alongChain(tx, account, from)) ??
      atHead(ends) ??
      (await atMark(tx, account, mark, ends)) ??
      (await atNewest(tx, account, newest, ends)) ??
      (seal.isSignedHead(account, ends.head, ends.mac) ? null : unsigned(ends));
    return { fault, ends, from };
  });
  if (fault === null) {
    seal.acceptHead(account, ends.head, ends.mac);
    await writeMark(db, account, ends.head);
  }
  return {
    whole: fault === null,
    fault,
    sentence: sentenceOf(fault, ends.last.seq, from),
    checked: ends.last.seq - from.seq,
    rows: ends.last.seq,
    full: from.seq === 0,
    head: ends.head.hash,
  };
}

function sentenceOf(fault: LedgerFault | null, rows: number, from: LedgerMark): string {
  if (fault === null) {
    const those =
      from.seq === 0
        ? `${rows === 1 ? '1 row' : `all ${rows} rows`} verified`
        : `${rows - from.seq} of ${rows} rows verified now, the others before`;
    return `The chain of decisions is intact: ${rows === 0 ? 'it has no rows yet' : those}.`;
  }
  return `Row ${fault.seq} of the ledger ${FAULTS[fault.kind]}.`;
}

const FAULTS: Readonly<Record<LedgerFault['kind'], string>> = {
  altered: 'was changed',
  missing: 'is missing',
  added: 'was added outside Relay',
  beyond:
    'and all later rows are beyond its head: they were added outside Relay, or the head was set back',
  cut: 'and all later rows were removed',
  rewritten: 'and all earlier rows were rewritten since they were last verified',
  unsigned:
    'is the last one and was not signed by Relay: rows were written or removed outside Relay',
};

interface ChainEnds {
  readonly last: LedgerMark;
  readonly head: LedgerMark;
  readonly mac: Buffer | null;
}

async function readEnds(db: Db, account: AccountId): Promise<ChainEnds> {
  const { rows } = await sql<{
    seq: number | null;
    hash: string | null;
    head_seq: number | null;
    head_hash: string | null;
    mac: Buffer | null;
  }>`
    SELECT l.seq, encode(l.hash, 'hex') AS hash,
      h.seq AS head_seq, encode(h.hash, 'hex') AS head_hash, h.mac
    FROM accounts a LEFT JOIN ledger_heads h ON h.account_id = a.id
      LEFT JOIN LATERAL (SELECT seq, hash FROM ledger WHERE account_id = a.id ORDER BY seq DESC LIMIT 1) l ON true
    WHERE a.id = ${account}`.execute(db);
  const row = rows[0];
  return {
    last: { seq: row?.seq ?? 0, hash: row?.hash ?? '' },
    // An account always has a head: without one, the end of the chain was cut off.
    head: { seq: row?.head_seq ?? -1, hash: row?.head_hash ?? '' },
    mac: row?.mac ?? null,
  };
}

/** The last verified row must still exist, with the same hash. */
async function atMark(
  db: Db,
  account: AccountId,
  mark: LedgerMark,
  { last }: ChainEnds,
): Promise<LedgerFault | null> {
  if (mark.seq === 0) return null;
  if (last.seq < mark.seq) return { kind: 'cut', seq: last.seq + 1 };
  const { rows } = await sql<{ hash: string | null; before: number; first: number }>`
    SELECT count(*) AS before, min(seq) AS first, max(encode(hash, 'hex')) FILTER (WHERE seq = ${mark.seq}) AS hash
    FROM ledger WHERE account_id = ${account} AND seq <= ${mark.seq}`.execute(db);
  const { hash = null, before = 0, first = 0 } = rows[0] ?? {};
  if (first < 1) return { kind: 'added', seq: first };
  if (before < mark.seq) return { kind: 'missing', seq: await firstMissing(db, account) };
  return hash === mark.hash ? null : { kind: 'rewritten', seq: mark.seq };
}

/** A head that this daemon saw committed must still be in the chain: otherwise the ledger was set back. */
async function atNewest(
  db: Db,
  account: AccountId,
  newest: LedgerMark,
  { last }: ChainEnds,
): Promise<LedgerFault | null> {
  if (newest.seq === 0) return null;
  if (last.seq < newest.seq) return { kind: 'cut', seq: last.seq + 1 };
  const row = await db
    .selectFrom('ledger')
    .select('hash')
    .where('account_id', '=', account)
    .where('seq', '=', newest.seq)
    .executeTakeFirst();
  return row?.hash.toString('hex') === newest.hash ? null : { kind: 'rewritten', seq: newest.seq };
}

const unsigned = ({ head }: ChainEnds): LedgerFault => ({ kind: 'unsigned', seq: head.seq });

async function firstMissing(db: Db, account: AccountId): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    SELECT expected AS seq FROM (SELECT seq, row_number() OVER (ORDER BY seq) AS expected
      FROM ledger WHERE account_id = ${account}) numbered
    WHERE seq <> expected ORDER BY seq LIMIT 1`.execute(db);
  return rows[0]?.seq ?? 1;
}

/** Each row after `from` must have the next number, and the hash of its content and of the previous row. */
async function alongChain(
  db: Db,
  account: AccountId,
  from: LedgerMark,
): Promise<LedgerFault | null> {
  const { rows } = await sql<{ seq: number; expected: number }>`
    SELECT seq, expected FROM (
      SELECT seq, ${from.seq}::bigint + row_number() OVER (ORDER BY seq) AS expected,
        hash = ledger_digest(coalesce(lag(hash) OVER (ORDER BY seq), decode(${from.hash}, 'hex')), seq, at, actor,
          action, subject_kind, subject_id, outcome, reason, detail) AS intact
      FROM ledger WHERE account_id = ${account} ${from.seq === 0 ? sql`` : sql`AND seq > ${from.seq}`}
    ) checked WHERE seq <> expected OR NOT intact ORDER BY seq LIMIT 1`.execute(db);
  const broken = rows[0];
  if (broken === undefined) return null;
  if (broken.seq > broken.expected) return { kind: 'missing', seq: broken.expected };
  return { kind: broken.seq < broken.expected ? 'added' : 'altered', seq: broken.seq };
}

function atHead({ last, head }: ChainEnds): LedgerFault | null {
  if (head.seq === last.seq)
    return head.hash === last.hash ? null : { kind: 'altered', seq: last.seq };
  return head.seq < last.seq && head.seq >= 0
    ? { kind: 'beyond', seq: head.seq + 1 }
    : { kind: 'cut', seq: last.seq + 1 };
}

/** A mark that this daemon did not sign is ignored: everything is recomputed. */
async function readMark(db: Db, account: AccountId): Promise<LedgerMark> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('account_id', '=', account)
    .where('key', '=', VERIFIED_MARK_KEY)
    .executeTakeFirst();
  const { success, data } = markSchema.safeParse(row?.value);
  if (!success) return LEDGER_START;
  const { seq, hash, mac } = data;
  const isSigned = sealOf(db).isSigned(Buffer.from(mac, 'hex'), 'ledger verified', [
    account,
    seq,
    hash,
  ]);
  return isSigned ? { seq, hash } : LEDGER_START;
}

async function writeMark(db: Db, account: AccountId, { seq, hash }: LedgerMark): Promise<void> {
  const mac = sealOf(db).sign('ledger verified', [account, seq, hash]).toString('hex');
  const value = JSON.stringify({ seq, hash, mac });
  await db
    .insertInto('settings')
    .values({ account_id: account, key: VERIFIED_MARK_KEY, value })
    .onConflict((on) => on.columns(['account_id', 'key']).doUpdateSet({ value }))
    .execute();
}

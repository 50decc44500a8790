// Appends to the ledger: what was decided, by whom, about what, and why. Rows are chained by hash per account, and the
// head carries a MAC. Call it inside the caller's transaction and late in it: the head stays locked until commit.
// Invariant: appending never signs a head that this daemon did not sign before. A change by hand stays visible, however
// much is appended afterwards.
import type { AccountId } from '@relay/contract/ids';
import type { LedgerDetail } from '@relay/core/ledger/rows';
import { type RawBuilder, sql } from 'kysely';
import { type Db, sealOf, type Transaction } from './database.ts';
import { type LedgerMark, type PermitFacts, permitFacts } from './seal.ts';

export interface LedgerEntry {
  readonly actor: string;
  readonly action: string;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly outcome: string;
  readonly reason: string;
  /** Ids, hashes and figures only, never text that somebody wrote. */
  readonly detail?: LedgerDetail | Readonly<Record<string, unknown>>;
}

export interface AddedLedgerRow {
  readonly seq: number;
  /** The statement that signs the head with this row in it; null after a head that was changed by hand. */
  readonly sealing: RawBuilder<unknown> | null;
}

export async function appendLedger(
  tx: Transaction,
  account: AccountId,
  entry: LedgerEntry,
): Promise<number> {
  const { seq, sealing } = await addLedgerRow(tx, account, entry);
  if (sealing !== null) await sealing.execute(tx);
  return seq;
}

/**
 * Saves a round trip for a caller that writes more: `sealing` must become part of the caller's next statement. `also`
 * is read in the same query, as columns of a SELECT.
 */
export async function addLedgerRow<Also extends object = object>(
  tx: Transaction,
  account: AccountId,
  entry: LedgerEntry,
  also?: RawBuilder<unknown>,
): Promise<AddedLedgerRow & { readonly also: Also }> {
  const { rows } = await sql<{
    seq: number;
    hash: Buffer;
    hash_before: Buffer;
    mac_before: Buffer | null;
  }>`SELECT added.* ${also === undefined ? sql`` : sql`, ${also}`}
    FROM ledger_add(${account}, ${entry.actor}, ${entry.action},
      ${entry.subject.kind}, ${entry.subject.id}, ${entry.outcome}, ${entry.reason},
      ${JSON.stringify(entry.detail ?? {})}::jsonb) AS added`.execute(tx);
  const row = rows[0];
  if (row === undefined) throw new Error('the ledger returned no number');
  const { seq, hash, hash_before, mac_before, ...rest } = row;
  const before = { seq: seq - 1, hash: hash_before.toString('hex') };
  const head = { account, seq, hash: hash.toString('hex') };
  const isOwn = isAppendedBy(tx, account, before) ?? acceptHead(tx, account, before, mac_before);
  appended.set(tx, { ...head, isOwn });
  const sealing = isOwn
    ? sql`UPDATE ledger_heads SET mac = ${sealOf(tx).signHead(account, head)}
        WHERE account_id = ${account} AND seq = ${seq}`
    : null;
  return { seq, sealing, also: rest as Also };
}

/** Remembers the committed head if this daemon signed it. */
export async function noteCommittedHead(db: Db, account: AccountId): Promise<void> {
  const row = await db
    .selectFrom('ledger_heads')
    .select(['seq', 'hash', 'mac'])
    .where('account_id', '=', account)
    .executeTakeFirst();
  if (row === undefined) return;
  acceptHead(db, account, { seq: row.seq, hash: row.hash.toString('hex') }, row.mac);
}

const acceptHead = (db: Db, account: AccountId, head: LedgerMark, mac: Buffer | null): boolean =>
  sealOf(db).acceptHead(account, head, mac);

/** The last row that a transaction has appended, not yet committed. */
const appended = new WeakMap<Transaction, LedgerMark & { account: AccountId; isOwn: boolean }>();

/** Null if this head is not of this transaction; otherwise whether the head before it was signed by this daemon. */
function isAppendedBy(tx: Transaction, account: AccountId, head: LedgerMark): boolean | null {
  const last = appended.get(tx);
  if (last?.account !== account || last.seq !== head.seq || last.hash !== head.hash) return null;
  return last.isOwn;
}

// Signs rows that this home has not signed yet: at the first start after an upgrade, and after an archive was restored.
// From then on nothing unsigned is trusted.

/**
 * Signs the head and the permits of all messages that may still be sent. Does nothing if the head is already signed.
 */
export async function signUnsignedRows(tx: Transaction, account: AccountId): Promise<void> {
  const seal = sealOf(tx);
  const found = await tx
    .selectFrom('ledger_heads')
    .select(['seq', 'hash', 'mac'])
    .where('account_id', '=', account)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const head = { seq: found.seq, hash: found.hash.toString('hex') };
  if (seal.isSignedHead(account, head, found.mac)) return;
  await sql`UPDATE ledger_heads SET mac = ${seal.signHead(account, head)}
    WHERE account_id = ${account}`.execute(tx);
  const { rows } = await sql<PermitFacts>`
    SELECT p.account_id, p.id, p.ledger_seq, p.actor, p.intent, p.chat_id, encode(p.content_hash, 'hex') AS hash,
      p.instance_id, p.instance_epoch, p.follow_up_after, p.approval_id, p.run_id, p.schedule_id, o.message_id
    FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
    WHERE o.account_id = ${account} AND o.state IN ('pending', 'unknown')`.execute(tx);
  const macs = rows.map((permit) => seal.sign('permit', permitFacts(permit)));
  await sql`UPDATE permits p SET mac = n.mac
    FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${macs}::bytea[]) AS n(id, mac)
    WHERE p.account_id = ${account} AND p.id = n.id`.execute(tx);
}

// The last moment before a message leaves: in one transaction, under the lease, everything that may stop it
// is asked again, and the attempt is written down before it is made. After a kill it is known which
// messages may have left.
import type { OutboxId } from '@relay/core/ids';
import { activeFreeze } from '@relay/core/outbox/freeze';
import { nextFirstContactAt, nextSendAt } from '@relay/core/outbox/pacing';
import type { Delivery, Pacing } from '@relay/core/settings';
import { sql } from 'kysely';
import type { Reader, Transaction } from '../store/database.ts';
import type { Lease } from '../store/lease.ts';
import { fence } from '../store/lease.ts';
import { readFreezes } from './freezes.ts';
import type { ReadyRow } from './ready.ts';
import { findReady, sendingsOf } from './ready.ts';
import type { RecordSent } from './settle.ts';
import { lockRow, settle } from './settle.ts';

/** Whether what permitted a message still does. */
export type Recheck = (tx: Transaction, row: ReadyRow) => Promise<Verdict>;

export type Verdict =
  | { readonly verdict: 'go' }
  /** For now nothing leaves at all. */
  | { readonly verdict: 'wait' }
  | { readonly verdict: 'stop'; readonly sentence: string };

export interface ClaimOptions {
  readonly db: Reader;
  readonly lease: Lease;
  readonly pacing: Pacing;
  readonly delivery: Delivery;
  readonly recheck: Recheck;
  readonly recordSent: RecordSent;
}

export interface Claiming {
  readonly now: Date;
  readonly room: number;
  readonly inFlight: readonly OutboxId[];
  readonly reconciled: boolean;
  /** What the link says of first contacts at this moment, also before it stands in a row. */
  readonly timeLockedUntil: Date | null;
  /** The one that was typed for; `unneeded` when messages leave without typing. */
  readonly typed: OutboxId | 'nobody' | 'unneeded';
}

export interface Claimed {
  /** To be handed to the wire now, in this order. */
  readonly rows: readonly ReadyRow[];
  /** Would be next, but somebody has to be seen typing it first. */
  readonly toType: ReadyRow | null;
  /** When to look again at the latest; null: when there is something new. */
  readonly again: Date | null;
}

const NOTHING: Claimed = { rows: [], toType: null, again: null };

const NO_ADDRESS = 'No address is known for this contact, so there is nowhere to send it to.';

export async function claim(options: ClaimOptions, claiming: Claiming): Promise<Claimed> {
  return options.db.transaction().execute(async (tx) => {
    await fence(tx, options.lease);
    const pace = await paceNow(tx, options, claiming);
    if (pace.from > claiming.now) return { ...NOTHING, again: pace.from };
    const ready = await findReady(tx, options.lease.account, {
      ...claiming,
      firstContacts: pace.firstContacts,
      horizon: new Date(claiming.now.getTime() - options.delivery.reoffer_within_ms),
    });
    const rows: ReadyRow[] = [];
    for (const row of ready) {
      const verdict = await ask(tx, options, row);
      if (verdict.verdict === 'wait') return { ...NOTHING, rows };
      if (verdict.verdict === 'stop') {
        await stop(tx, options, row, verdict.sentence, claiming.now);
        continue;
      }
      const typed = claiming.typed === 'unneeded' || claiming.typed === row.id;
      if (!typed) return { rows, toType: row, again: null };
      await attempt(tx, options.lease, row, claiming.now);
      rows.push(row);
    }
    // Some were stopped: there may be more behind them.
    return { ...NOTHING, rows, again: rows.length < ready.length ? claiming.now : null };
  });
}

interface Pace {
  readonly from: Date;
  readonly firstContacts: 'open' | 'closed';
}

async function paceNow(
  tx: Transaction,
  { lease, pacing }: ClaimOptions,
  { now, timeLockedUntil }: Claiming,
): Promise<Pace> {
  const freezes = await readFreezes(tx, lease.account);
  const everything = activeFreeze(freezes, 'everything', now);
  if (everything !== null) return { from: everything.until, firstContacts: 'closed' };
  const history = pacing.enabled ? await sendingsOf(tx, lease.account, now) : [];
  const first = nextFirstContactAt(history, pacing, now);
  const closed =
    activeFreeze(freezes, 'first_contacts', now) !== null ||
    (timeLockedUntil !== null && timeLockedUntil > now) ||
    first === null ||
    first > now;
  return {
    from: nextSendAt(history, pacing, now),
    firstContacts: closed ? 'closed' : 'open',
  };
}

const ask = (tx: Transaction, { recheck }: ClaimOptions, row: ReadyRow): Promise<Verdict> =>
  row.address === null
    ? Promise.resolve({ verdict: 'stop', sentence: NO_ADDRESS })
    : recheck(tx, row);

async function attempt(
  tx: Transaction,
  { account }: Lease,
  row: ReadyRow,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({
      attempts: sql<number>`attempts + 1`,
      attempted_at: now,
      in_doubt: true,
      first_contact: row.first_contact,
    })
    .where('account_id', '=', account)
    .where('id', '=', row.id)
    .execute();
}

async function stop(
  tx: Transaction,
  { lease, recordSent }: ClaimOptions,
  { id }: ReadyRow,
  sentence: string,
  at: Date,
): Promise<void> {
  const row = await lockRow(tx, lease.account, { id });
  if (row === undefined) return;
  await settle(tx, row, { event: { type: 'stopped' }, at, sentence }, recordSent);
}

// The last moment before a message leaves: in one transaction, under the lease, everything that may stop it
// is asked again, and the attempt is written down before it is made. After a kill it is known which
// messages may have left.
import type { OutboxId } from '@relay/core/ids';
import type { StopReason } from '@relay/core/ledger/stops';
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
import type { Aftermath, Happened } from './settle.ts';
import { settle } from './settle.ts';
import { recordStops } from './stops.ts';

/** Whether what permitted each message still does, in the order they were given. */
export type Recheck = (tx: Transaction, rows: readonly ReadyRow[]) => Promise<readonly Verdict[]>;

export type Verdict =
  | { readonly verdict: 'go' }
  /** For now nothing leaves at all. */
  | { readonly verdict: 'wait' }
  /** `lost`: nobody meant to stop it, and its conversation should not wait for an answer to it. */
  | {
      readonly verdict: 'stop';
      /** As the ledger keeps it; and as people are told. */
      readonly reason: StopReason;
      readonly sentence: string;
      readonly lost?: true;
    };

export interface ClaimOptions {
  readonly db: Reader;
  readonly lease: Lease;
  readonly pacing: Pacing;
  readonly delivery: Delivery;
  readonly recheck: Recheck;
  readonly aftermath: Aftermath;
}

export interface Claiming {
  readonly now: Date;
  readonly room: number;
  readonly inFlight: readonly OutboxId[];
  readonly reconciled: boolean;
  /** What the link says of first contacts at this moment, also before it stands in a row. */
  readonly timeLockedUntil: Date | null;
  /** Whether numbers of first contacts are checked: `later` while WhatsApp did not answer, `never` where it cannot. */
  readonly checkNumbers?: 'now' | 'later' | 'never';
  /** The one that was typed for; `unneeded` when messages leave without typing. */
  readonly typed: OutboxId | 'nobody' | 'unneeded';
}

export interface Claimed {
  /** To be handed to the wire now, in this order. */
  readonly rows: readonly ReadyRow[];
  /** Would be next, but somebody has to be seen typing it first. */
  readonly toType: ReadyRow | null;
  /** Would be next, but WhatsApp has to be asked first whether these addresses are registered. */
  readonly toCheck: readonly string[];
  /** Some may no longer be sent, and say so. */
  readonly stopped: boolean;
  /** When to look again at the latest; null: when there is something new. */
  readonly again: Date | null;
}

export const NOTHING: Claimed = {
  rows: [],
  toType: null,
  toCheck: [],
  stopped: false,
  again: null,
};

const NO_ADDRESS = 'No address is known for this contact, so there is nowhere to send it to.';

export async function claim(options: ClaimOptions, claiming: Claiming): Promise<Claimed> {
  return options.db.transaction().execute(async (tx) => {
    await fence(tx, options.lease);
    const pace = await paceNow(tx, options, claiming);
    if (pace.from > claiming.now) return { ...NOTHING, again: pace.from };
    const ready = await findReady(tx, options.lease.account, {
      ...claiming,
      firstContacts:
        pace.firstContacts === 'open' && claiming.checkNumbers === 'later'
          ? 'checked'
          : pace.firstContacts,
      horizon: new Date(claiming.now.getTime() - options.delivery.reoffer_within_ms),
    });
    const verdicts = ready.length === 0 ? [] : await options.recheck(tx, ready);
    const checks = claiming.checkNumbers === 'now';
    const sorted = sort(ready, verdicts, checks);
    await stop(tx, options, sorted.stopped, claiming.now);
    const [next] = sorted.going;
    const typed = claiming.typed === 'unneeded' || claiming.typed === next?.id;
    const stopped = sorted.stopped.length > 0;
    const goes = next === undefined || typed;
    if (goes) await attempt(tx, options.lease, sorted.going, claiming.now);
    // Last, because the ledger stays locked from here to the commit.
    await recordStops(tx, options.lease.account, sorted.stopped);
    const { toCheck } = sorted;
    if (!goes) return { ...NOTHING, stopped, toCheck, toType: next };
    // There may be more behind those that were stopped.
    const again = stopped ? claiming.now : null;
    return { rows: sorted.going, toType: null, toCheck, stopped, again };
  });
}

interface Stopped {
  readonly row: ReadyRow;
  readonly event: Happened['event'];
  readonly reason: StopReason;
  readonly sentence: string;
  readonly lost: boolean;
}

const STOPPED = { type: 'stopped' } as const;

/** Nobody stopped it; but one that may have left already is not said to have failed for that. */
const unreachable = ({ state }: ReadyRow): Happened['event'] =>
  state === 'pending' ? { type: 'not_sent', last: true } : STOPPED;

/** Everything behind one that waits waits with it. */
function sort(ready: readonly ReadyRow[], verdicts: readonly Verdict[], checks: boolean) {
  const going: ReadyRow[] = [];
  const toCheck = new Set<string>();
  const stopped: Stopped[] = [];
  for (const [index, row] of ready.entries()) {
    const verdict = verdicts[index];
    if (verdict === undefined || verdict.verdict === 'wait') break;
    if (verdict.verdict === 'stop')
      stopped.push({
        row,
        event: STOPPED,
        reason: verdict.reason,
        sentence: verdict.sentence,
        lost: verdict.lost ?? false,
      });
    else if (row.address === null)
      stopped.push({
        row,
        event: unreachable(row),
        reason: 'no_address',
        sentence: NO_ADDRESS,
        lost: true,
      });
    else if (checks && row.unchecked) toCheck.add(row.address);
    else going.push(row);
  }
  return { going, stopped, toCheck: [...toCheck] };
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

async function attempt(
  tx: Transaction,
  { account }: Lease,
  rows: readonly ReadyRow[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  // Of several that leave together to somebody new, the first alone opens the chat.
  const opens = rows.map(
    (row, at) => row.first_contact && rows.findIndex((one) => one.chat_id === row.chat_id) === at,
  );
  await sql`UPDATE outbox o SET attempts = o.attempts + 1, attempted_at = ${now}, in_doubt = true,
      first_contact = n.first_contact
    FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${opens}::boolean[])
      AS n(id, first_contact)
    WHERE o.account_id = ${account} AND o.id = n.id`.execute(tx);
}

async function stop(
  tx: Transaction,
  { lease, aftermath }: ClaimOptions,
  stopped: readonly Stopped[],
  at: Date,
): Promise<void> {
  if (stopped.length === 0) return;
  const outcomes = stopped.map(({ row, event, sentence, lost }) => ({
    of: { id: row.id },
    is: (): Happened => ({ event, at, sentence, lost }),
  }));
  await settle(tx, lease.account, outcomes, aftermath);
}

// Follows the event log while the daemon runs, after the transactions that write it and never in them. It is idle while
// nobody wants events, and continues when somebody does.
// The position is saved in the transaction of what was made from the events, so that none is used twice or skipped,
// also across kills.

import type { StreamEvent } from '@relay/contract/api/events';
import type { AccountId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { sql } from 'kysely';
import { type NextLook, PollLoop } from '../poll-loop.ts';
import type { Transaction } from './database.ts';
import { PostgresEventLog } from './events.ts';
import { type LeasedDb, transaction } from './transaction.ts';

/** Who follows the log. What it makes of the events is written in the transaction of the position. */
export interface FollowSource<Wanted> extends LeasedDb {
  /** For the log. */
  readonly name: string;
  readonly table: ProgressTable;
  readonly events: PostgresEventLog;
  readonly log: Log;
  /** What is wanted now; null while nobody wants events. */
  wanted(tx: Transaction): Promise<Wanted | null>;
  /** Stores and queues what the events bring; returns how much that is. */
  deliver(tx: Transaction, events: readonly StreamEvent[], wanted: Wanted): Promise<number>;
  /** Called after a commit that queued something. */
  wake(): void;
}

/** `idle` while nobody wants events; `held back` while an event is there that an older transaction keeps unseen. */
type FollowedEvents = 'idle' | 'held back' | 'more' | 'all';

/** Reads at most this many events and moves the position. */
export function followNextEvents<Wanted>(
  source: FollowSource<Wanted>,
  limit: number,
): Promise<FollowedEvents> {
  const { db, lease, table } = source;
  const { account } = lease;
  // Without `events`: this follows the log, and its own commit would wake it again.
  return transaction({ db, lease }, async ({ tx, afterCommit }) => {
    const wanted = await source.wanted(tx);
    if (wanted === null) return 'idle';
    const from = await lockFollowCursor(tx, table, account);
    if (from === null) {
      await beginFollowingNow(tx, table, account);
      return 'all';
    }
    const log = new PostgresEventLog(tx, account);
    const events = await log.read(from, limit);
    const made = await source.deliver(tx, events, wanted);
    const last = events.at(-1);
    if (last !== undefined) await saveFollowCursor(tx, table, account, last.cursor);
    if (made > 0) afterCommit.push(() => source.wake());
    if (events.length === limit) return 'more';
    return (await log.hasLater(last?.cursor ?? from)) ? 'held back' : 'all';
  });
}

const BATCH = 200;
/** An event that waits for an older transaction is not seen at its hint, so it is looked for until it is. */
export const HELD_BACK_MS = 2_000;
const FOLLOW_RETRY_MS = 2_000;

export class EventFollower {
  readonly #source: Pick<FollowSource<unknown>, 'events'>;
  readonly #follow: () => Promise<FollowedEvents>;
  readonly #loop: PollLoop;
  #idle = false;
  #unsubscribe: () => void = () => {};

  constructor(source: FollowSource<unknown>) {
    this.#source = source;
    this.#follow = () => followNextEvents(source, BATCH);
    this.#loop = new PollLoop({
      look: () => this.#look(),
      failed: (error) => {
        source.log.warn('event follower failed; retrying', { error, reason: source.name });
        return FOLLOW_RETRY_MS;
      },
    });
  }

  start(): void {
    this.#unsubscribe = this.#source.events.subscribe(() => {
      if (!this.#idle) this.#loop.hint();
    });
    this.#loop.start();
  }

  /** Call when somebody may want events now, also if that was said to another process. */
  resume(): void {
    this.#idle = false;
    this.#loop.hint();
  }

  stop(): Promise<void> {
    this.#unsubscribe();
    return this.#loop.stop();
  }

  async #look(): Promise<NextLook> {
    this.#idle = false;
    const followed = await this.#follow();
    if (followed === 'more') return 'more';
    this.#idle = followed === 'idle';
    return followed === 'held back' ? HELD_BACK_MS : Number.POSITIVE_INFINITY;
  }
}

/** The tables that hold a position. */
type ProgressTable = 'webhook_progress' | 'notification_progress';

/**
 * Starts at this moment: while nobody wants events nothing follows the log, so what was written before the caller's
 * transaction began is not used.
 */
export async function beginFollowingNow(
  tx: Transaction,
  table: ProgressTable,
  account: AccountId,
): Promise<void> {
  await sql`INSERT INTO ${sql.table(table)} (account_id, cursor)
    VALUES (${account}, pg_current_xact_id()::text || '-0')
    ON CONFLICT (account_id) DO UPDATE SET cursor = excluded.cursor`.execute(tx);
}

/** Null when nothing was followed yet, or when the position is from another database with other transaction ids. */
async function lockFollowCursor(
  tx: Transaction,
  table: ProgressTable,
  account: AccountId,
): Promise<string | null> {
  const { rows } = await sql<{ cursor: string; ours: boolean }>`
    SELECT cursor, split_part(cursor, '-', 1)::xid8 <= pg_current_xact_id() AS ours
    FROM ${sql.table(table)} WHERE account_id = ${account} FOR UPDATE`.execute(tx);
  return rows[0]?.ours === true ? rows[0].cursor : null;
}

async function saveFollowCursor(
  tx: Transaction,
  table: ProgressTable,
  account: AccountId,
  cursor: string,
): Promise<void> {
  await sql`UPDATE ${sql.table(table)} SET cursor = ${cursor} WHERE account_id = ${account}`.execute(
    tx,
  );
}

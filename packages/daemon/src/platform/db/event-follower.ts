// Follows the event log while the daemon runs, after the transactions that write it and never in them. It is idle while
// nobody wants events, and continues when somebody does.
// The position is saved in the transaction of what was made from the events, so that none is used twice or skipped,
// also across kills.

import type { AccountId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { sql } from 'kysely';
import { type NextLook, PollLoop } from '../poll-loop.ts';
import type { Transaction } from './database.ts';
import type { PostgresEventLog } from './events.ts';

/** How many events were read; `idle` while nobody wants any. */
export type FollowedEvents = number | 'idle';

interface EventFollowerOptions {
  /** Of whoever follows, for the log. */
  readonly name: string;
  readonly events: PostgresEventLog;
  readonly log: Log;
  /** Reads at most this many events and moves the position. */
  follow(limit: number): Promise<FollowedEvents>;
}

const BATCH = 200;
/** Polling interval in case a hint is lost. */
const POLL_MS = 2_000;

export class EventFollower {
  readonly #options: EventFollowerOptions;
  readonly #loop: PollLoop;
  #idle = false;
  #unsubscribe: () => void = () => {};

  constructor(options: EventFollowerOptions) {
    this.#options = options;
    this.#loop = new PollLoop({
      look: () => this.#look(),
      failed: (error) => {
        options.log.warn('event follower failed; retrying', { error, reason: options.name });
        return POLL_MS;
      },
    });
  }

  start(): void {
    this.#unsubscribe = this.#options.events.subscribe(() => {
      if (!this.#idle) this.#loop.hint();
    });
    this.#loop.start();
  }

  /** Call when somebody may want events now. */
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
    const followed = await this.#options.follow(BATCH);
    if (followed === BATCH) return 'more';
    this.#idle = followed === 'idle';
    return this.#idle ? Number.POSITIVE_INFINITY : POLL_MS;
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
export async function lockFollowCursor(
  tx: Transaction,
  table: ProgressTable,
  account: AccountId,
): Promise<string | null> {
  const { rows } = await sql<{ cursor: string; ours: boolean }>`
    SELECT cursor, split_part(cursor, '-', 1)::xid8 <= pg_current_xact_id() AS ours
    FROM ${sql.table(table)} WHERE account_id = ${account} FOR UPDATE`.execute(tx);
  return rows[0]?.ours === true ? rows[0].cursor : null;
}

export async function saveFollowCursor(
  tx: Transaction,
  table: ProgressTable,
  account: AccountId,
  cursor: string,
): Promise<void> {
  await sql`UPDATE ${sql.table(table)} SET cursor = ${cursor} WHERE account_id = ${account}`.execute(
    tx,
  );
}

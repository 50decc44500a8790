// Timers: one table holds what is to happen later, at most one timer of a kind for a subject. The clock turns due
// timers into jobs in one transaction, so that a timer is never lost and never fires twice. Due times are compared with
// the clock that set them, never with the database's clock.

import type { AccountId } from '@relay/contract/ids';
import { chatId, instanceId, scheduleId, sessionId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Transaction } from '../db/database.ts';
import type { Lease } from '../db/lease.ts';
import { transaction } from '../db/transaction.ts';
import { type NextLook, PollLoop } from '../poll-loop.ts';
import type { Jobs } from './jobs.ts';
import type { QueueName } from './queues.ts';

/** Which part of Relay a timer belongs to. Persisted. */
type TimerKind = 'heartbeat' | 'schedule' | 'auto_reply' | 'digest';

export interface Timer {
  readonly account: AccountId;
  readonly kind: TimerKind;
  /** The id of what it belongs to. */
  readonly subject: string;
  /** The epoch it was set in; its handler discards it once that epoch is over. */
  readonly epoch: number;
}

/** Replaces an earlier timer of the same kind and subject, inside the caller's transaction. */
export async function setTimer(tx: Transaction, timer: Timer, dueAt: Date): Promise<void> {
  await setTimerSql(timer, dueAt).execute(tx);
}

export async function clearTimer(
  tx: Transaction,
  account: AccountId,
  kind: TimerKind,
  subject: string,
): Promise<void> {
  await clearTimerSql(account, kind, subject).execute(tx);
}

/** The same as a statement, for a caller that combines several writes. */
export const setTimerSql = (timer: Timer, dueAt: Date): RawBuilder<unknown> => sql`
  INSERT INTO timers (account_id, kind, subject_id, epoch, due_at)
  VALUES (${timer.account}, ${timer.kind}, ${timer.subject}, ${timer.epoch}, ${dueAt})
  ON CONFLICT (account_id, kind, subject_id)
    DO UPDATE SET epoch = excluded.epoch, due_at = excluded.due_at`;

export const clearTimerSql = (
  account: AccountId,
  kind: TimerKind,
  subject: string,
): RawBuilder<unknown> => sql`
  DELETE FROM timers WHERE account_id = ${account} AND kind = ${kind} AND subject_id = ${subject}`;

/** Enqueues the jobs for due timers. */
export type OnTimersDue = (tx: Transaction, timers: readonly Timer[]) => Promise<void>;

const BATCH = 200;
/** Also the longest time for which a clock change or a sleeping machine goes unnoticed. */
const LONGEST_SLEEP_MS = 500;

interface TimerClockOptions {
  readonly db: Db;
  readonly lease: Lease;
  readonly now: () => Date;
  readonly onDue: OnTimersDue;
  /** Called before due timers fire. */
  readonly beforeFiring?: () => Promise<void>;
  /** Called after due timers have become jobs. */
  readonly onFired: () => void;
  /** Called when the clock was set back. */
  readonly onPutBack?: () => Promise<unknown>;
  readonly log: Log;
}

/** Smaller steps are normal clock corrections. */
const PUT_BACK_MS = 2_000;

export class TimerClock {
  readonly #options: TimerClockOptions;
  /** How far the clock was ahead of the monotonic time at the last check. */
  #ahead: number;
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => {
      this.#options.log.warn('timer clock failed; retrying', { error });
      return LONGEST_SLEEP_MS;
    },
  });

  constructor(options: TimerClockOptions) {
    this.#options = options;
    this.#ahead = this.#aheadNow();
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #look(): Promise<NextLook> {
    await this.#noticePutBack();
    await this.#options.beforeFiring?.();
    const fired = await this.fire();
    return fired === BATCH ? 'more' : this.#untilNext();
  }

  #aheadNow(): number {
    return this.#options.now().getTime() - performance.now();
  }

  async #noticePutBack(): Promise<void> {
    const ahead = this.#aheadNow();
    const by = this.#ahead - ahead;
    if (by > PUT_BACK_MS) {
      this.#options.log.warn('system clock was set back', { ms: Math.round(by) });
      await this.#options.onPutBack?.();
    }
    this.#ahead = ahead;
  }

  /** Turns due timers into jobs, at most one batch; returns how many. */
  async fire(): Promise<number> {
    const { lease, now, onDue, onFired } = this.#options;
    const count = await transaction(this.#options, async ({ tx }) => {
      // SKIP LOCKED: a transition that is replacing its timer goes first.
      const { rows } = await sql<{
        account_id: AccountId;
        kind: TimerKind;
        subject_id: string;
        epoch: number;
      }>`
        DELETE FROM timers WHERE (account_id, kind, subject_id) IN (
          SELECT account_id, kind, subject_id FROM timers t WHERE account_id = ${lease.account} AND due_at <= ${now()}
            AND (kind <> 'heartbeat' OR NOT EXISTS (SELECT FROM accounts a
              WHERE a.id = t.account_id AND a.follow_ups_suspended_since IS NOT NULL))
          ORDER BY due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
        RETURNING account_id, kind, subject_id, epoch`.execute(tx);
      const timers = rows.map((row) => ({
        account: row.account_id,
        kind: row.kind,
        subject: row.subject_id,
        epoch: row.epoch,
      }));
      if (timers.length > 0) await onDue(tx, timers);
      return timers.length;
    });
    if (count > 0) onFired();
    return count;
  }

  async #untilNext(): Promise<number> {
    const { db, now } = this.#options;
    const next = await db
      .selectFrom('timers')
      .select('due_at')
      .orderBy('due_at')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return LONGEST_SLEEP_MS;
    return Math.min(LONGEST_SLEEP_MS, Math.max(5, next.due_at.getTime() - now().getTime()));
  }
}

/** The queues that timers add jobs to. */
export const TIMER_QUEUES = [
  'conversation',
  'schedule',
  'auto_reply',
  'digest',
] as const satisfies QueueName[];

/** Turns due timers into jobs of the queues they belong to. */
export function enqueueDueTimers(jobs: Jobs): OnTimersDue {
  return async (tx, timers) => {
    const of = (wanted: TimerKind) => timers.filter(({ kind }) => kind === wanted);
    const keyed = <Data>({ account, subject }: Timer, data: Data) => ({
      key: `${account}:${subject}`,
      data,
    });
    await jobs.enqueue(
      tx,
      'conversation',
      of('heartbeat').map((timer) => {
        const { account, epoch } = timer;
        const subject = instanceId(timer.subject);
        return keyed(timer, { account, subject, epoch, wake: 'heartbeat' as const });
      }),
    );
    await jobs.enqueue(
      tx,
      'schedule',
      of('schedule').map((timer) => {
        const { account, epoch } = timer;
        return keyed(timer, { account, subject: scheduleId(timer.subject), epoch });
      }),
    );
    await jobs.enqueue(
      tx,
      'auto_reply',
      of('auto_reply').map((timer) =>
        keyed(timer, { account: timer.account, subject: sessionId(timer.subject) }),
      ),
    );
    await jobs.enqueue(
      tx,
      'digest',
      of('digest').map((timer) =>
        keyed(timer, { account: timer.account, subject: chatId(timer.subject) }),
      ),
    );
  };
}

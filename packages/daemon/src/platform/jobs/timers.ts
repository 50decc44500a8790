// Timers: one table holds what is to happen later, at most one timer of a kind for a subject. The clock turns due
// timers into jobs in one transaction, so that a timer is never lost and never fires twice. Due times are compared with
// the clock that set them, never with the database's clock.

import type { AccountId } from '@relay/contract/ids';
import { chatId, instanceId, scheduleId, sessionId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { type Db, onCommit, type Transaction } from '../db/database.ts';
import type { PostgresEventLog } from '../db/events.ts';
import type { Lease } from '../db/lease.ts';
import { transaction } from '../db/transaction.ts';
import { type NextLook, PollLoop } from '../poll-loop.ts';
import { everyMs } from '../shared-interval.ts';
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
  await onCommit(tx, () => {
    hintTimerClock(timer.account);
  });
}

export async function clearTimer(
  tx: Transaction,
  account: AccountId,
  kind: TimerKind,
  subject: string,
): Promise<void> {
  await clearTimerSql(account, kind, subject).execute(tx);
}

/** The same as a statement, for a caller that combines several writes and hints at the account's events. */
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

/** Of a timer `t`: follow-up clocks may be suspended. */
const MAY_FIRE = sql`(t.kind <> 'heartbeat' OR NOT EXISTS (SELECT FROM accounts a
  WHERE a.id = t.account_id AND a.follow_ups_suspended_since IS NOT NULL))`;

const BATCH = 200;
/** How often clocks are compared with the time, in memory: a clock change or a sleeping machine is noticed by then. */
const TICK_MS = 500;
/** After something happened for the account, timers may have been set: they are read again within this time. */
const GATHER_MS = 200;

interface TimerClockOptions {
  readonly db: Db;
  readonly lease: Lease;
  readonly now: () => Date;
  readonly onDue: OnTimersDue;
  /** Called with each look. Returns false if it has to be called again soon: for as long as timers exist. */
  readonly beforeFiring?: () => Promise<boolean>;
  /** Something happened for the account. */
  readonly events?: Pick<PostgresEventLog, 'subscribe'>;
  /** Called after due timers have become jobs. */
  readonly onFired: () => void;
  /** Called when the clock was set back. */
  readonly onPutBack?: () => Promise<unknown>;
  readonly log: Log;
}

/** Smaller steps are normal clock corrections. */
const PUT_BACK_MS = 2_000;

/** The running clocks of this process. */
const running = new Set<TimerClock>();

/** A timer of the account may have been set, here or in another process. */
export function hintTimerClock(account: AccountId): void {
  for (const clock of running) if (clock.account === account) clock.hint();
}

export class TimerClock {
  readonly #options: TimerClockOptions;
  /** How far the clock was ahead of the monotonic time at the last check. */
  #ahead: number;
  /** When the next timer is due, or a check has to be repeated; in milliseconds. */
  #nextAt = Number.POSITIVE_INFINITY;
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => {
      this.#options.log.warn('timer clock failed; retrying', { error });
      return TICK_MS;
    },
  });
  /** As far as the last look has shown. */
  #hasTimers = true;
  #unsubscribe: () => void = () => {};
  #stopTicking: () => void = () => {};
  /** Until a time before the next tick. */
  #soon: NodeJS.Timeout | undefined;

  constructor(options: TimerClockOptions) {
    this.#options = options;
    this.#ahead = this.#aheadNow();
  }

  get account(): AccountId {
    return this.#options.lease.account;
  }

  start(): void {
    this.#unsubscribe = this.#options.events?.subscribe(() => this.hint()) ?? (() => {});
    this.#loop.start();
    running.add(this);
    this.#stopTicking = everyMs(TICK_MS, () => this.#tick());
  }

  stop(): Promise<void> {
    this.#unsubscribe();
    running.delete(this);
    this.#stopTicking();
    clearTimeout(this.#soon);
    return this.#loop.stop();
  }

  /** A timer may have been set, or what decides about them may have changed. */
  hint(): void {
    const soon = this.#options.now().getTime() + GATHER_MS;
    this.#nextAt = Math.min(this.#nextAt, soon);
  }

  /** Looks if it is time. Costs nothing otherwise. */
  #tick(): void {
    const left = this.#nextAt - this.#options.now().getTime();
    if (left <= 0 || this.#ahead - this.#aheadNow() > PUT_BACK_MS) this.#loop.hint();
    else if (left < TICK_MS) this.#soon ??= setTimeout(() => this.#lookSoon(), left);
  }

  #lookSoon(): void {
    this.#soon = undefined;
    this.#loop.hint();
  }

  async #look(): Promise<NextLook> {
    this.#nextAt = Number.POSITIVE_INFINITY;
    await this.#noticePutBack();
    // Most accounts have no timers, and something happens for them all the time.
    if (!this.#hasTimers && !(await this.#next()).any) return Number.POSITIVE_INFINITY;
    const isSettled = (await this.#options.beforeFiring?.()) ?? true;
    const { due, any } = await this.#next();
    this.#hasTimers = any;
    const now = this.#options.now().getTime();
    const isDue = due !== null && due <= now;
    if (isDue && (await this.fire()) > 0) return 'more';
    if (!any) return Number.POSITIVE_INFINITY;
    // One that is due and does not fire is locked.
    const later = isDue || !isSettled ? now + TICK_MS : Number.POSITIVE_INFINITY;
    const again = Math.min(later, isDue ? later : (due ?? later));
    this.#nextAt = Math.min(this.#nextAt, again);
    // Sooner than the next tick.
    return again - now <= TICK_MS ? Math.max(1, again - now) : Number.POSITIVE_INFINITY;
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
    const { db, lease, now, onDue, onFired } = this.#options;
    const count = await transaction({ db, lease }, async ({ tx }) => {
      // SKIP LOCKED: a transition that is replacing its timer goes first.
      const { rows } = await sql<{
        account_id: AccountId;
        kind: TimerKind;
        subject_id: string;
        epoch: number;
      }>`
        DELETE FROM timers WHERE (account_id, kind, subject_id) IN (
          SELECT account_id, kind, subject_id FROM timers t WHERE account_id = ${lease.account} AND due_at <= ${now()}
            AND ${MAY_FIRE}
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

  /** When the next timer that may fire is due, in milliseconds, and whether there is any timer. */
  async #next(): Promise<{ readonly due: number | null; readonly any: boolean }> {
    const { db, lease } = this.#options;
    const { rows } = await sql<{ due: Date | null; any: boolean }>`
      SELECT (SELECT due_at FROM timers t WHERE account_id = ${lease.account} AND ${MAY_FIRE}
          ORDER BY due_at LIMIT 1) AS due,
        EXISTS (SELECT FROM timers WHERE account_id = ${lease.account}) AS any`.execute(db);
    return { due: rows[0]?.due?.getTime() ?? null, any: rows[0]?.any ?? false };
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

// Test fixture: schedules on a real database, with a clock the test moves and a daemon it can restart.

import type { CatchUp } from '@relay/contract/api/constants';
import type { Schedule } from '@relay/contract/api/schedules';
import { scheduleId } from '@relay/contract/ids';
import { type DaemonHarness, newPhone, openDaemonHarness } from '@relay/testing/daemon-harness';
import { freshStore, type TestStore } from '@relay/testing/store';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

type Which = Pick<Schedule, 'id'>;
interface More {
  readonly catch_up?: CatchUp;
  readonly zone?: string;
  readonly to?: string;
  readonly text?: string;
}

export interface ScheduleFixture extends TestStore {
  readonly now: () => Date;
  /** The running daemon. */
  harness(): DaemonHarness;
  create(when: string, more?: More): Promise<Schedule>;
  cancel(which: Which): Promise<Schedule>;
  /** Restarts the daemon; the clock advances by `away` meanwhile. */
  restart(away?: number): Promise<void>;
  /** Sets the clock and waits until everything due has run. */
  moveTo(iso: string): Promise<void>;
  jump(ms: number): Promise<void>;
  /** The number of its messages in the outbox. */
  sent(which: Which): Promise<number>;
  /** For example: 02-02T08:00 queued. */
  runs(which: Which): Promise<string[]>;
  shown(which: Which): Promise<Schedule>;
  /** Whether permitted messages are sent as soon as the clock moves; the default is `here`. */
  whatsapp(is: 'here' | 'away'): void;
  /** Cancels all schedules. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openScheduleFixture(begin: string): Promise<ScheduleFixture> {
  let reachable = true;
  const store = await freshStore();
  let time = Date.parse(begin);
  const now = () => new Date(time);
  let harness = await openDaemonHarness(store, { now });
  const moveTo = async (iso: string) => {
    time = Date.parse(iso);
    await harness.quiet();
    if (reachable) await store.sql("UPDATE outbox SET state = 'sent' WHERE state = 'pending'");
  };
  const cancel = ({ id }: Which) => harness.schedules.service.cancel(scheduleId(id));
  return {
    ...store,
    now,
    harness: () => harness,
    create: (when, more = {}) =>
      harness.schedules.service.create({ to: newPhone(), text: 'Drink water', when, ...more }),
    cancel,
    restart: async (away = 0) => {
      await harness.close();
      time += away;
      harness = await openDaemonHarness(store, { now });
      await harness.quiet();
    },
    moveTo,
    jump: (ms) => moveTo(new Date(time + ms).toISOString()),
    sent: async ({ id }) =>
      (
        await store.sql(
          `SELECT 1 FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
           WHERE p.schedule_id = $1 AND p.actor = 'scheduler'`,
          [id],
        )
      ).length,
    runs: async ({ id }) =>
      (
        await store.sql<{ due_at: Date; outcome: string; count: number }>(
          'SELECT due_at, outcome, count FROM schedule_runs WHERE schedule_id = $1 ORDER BY due_at',
          [id],
        )
      ).map(
        ({ due_at, outcome, count }) =>
          `${due_at.toISOString().slice(5, 16)} ${outcome}${count === 1 ? '' : ` ×${count}`}`,
      ),
    shown: async ({ id }) => {
      const found = (await harness.schedules.service.list('all')).find((each) => each.id === id);
      if (found === undefined) throw new Error('gone');
      return found;
    },
    whatsapp: (is) => {
      reachable = is === 'here';
    },
    clear: async () => {
      for (const each of await harness.schedules.service.list('active')) await cancel(each);
    },
    close: () => harness.close(),
  };
}

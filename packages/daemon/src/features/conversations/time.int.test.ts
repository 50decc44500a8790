import type { InstanceId } from '@relay/contract/ids';
import { type DaemonHarness, openDaemonHarness } from '@relay/testing/daemon-harness';
import { eventually, freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const INTERVAL = 30 * MINUTE;

const store = await freshStore();
const { sql } = store;
let time = Date.parse('2026-02-01T12:00:00Z');
const now = () => new Date(time);
let harness: DaemonHarness = await openDaemonHarness(store, { now });
afterAll(() => harness.close());
afterEach(() => vi.unstubAllEnvs());

async function restart(): Promise<void> {
  await harness.close();
  harness = await openDaemonHarness(store, { now });
}

/** Moves the clock and waits until everything due has happened. */
async function jump(ms: number): Promise<void> {
  time += ms;
  await harness.quiet();
}

async function waiting(max_followups = 5): Promise<InstanceId> {
  const id = await harness.create(undefined, { interval_ms: INTERVAL, max_followups });
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  // Its timer must not fire in the next test.
  onTestFinished(async () => {
    await harness.service.cancel(id).catch(() => {});
  });
  return id;
}

const fired = async (id: InstanceId) =>
  (
    await sql(
      "SELECT 1 FROM instance_transitions WHERE instance_id = $1 AND trigger = 'heartbeat_fires'",
      [id],
    )
  ).length;
const dueIn = async (id: InstanceId) => {
  const { next_follow_up_at } = await harness.service.get(id);
  return next_follow_up_at === null ? null : Date.parse(next_follow_up_at) - time;
};

describe.each([
  ['an hour', HOUR],
  ['a day', DAY],
])('a clock that jumps by %s', (_, leap) => {
  test('forward: fires an overdue follow-up once, at once, and counts the next interval from then', async () => {
    const id = await waiting();
    await jump(leap);
    expect([await fired(id), await dueIn(id)]).toEqual([1, INTERVAL]);
    await jump(INTERVAL - 1);
    expect(await fired(id)).toBe(1);
    await jump(1);
    expect([await fired(id), await dueIn(id)]).toEqual([2, INTERVAL]);
  });

  test('back: repeats nothing and fires when the clock reaches the due time again', async () => {
    const id = await waiting();
    await jump(INTERVAL);
    await jump(-leap);
    expect([await fired(id), await dueIn(id)]).toEqual([1, INTERVAL + leap]);
    await jump(leap);
    expect(await fired(id)).toBe(1);
    await jump(INTERVAL);
    expect([await fired(id), await dueIn(id)]).toEqual([2, INTERVAL]);
  });

  test('while the daemon is stopped: behaves the same', async () => {
    const id = await waiting();
    await harness.close();
    time += leap;
    harness = await openDaemonHarness(store, { now });
    await harness.quiet();
    expect([await fired(id), await dueIn(id)]).toEqual([1, INTERVAL]);
    await harness.close();
    time -= leap;
    harness = await openDaemonHarness(store, { now });
    await harness.quiet();
    expect([await fired(id), await dueIn(id)]).toEqual([1, INTERVAL + leap]);
    time += leap;
  });

  test('while paused: keeps the remaining time', async () => {
    const id = await waiting();
    await jump(10 * MINUTE);
    await harness.service.pause(id);
    await jump(leap);
    await restart();
    await jump(-leap / 2);
    await harness.service.resume(id);
    expect([await fired(id), await dueIn(id)]).toEqual([0, 20 * MINUTE]);
    time -= leap / 2;
  });
});

test('fires each of many overdue follow-ups once after eight hours of sleep', async () => {
  verifies('003-NFR-HEARTBEAT');
  const ids = await Promise.all(Array.from({ length: 20 }, () => waiting()));
  time += 8 * HOUR;
  // No hint is given: the clock polls by itself.
  await eventually(async () => {
    const counts = await Promise.all(ids.map(fired));
    return counts.every((count) => count === 1);
  });
  await harness.quiet();
  expect(await Promise.all(ids.map(fired))).toEqual(ids.map(() => 1));
  expect(await Promise.all(ids.map(dueIn))).toEqual(ids.map(() => INTERVAL));
});

/** Both clock changes of a year in each zone; one shifts by half an hour, one is across the date line. */
const CHANGES = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Pacific/Auckland', '2026-04-04T14:00:00Z'],
  ['Pacific/Auckland', '2026-09-26T14:00:00Z'],
] as const;

test.each(CHANGES)(
  'keeps the interval unchanged in %s over the clock change of %s',
  async (zone, at) => {
    vi.stubEnv('TZ', zone);
    const before = Date.parse(at) - 15 * MINUTE;
    const offset = (ms: number) => new Date(ms).getTimezoneOffset();
    expect(offset(before)).not.toBe(offset(before + INTERVAL));
    time = before;
    const id = await waiting();
    await jump(INTERVAL - 1);
    expect(await fired(id)).toBe(0);
    await jump(1);
    expect([await fired(id), await dueIn(id)]).toEqual([1, INTERVAL]);
    await restart();
    await jump(INTERVAL - 1);
    expect(await fired(id)).toBe(1);
    await jump(1);
    expect(await fired(id)).toBe(2);
  },
);

const anyMove = fc.oneof(
  { weight: 5, arbitrary: fc.record({ jump: fc.integer({ min: -DAY, max: DAY }) }) },
  { weight: 3, arbitrary: fc.record({ jump: fc.constantFrom(0, 1, INTERVAL - 1, INTERVAL) }) },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
  { weight: 2, arbitrary: fc.constantFrom('pause' as const, 'resume' as const) },
);

test('fires each timer once and not too early, whatever the clock does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyMove, { minLength: 3, maxLength: 8 }), async (moves) => {
      const max = 3;
      const id = await harness.create(undefined, { interval_ms: INTERVAL, max_followups: max });
      await harness.reaches(id, 'WAITING_FOR_REPLY');
      const model = new Model(time, max);
      for (const move of moves) {
        if (move === 'restart') await restart();
        else if (move === 'pause' || move === 'resume') {
          if (model.may(move)) await harness.service[move](id);
          model[move](time);
        } else await jump(move.jump);
        await harness.quiet();
        model.look(time);
        expect([await fired(id), await dueIn(id)]).toEqual([model.rang, model.dueIn(time)]);
      }
      if (model.may('resume')) {
        await harness.service.resume(id);
        model.resume(time);
      }
      for (let n = model.rang; n <= max; n++) await jump((await dueIn(id)) ?? 0);
      expect(await harness.service.get(id)).toMatchObject({
        state: 'ABANDONED',
        follow_up_count: max,
      });
      expect(await fired(id)).toBe(max + 1);
    }),
    { numRuns: 12 },
  );
});

/** The expected behaviour: a timer is due or not by the clock at the moment of looking. */
class Model {
  rang = 0;
  #due: number | null;
  #left: number | null = null;
  readonly #max: number;

  constructor(at: number, max: number) {
    this.#due = at + INTERVAL;
    this.#max = max;
  }

  may(move: 'pause' | 'resume'): boolean {
    return move === 'pause' ? this.#due !== null : this.#left !== null;
  }

  pause(at: number): void {
    if (this.#due === null) return;
    this.#left = Math.max(0, this.#due - at);
    this.#due = null;
  }

  resume(at: number): void {
    if (this.#left === null) return;
    this.#due = at + this.#left;
    this.#left = null;
  }

  look(at: number): void {
    if (this.#due === null || at < this.#due) return;
    this.rang += 1;
    this.#due = this.rang > this.#max ? null : at + INTERVAL;
  }

  dueIn(at: number): number | null {
    return this.#due === null ? null : this.#due - at;
  }
}

// Retention, put together: what the owner may ask for, what happens every night, and once at a start. One
// after the other, because each writes the database's files anew.
import type { RetentionStatus } from '@relay/core/api/retention';
import type { RetentionVerbs } from '@relay/core/ports/retention';
import { nextAfter } from '@relay/core/schedule/recur';
import { zoneNamed } from '@relay/core/schedule/zone';
import { lastRuns, readGroups } from '../store/erase/observed.ts';
import { FIXED_LIMITS } from '../store/prune.ts';
import { cutoffsAt, enforce } from './enforce.ts';
import { forget, previewOf } from './forget.ts';
import type { RetentionWorld } from './world.ts';

/** As `jobs.every` is told in acting.ts. */
const NIGHTLY = { kind: 'daily', time: '04:17' } as const;
const SHOWN_RUNS = 10;

export interface Retention {
  readonly verbs: RetentionVerbs;
  /** As a part of the daily maintenance. */
  nightly(): Promise<void>;
  /** What became too old while the daemon was away, in the background. Gives back how to wait for it. */
  start(): () => Promise<void>;
}

export function openRetention(world: RetentionWorld): Retention {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
  return {
    verbs: {
      status: () => statusOf(world),
      run: () => inTurn(() => enforce(world, 'owner')),
      preview: (id) => previewOf(world, id),
      forget: (id) => inTurn(() => forget(world, id)),
    },
    nightly: async () => {
      await inTurn(() => enforce(world, 'night'));
    },
    start() {
      const first = inTurn(() => enforce(world, 'start')).then(
        () => {},
        (error: unknown) => world.log.warn('retention not enforced', { error }),
      );
      return () => first;
    },
  };
}

async function statusOf(world: RetentionWorld): Promise<RetentionStatus> {
  const { db, lease, limits } = world;
  const now = world.now();
  const zone = zoneNamed(world.zone);
  const next = zone === null ? null : nextAfter(NIGHTLY, zone, now);
  return {
    now: now.toISOString(),
    limits,
    groups: await readGroups(db, lease.account, cutoffsAt(now, limits)),
    runs: await lastRuns(db, lease.account, SHOWN_RUNS),
    next_run_at: (next ?? now).toISOString(),
    others: [...FIXED_LIMITS],
  };
}

// Assembles retention: the owner's operations, the nightly run, and the run at the start. One at a time, because each
// rewrites the database's files.
import type { RetentionService, RetentionStatus } from '@relay/contract/api/retention';
import { nextOccurrence } from '@relay/core/schedule/occurrences';
import { findZone } from '@relay/core/schedule/zone';
import { FIXED_LIMITS } from '../../platform/db/prune.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { cutoffsAt, enforceRetention, type RetentionDeps } from './enforce.ts';
import { forgetContactOrGroup, previewForget } from './forget.ts';
import {
  readChatsWithLimit,
  readRetentionGroups,
  readRetentionRuns,
  setChatRetention,
} from './retention-limits.ts';

/** The same time as in `jobs.every` of features.ts. */
const NIGHTLY = { kind: 'daily', time: '04:17' } as const;
const SHOWN_RUNS = 10;

export interface Retention {
  readonly service: RetentionService;
  /** Runs as a part of the daily maintenance. */
  nightly(): Promise<void>;
  /**
   * Deletes in the background what became too old while the daemon was not running. Returns a function that waits for
   * it.
   */
  start(): () => Promise<void>;
}

export function openRetention(deps: RetentionDeps): Retention {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
  return {
    service: {
      status: () => readRetentionStatus(deps),
      setChat: (id, days) =>
        transaction(deps, ({ tx }) => setChatRetention(tx, deps.lease.account, id, days)),
      run: () => inTurn(() => enforceRetention(deps, 'owner')),
      preview: (id) => previewForget(deps, id),
      forget: (id) => inTurn(() => forgetContactOrGroup(deps, id)),
    },
    nightly: async () => {
      await inTurn(() => enforceRetention(deps, 'night'));
    },
    start() {
      const first = inTurn(() => enforceRetention(deps, 'start')).then(
        () => {},
        (error: unknown) => deps.log.warn('could not enforce retention', { error }),
      );
      return () => first;
    },
  };
}

async function readRetentionStatus(deps: RetentionDeps): Promise<RetentionStatus> {
  const { db, lease, limits } = deps;
  const now = deps.now();
  const zone = findZone(deps.zone);
  const next = zone === null ? null : nextOccurrence(NIGHTLY, zone, now);
  return {
    now: now.toISOString(),
    limits,
    chats: await readChatsWithLimit(db, lease.account),
    groups: await readRetentionGroups(db, lease.account, cutoffsAt(now, limits)),
    runs: await readRetentionRuns(db, lease.account, SHOWN_RUNS),
    next_run_at: (next ?? now).toISOString(),
    others: [...FIXED_LIMITS],
  };
}

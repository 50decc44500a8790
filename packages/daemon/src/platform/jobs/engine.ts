// The dependencies of every feature: the database under the account's lease, the queues, the events, the log and the
// clock.
import type { Log } from '@relay/core/log';
import type { Db } from '../db/database.ts';
import type { PostgresEventLog } from '../db/events.ts';
import type { Lease } from '../db/lease.ts';
import type { Jobs } from './jobs.ts';

export interface Engine {
  readonly db: Db;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly events: PostgresEventLog;
  readonly log: Log;
  readonly now: () => Date;
  /** The owner's time zone, an IANA name: times are given in it, and a day ends at its midnight. */
  readonly zone: string;
}

// One unit of work of the conversation flow: a transaction, and what to nudge once it has committed.
import type { Log } from '@relay/core/log';
import type { Settings } from '@relay/core/settings';
import type { Gate } from '../../gate/submit.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { QueueName } from '../../jobs/queues.ts';
import type { Reader, Transaction } from '../../store/database.ts';
import type { PostgresEventLog } from '../../store/events.ts';
import { TRIES, wasOvertaken } from '../../store/fenced.ts';
import type { Lease } from '../../store/lease.ts';
import type { RunningTurns } from './running.ts';

/** What the flow needs of the world, handed to it by main. */
export interface ConversationWorld {
  readonly db: Reader;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly gate: Gate;
  readonly events: PostgresEventLog;
  readonly log: Log;
  readonly settings: Pick<Settings, 'agent' | 'tell_owner_on_whatsapp'>;
  readonly running: RunningTurns;
  readonly now: () => Date;
}

export interface Work {
  readonly tx: Transaction;
  /** Queues that hold something new once this commits. */
  readonly filled: Set<QueueName>;
  /** To be told once this has happened. */
  readonly told: (() => void)[];
}

/** Work inside a transaction of somebody else; what it gives back is to be called once that has committed. */
export async function within(
  world: ConversationWorld,
  tx: Transaction,
  run: (work: Work) => Promise<void>,
): Promise<() => void> {
  const work: Work = { tx, filled: new Set(), told: [] };
  await run(work);
  return () => tellAll(world, work);
}

function tellAll(world: ConversationWorld, { told, filled }: Omit<Work, 'tx'>): void {
  for (const tell of told) tell();
  for (const queue of filled) world.jobs.hint(queue);
  world.events.hint();
}

/** What was decided on is no longer so: none of it has happened, and it is decided anew. */
export class Reconsider extends Error {}

export async function inOneTransaction<T>(
  world: ConversationWorld,
  run: (work: Work) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const done: Omit<Work, 'tx'> = { filled: new Set(), told: [] };
    try {
      const result = await world.db.transaction().execute((tx) => run({ tx, ...done }));
      tellAll(world, done);
      return result;
    } catch (error) {
      const again = error instanceof Reconsider || wasOvertaken(error);
      if (!again || attempt === TRIES) throw error;
    }
  }
}

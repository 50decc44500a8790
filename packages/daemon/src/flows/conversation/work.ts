// One unit of work of the conversation flow: a transaction, and what to nudge once it has committed.
import type { Log } from '@relay/core/log';
import type { Gate } from '../../gate/submit.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { QueueName } from '../../jobs/queues.ts';
import type { Reader, Transaction } from '../../store/database.ts';
import type { PostgresEventLog } from '../../store/events.ts';
import { TRIES, wasOvertaken } from '../../store/fenced.ts';
import type { Lease } from '../../store/lease.ts';

/** What the flow needs of the world, handed to it by main. */
export interface ConversationWorld {
  readonly db: Reader;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly gate: Gate;
  readonly events: PostgresEventLog;
  readonly log: Log;
  readonly now: () => Date;
}

export interface Work {
  readonly tx: Transaction;
  /** Queues that hold something new once this commits. */
  readonly filled: Set<QueueName>;
  /** To be told once this has happened. */
  readonly told: (() => void)[];
}

export async function inOneTransaction<T>(
  world: ConversationWorld,
  run: (work: Work) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const filled = new Set<QueueName>();
    const told: Work['told'] = [];
    try {
      const result = await world.db.transaction().execute((tx) => run({ tx, filled, told }));
      for (const tell of told) tell();
      for (const queue of filled) world.jobs.hint(queue);
      world.events.hint();
      return result;
    } catch (error) {
      if (!wasOvertaken(error) || attempt === TRIES) throw error;
    }
  }
}

// The queues. A job is a wake-up that is safe to repeat: what is to be done stands in the tables, the job
// only says where to look and which epoch it was made for.
import type { TurnPurpose } from '@relay/core/conversation/transition';
import type { AccountId, InstanceId, OutboxId } from '@relay/core/ids';

/** What each queue's jobs carry. Never text that somebody wrote. */
export interface JobData {
  /** The agent's turn or a due heartbeat of one conversation. In order for each conversation. */
  conversation: {
    account: AccountId;
    subject: InstanceId;
    epoch: number;
    /** What it is woken for: its timer, or a turn of its agent and why. */
    wake: 'heartbeat' | TurnPurpose;
  };
  /** One permitted message on its way. In order for each account. */
  outbox: { account: AccountId; subject: OutboxId };
  /** Housekeeping by the clock. */
  maintenance: { task: 'prune' };
}

export type QueueName = keyof JobData;

export interface QueueSpec {
  /** `by key`: one active job a key, strictly in order, also when one is retried. */
  readonly order: 'by key' | 'any';
  /** Tries after the first. */
  readonly retries: number;
  /** Seconds before the first retry, doubled each time up to the maximum. */
  readonly delay: number;
  readonly maxDelay: number;
  /** After this many seconds a running job counts as lost and is tried again. */
  readonly lostAfter: number;
  /** What a person reads when jobs of this queue are dead. */
  readonly dead: string;
}

export const QUEUES: Readonly<Record<QueueName, QueueSpec>> = {
  conversation: {
    order: 'by key',
    retries: 5,
    delay: 1,
    maxDelay: 60,
    lostAfter: 900,
    dead: 'A turn of a conversation failed again and again. `relay logs --level error` says why.',
  },
  outbox: {
    order: 'by key',
    retries: 3,
    delay: 5,
    maxDelay: 20,
    lostAfter: 120,
    dead: 'A message could not be handed over. `relay logs --level error` says why.',
  },
  maintenance: {
    order: 'any',
    retries: 2,
    delay: 60,
    maxDelay: 600,
    lostAfter: 900,
    dead: 'Housekeeping failed. `relay doctor` says what stands in its way.',
  },
};

export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

/** Where jobs go that failed for good, until a person looks. */
export const DEAD_LETTERS = 'dead_letters';

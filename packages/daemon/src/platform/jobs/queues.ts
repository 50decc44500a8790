// The queues. A job is a wake-up that is safe to repeat: what is to be done stands in the tables, the job
// only says where to look and which epoch it was made for.
import type { TurnPurpose } from '@relay/contract/conversation/states';
import type {
  AccountId,
  ChatId,
  DeliveryId,
  DigestId,
  InstanceId,
  OutboxId,
  RequestId,
  ScheduleId,
  SessionId,
} from '@relay/contract/ids';
import { RETRY, type RetryTable } from '@relay/core/retry';

/** What each queue's jobs carry. Never text that somebody wrote. */
export interface JobData {
  /** The agent's turn or a due heartbeat of one conversation. In order for each conversation. */
  conversation: {
    account: AccountId;
    subject: InstanceId;
    epoch: number;
    /** What it is woken for: its timer, a message that was sent or could not be delivered, or a turn and why. */
    wake: 'heartbeat' | 'acknowledged' | 'undelivered' | TurnPurpose;
    /** The message that could not be delivered. */
    message?: OutboxId;
  };
  /** A message that was taken in: what becomes of it. In order for each chat. */
  route: {
    account: AccountId;
    /** Its place in `messages`: the number, and the time it is filed under. */
    message: number;
    sentAt: string;
  };
  /** A session of a contact has something to answer. One job a session at a time: see `flows/auto-reply`. */
  auto_reply: { account: AccountId; subject: SessionId };
  /** The owner wrote a line to their assistant on WhatsApp. In order for each session. */
  assistant: { account: AccountId; subject: SessionId; line: number };
  /** A schedule is due. */
  schedule: { account: AccountId; subject: ScheduleId; epoch: number };
  /** An observed group has an hour or a day to be summed up. In order for each group. */
  digest: { account: AccountId; subject: ChatId };
  /** Somebody named the assistant in an observed group: whether the owner asks for something. */
  trigger: { account: AccountId; subject: RequestId };
  /** The owner asked in an observed group. In order for each group. */
  group_answer: { account: AccountId; subject: RequestId };
  /** A digest goes to the memory outside of Relay. */
  outside_memory: { account: AccountId; subject: DigestId };
  /** Something is to be told to a webhook. In order for each of a webhook's lanes, except what is tried again. */
  webhook: { account: AccountId; subject: DeliveryId };
  /** Housekeeping by the clock. */
  maintenance: { task: 'prune' };
  /** Whether a backup is due, and if so, making it. */
  backup: { task: 'look' };
}

export type QueueName = keyof JobData;

export interface QueueSpec {
  /** `by key`: one active job a key, strictly in order, also when one is retried. */
  readonly order: 'by key' | 'any';
  /** Its first step, its cap and how often; between them pg-boss doubles by itself. */
  readonly retry: RetryTable & { readonly retries: number };
  /** After this many seconds a running job counts as lost and is tried again. */
  readonly lostAfter: number;
  /** What a person reads when jobs of this queue are dead. */
  readonly dead: string;
}

export const QUEUES: Readonly<Record<QueueName, QueueSpec>> = {
  conversation: {
    order: 'by key',
    retry: RETRY.job,
    lostAfter: 900,
    dead: 'A turn of a conversation failed again and again. `relay logs --level error` says why.',
  },
  route: {
    order: 'by key',
    retry: RETRY.job,
    lostAfter: 120,
    dead: 'A message was stored, but what to do with it could not be decided. `relay logs --level error` says why.',
  },
  auto_reply: {
    order: 'by key',
    retry: RETRY.job,
    lostAfter: 900,
    dead: 'An answer to a contact failed again and again. `relay logs --level error` says why.',
  },
  assistant: {
    order: 'by key',
    retry: RETRY.job,
    lostAfter: 900,
    dead: 'Your assistant failed again and again. `relay logs --level error` says why.',
  },
  schedule: {
    order: 'by key',
    retry: RETRY.job,
    lostAfter: 120,
    dead: 'A scheduled message could not be sent. `relay logs --level error` says why.',
  },
  digest: {
    order: 'by key',
    retry: RETRY.job,
    lostAfter: 900,
    dead: 'A digest of a group failed again and again. `relay logs --level error` says why.',
  },
  trigger: {
    order: 'by key',
    retry: RETRY.job,
    lostAfter: 300,
    dead: 'A mention of your assistant in a group could not be read, so nothing was said. `relay logs --level error` says why.',
  },
  group_answer: {
    order: 'by key',
    retry: RETRY.job,
    lostAfter: 900,
    dead: 'An answer to you in a group failed again and again. `relay logs --level error` says why.',
  },
  outside_memory: {
    order: 'by key',
    retry: RETRY.background_job,
    lostAfter: 300,
    dead: 'A digest could not be given to your other memory. `relay logs --level error` says why.',
  },
  // What a receiver does not take is no failed job: the delivery says when it is tried again, by `RETRY.webhook`.
  webhook: {
    order: 'by key',
    retry: RETRY.job,
    lostAfter: 120,
    dead: 'Something could not be told to a webhook. `relay logs --level error` says why.',
  },
  maintenance: {
    order: 'any',
    retry: RETRY.background_job,
    lostAfter: 900,
    dead: 'Housekeeping failed. `relay doctor` says what stands in its way.',
  },
  backup: {
    order: 'any',
    retry: RETRY.background_job,
    lostAfter: 3_600,
    dead: 'Whether a backup is due could not be found out. `relay logs --level error` says why.',
  },
};

export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

/** Where jobs go that failed for good, until a person looks. */
export const DEAD_LETTER_QUEUE = 'dead_letters';

/** Queues of earlier versions. */
export const RETIRED_QUEUES: readonly string[] = ['outbox'];

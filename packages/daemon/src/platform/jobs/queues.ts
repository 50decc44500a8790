// The queues and what their jobs carry. A job is a wake-up that is safe to repeat: the work itself is in the tables,
// the job only says where to look and which epoch it was created in.
import type { TurnPurpose } from '@relay/contract/conversation/states';
import type {
  AccountId,
  ChatId,
  DeliveryId,
  DigestId,
  InstanceId,
  MediaId,
  OutboxId,
  RequestId,
  ScheduleId,
  SessionId,
} from '@relay/contract/ids';
import { RETRY, type RetryTable } from '@relay/core/retry';

/** The data of each queue's jobs. Never text that somebody wrote. */
export interface JobData {
  /** An agent's turn or a due follow-up of one conversation. In order for each conversation. */
  conversation: {
    account: AccountId;
    subject: InstanceId;
    epoch: number;
    /** Why it runs: its timer, a message that was sent or could not be delivered, or a turn and its purpose. */
    wake: 'heartbeat' | 'acknowledged' | 'undelivered' | TurnPurpose;
    /** The message that could not be delivered. */
    message?: OutboxId;
  };
  /** A stored message to route. In order for each chat. */
  route: {
    account: AccountId;
    /** Its key in `messages`: the number, and the time it is partitioned by. */
    message: number;
    sentAt: string;
  };
  /** An auto-reply session has a message to answer. One job for each session at a time: see `features/auto-reply`. */
  auto_reply: { account: AccountId; subject: SessionId };
  /** The owner wrote to the assistant on WhatsApp. In order for each session. */
  assistant: { account: AccountId; subject: SessionId; line: number };
  /** A schedule is due. */
  schedule: { account: AccountId; subject: ScheduleId; epoch: number };
  /** An observed group has an hour or a day to summarize. In order for each group. */
  digest: { account: AccountId; subject: ChatId };
  /** Somebody named the assistant in an observed group: check whether it is a request of the owner. */
  trigger: { account: AccountId; subject: RequestId };
  /** The owner asked in an observed group. In order for each group. */
  group_answer: { account: AccountId; subject: RequestId };
  /** A digest to export. */
  outside_memory: { account: AccountId; subject: DigestId };
  /** An event to deliver to a webhook. In order for each of a webhook's lanes, except for retries. */
  webhook: { account: AccountId; subject: DeliveryId };
  /** A notification to show on a device, or to take away again. In order for each device, except for retries. */
  notification: { account: AccountId; subject: DeliveryId };
  /** A stored voice message or document to read. */
  understand: { account: AccountId; subject: MediaId };
  /** A received file to download. */
  media: { account: AccountId; subject: MediaId };
  /** Regular housekeeping: of the database, and of each account. */
  maintenance: { task: 'prune' } | { task: 'nightly'; account: AccountId };
  /** Checks whether a backup is due and makes it. */
  backup: { task: 'look' };
}

export type QueueName = keyof JobData;

export interface QueueSpec {
  /** `by key`: one active job for each key, strictly in order, also when one is retried. */
  readonly order: 'by key' | 'any';
  /** First delay, longest delay and number of retries; pg-boss doubles the delay in between. */
  readonly retry: RetryTable & { readonly retries: number };
  /** After this many seconds a running job counts as lost and is tried again. */
  readonly expiresAfterSeconds: number;
  /** The text shown when this queue has failed jobs. */
  readonly deadSentence: string;
}

export const QUEUES: Readonly<Record<QueueName, QueueSpec>> = {
  conversation: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 900,
    deadSentence: 'A turn of a conversation failed repeatedly. See `relay logs --level error`.',
  },
  route: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 120,
    deadSentence: 'A message was stored but could not be routed. See `relay logs --level error`.',
  },
  auto_reply: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 900,
    deadSentence: 'An answer to a contact failed repeatedly. See `relay logs --level error`.',
  },
  assistant: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 900,
    deadSentence: 'Your assistant failed repeatedly. See `relay logs --level error`.',
  },
  schedule: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 120,
    deadSentence: 'A scheduled message could not be sent. See `relay logs --level error`.',
  },
  digest: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 900,
    deadSentence: 'A digest of a group failed repeatedly. See `relay logs --level error`.',
  },
  trigger: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 300,
    deadSentence:
      'A mention of your assistant in a group could not be processed, so it was not answered. See `relay logs --level error`.',
  },
  group_answer: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 900,
    deadSentence: 'An answer to you in a group failed repeatedly. See `relay logs --level error`.',
  },
  outside_memory: {
    order: 'by key',
    retry: RETRY.background_job,
    expiresAfterSeconds: 300,
    deadSentence: 'A digest could not be exported. See `relay logs --level error`.',
  },
  // A receiver's refusal is not a failed job: the delivery says when it is tried again, by `RETRY.webhook`.
  webhook: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 120,
    deadSentence: 'An event could not be sent to a webhook. See `relay logs --level error`.',
  },
  notification: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 120,
    deadSentence: 'A notification could not be sent. See `relay logs --level error`.',
  },
  // A server that is away is not a failed job: the last attempt ends it.
  understand: {
    order: 'any',
    retry: RETRY.job,
    expiresAfterSeconds: 3_600,
    deadSentence:
      'A voice message or a document could not be read, so agents see only that it is there. See `relay logs --level error`.',
  },
  // A failed download is not a failed job: the row says when it is tried again, by `RETRY.media`.
  media: {
    order: 'by key',
    retry: RETRY.job,
    expiresAfterSeconds: 7_200,
    deadSentence: 'A received file could not be stored. See `relay logs --level error`.',
  },
  maintenance: {
    order: 'any',
    retry: RETRY.background_job,
    expiresAfterSeconds: 900,
    deadSentence: 'Deleting old data failed. Run `relay doctor` to find the problem.',
  },
  backup: {
    order: 'any',
    retry: RETRY.background_job,
    expiresAfterSeconds: 3_600,
    deadSentence: 'Checking for due backups failed. See `relay logs --level error`.',
  },
};

export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

/** Where jobs go that failed for good, until a person looks at them. */
export const DEAD_LETTER_QUEUE = 'dead_letters';

/** Queues of earlier versions. */
export const RETIRED_QUEUES: readonly string[] = ['outbox'];

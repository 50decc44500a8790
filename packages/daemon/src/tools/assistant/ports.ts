// What the assistant's tools reach through others: search and schedules. Given by composition.
import type { ApprovalId, ChatId, ScheduleId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import type { Decision } from '@relay/core/policy/reasons';
import type { Circumstances } from '../../gate/consider.ts';
import type { MessageToSchedule } from '../../gate/proposals.ts';
import type { Transaction } from '../../store/database.ts';

export interface FoundMessage {
  readonly chat: ChatId;
  readonly at: Date;
  /** The sender's address as WhatsApp has it. */
  readonly sender: string;
  readonly text: string;
}

export interface FindOptions {
  readonly limit: number;
  readonly chat?: ChatId;
  readonly from?: Date;
  readonly to?: Date;
}

/** Past messages that the assistant may read, the best first. */
export type FindMessages = (query: string, options: FindOptions) => Promise<FoundMessage[]>;

export interface WantedSchedule {
  readonly chat: ChatId;
  readonly text: string;
  /** As the model gave them: a time, and how it repeats. */
  readonly time: string;
  readonly pattern: string | undefined;
}

/** What is to be scheduled, understood. */
export interface Planned {
  readonly proposal: MessageToSchedule;
  /** When it happens, in words; and the next time. */
  readonly when: string;
  readonly next: string | null;
}

export interface Scheduled {
  readonly decision: Decision;
  /** There exactly if it was written down. */
  readonly schedule: ScheduleId | null;
  readonly approval: ApprovalId | null;
  after(): void;
}

export interface ScheduledTask {
  readonly id: ScheduleId;
  readonly to: string;
  readonly name: string;
  readonly text: string;
  readonly when: string;
  readonly next: Date | null;
}

export interface Schedules {
  /** A sentence when the time cannot be understood. */
  plan(wanted: WantedSchedule): Planned | string;
  /** Asks the gate, and writes it down in the same transaction. */
  add(
    tx: Transaction,
    actor: Actor,
    planned: Planned,
    circumstances: Circumstances,
  ): Promise<Scheduled>;
  /** The schedule that an approval became. */
  ofApproval(approval: ApprovalId): Promise<ScheduleId | null>;
  /** Those still to come. */
  list(): Promise<readonly ScheduledTask[]>;
  /** False when there is none of this id that could be cancelled. */
  cancel(id: string): Promise<boolean>;
}

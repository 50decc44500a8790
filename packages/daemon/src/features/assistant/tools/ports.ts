// Interfaces to search and schedules for the assistant's tools, provided at composition.
import type { ApprovalId, ChatId, ScheduleId } from '@relay/contract/ids';
import type { Weekday } from '@relay/contract/schedule/names';
import type { Actor } from '@relay/core/policy/actors';
import type { Decision } from '@relay/core/policy/reasons';
import type { SubmitContext } from '../../../pipeline/gate/evaluate.ts';
import type { Transaction } from '../../../platform/db/database.ts';

interface AssistantSearchHit {
  readonly chat: ChatId;
  readonly at: Date;
  /** The sender's name, or `me`. */
  readonly sender: string;
  readonly text: string;
  /** False: only the nearest match. */
  readonly isSure?: boolean;
}

interface FindOptions {
  readonly limit: number;
  readonly chat?: ChatId;
  readonly from?: Date;
  readonly to?: Date;
}

/** Past messages that the assistant may read, best match first. */
export type FindMessages = (query: string, options: FindOptions) => Promise<AssistantSearchHit[]>;

interface WantedSchedule {
  readonly chat: ChatId;
  readonly text: string;
  /** HH:MM in the owner's time zone. */
  readonly time: string;
  readonly pattern: 'once' | 'daily' | 'weekly' | 'cron';
  /** For `once`: YYYY-MM-DD. */
  readonly date?: string;
  /** For `weekly`. */
  readonly days?: readonly Weekday[];
  /** For `cron`: the five fields. */
  readonly cron?: string;
}

interface ScheduleToolResult {
  readonly decision: Decision;
  /** Set exactly when the schedule was stored. */
  readonly id: ScheduleId | null;
  readonly approval: ApprovalId | null;
  /** When it happens, in words; `next` is the next run. */
  readonly words: string;
  readonly next: Date;
}

interface ScheduledTask {
  readonly id: string;
  readonly recipient: string | null;
  readonly text: string;
  /** As in the ledger: `owner`, `assistant:<run>` or `token:<id>`. */
  readonly created_by: string;
  readonly words: string;
  readonly next: readonly string[];
}

/** A refusal is a RelayError with its sentence. */
export interface AssistantSchedules {
  /** Asks the gate and stores the schedule in the same transaction. */
  add(
    tx: Transaction,
    actor: Actor,
    wanted: WantedSchedule,
    context: SubmitContext,
  ): Promise<ScheduleToolResult>;
  /** Lists active schedules. */
  list(): Promise<readonly ScheduledTask[]>;
  cancel(
    tx: Transaction,
    actor: Actor,
    id: ScheduleId,
    context: SubmitContext,
  ): Promise<{ readonly decision: Decision; readonly approval: ApprovalId | null }>;
}

// What the assistant's tools reach through others: search and schedules. Given by composition.
import type { ApprovalId, ChatId, ScheduleId } from '@relay/contract/ids';
import type { Weekday } from '@relay/contract/schedule/names';
import type { Actor } from '@relay/core/policy/actors';
import type { Decision } from '@relay/core/policy/reasons';
import type { SubmitContext } from '../../../pipeline/gate/evaluate.ts';
import type { Transaction } from '../../../platform/db/database.ts';

interface AssistantSearchHit {
  readonly chat: ChatId;
  readonly at: Date;
  /** The name of whoever wrote it, or `me`. */
  readonly sender: string;
  readonly text: string;
  /** False: it only comes nearest to what was asked for. */
  readonly sure?: boolean;
}

interface FindOptions {
  readonly limit: number;
  readonly chat?: ChatId;
  readonly from?: Date;
  readonly to?: Date;
}

/** Past messages that the assistant may read, the best first. */
export type FindMessages = (query: string, options: FindOptions) => Promise<AssistantSearchHit[]>;

interface WantedSchedule {
  readonly chat: ChatId;
  readonly text: string;
  /** HH:MM on the owner's clock. */
  readonly time: string;
  readonly pattern: 'once' | 'daily' | 'weekly' | 'cron';
  /** Of `once`: YYYY-MM-DD. */
  readonly date?: string;
  /** Of `weekly`. */
  readonly days?: readonly Weekday[];
  /** Of `cron`: the five fields. */
  readonly cron?: string;
}

interface ScheduleToolResult {
  readonly decision: Decision;
  /** There exactly if it was written down. */
  readonly id: ScheduleId | null;
  readonly approval: ApprovalId | null;
  /** When it happens, in words; and the next time. */
  readonly words: string;
  readonly next: Date;
}

interface ScheduledTask {
  readonly id: string;
  readonly recipient: string | null;
  readonly text: string;
  /** As the ledger names them: `owner`, `assistant:<run>` or `token:<id>`. */
  readonly created_by: string;
  readonly words: string;
  readonly next: readonly string[];
}

/** A refusal is a RelayError with its sentence. */
export interface AssistantSchedules {
  /** Asks the gate, and writes it down in the same transaction. */
  add(
    tx: Transaction,
    actor: Actor,
    wanted: WantedSchedule,
    circumstances: SubmitContext,
  ): Promise<ScheduleToolResult>;
  /** Those still to come. */
  list(): Promise<readonly ScheduledTask[]>;
  cancel(
    tx: Transaction,
    actor: Actor,
    id: ScheduleId,
    circumstances: SubmitContext,
  ): Promise<{ readonly decision: Decision; readonly approval: ApprovalId | null }>;
}

// What becomes of an approved proposal is for the flow it belongs to; the gate knows no flow. This is what
// it asks of them, in the transaction in which the owner's yes is written.
import type { CreateInstanceRequest } from '@relay/core/api/instances';
import type { ApprovalId, ChatId, InstanceId, RunId, ScheduleId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import type { Transaction } from '../store/database.ts';
import type { MessageToSchedule } from './proposals.ts';

export interface ApprovedMessage {
  readonly approval: ApprovalId;
  readonly instance: InstanceId;
  readonly chat: ChatId;
  /** To be submitted as it stands: the approval is good for these bytes alone. */
  readonly text: string;
  readonly followUp: boolean;
}

export interface ApprovedConversation {
  readonly approval: ApprovalId;
  readonly actor: Actor;
  readonly request: CreateInstanceRequest;
}

export interface ApprovedSchedule {
  readonly approval: ApprovalId;
  /** Who asked for it: what they schedule needs its grant on the day, what the owner schedules does not. */
  readonly actor: Actor;
  readonly run: RunId | null;
  readonly schedule: MessageToSchedule;
}

export interface ApprovedCancellation {
  readonly approval: ApprovalId;
  readonly actor: Actor;
  readonly run: RunId | null;
  readonly schedule: ScheduleId;
}

/** To be run once the transaction has committed. */
export type AfterCommit = () => void;

export interface CarryOutInConversations {
  /**
   * Submits the message as its conversation, with `{ approval }` among the circumstances, and moves the
   * conversation on. Its row is locked already. A refusal is thrown, and undoes the yes.
   */
  sendInConversation(tx: Transaction, message: ApprovedMessage): Promise<AfterCommit>;
  /** The owner said no: the conversation that asked is told why. */
  rejected(tx: Transaction, instance: InstanceId, reason: string | null): Promise<AfterCommit>;
  createConversation(tx: Transaction, conversation: ApprovedConversation): Promise<AfterCommit>;
}

export interface CarryOutSchedules {
  /** Submits the schedule with `{ approval }` among the circumstances, and writes it down with the approval. */
  scheduleMessage(tx: Transaction, schedule: ApprovedSchedule): Promise<AfterCommit>;
  /** Cancels it, with `{ approval }` among the circumstances. */
  cancelSchedule(tx: Transaction, cancellation: ApprovedCancellation): Promise<AfterCommit>;
}

export type CarryOutApproved = CarryOutInConversations & CarryOutSchedules;

/** The hold is over: asks anew, in the transaction that ends it, for the turns that were put off. */
export type OnRelease = (tx: Transaction) => Promise<AfterCommit>;

/** One after the other, each in the same transaction. */
export const eachOnRelease =
  (...parts: readonly OnRelease[]): OnRelease =>
  async (tx) => {
    const after: AfterCommit[] = [];
    for (const part of parts) after.push(await part(tx));
    return () => {
      for (const each of after) each();
    };
  };

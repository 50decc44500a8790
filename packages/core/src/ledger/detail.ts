// What a row of the ledger says beside who, what, about what, outcome and reason: ids and times, never
// text. `relay why` joins the rows of one message by these names, so whoever writes a row uses them.
import type {
  ApprovalId,
  ChatId,
  ContactId,
  GrantId,
  InstanceId,
  MessageId,
  OutboxId,
  PermitId,
  RunId,
  ScheduleId,
  SessionId,
} from '../ids.ts';
import type { Taint } from '../policy/facts.ts';

export interface LedgerDetail {
  readonly chat?: ChatId;
  readonly contact?: ContactId;
  /** The conversation it happened in. */
  readonly instance?: InstanceId;
  readonly session?: SessionId;
  /** The model run that wanted it. */
  readonly run?: RunId;
  /** The message of somebody that it answers. */
  readonly message?: MessageId;
  /** The record under which it was allowed. */
  readonly grant?: GrantId;
  readonly schedule?: ScheduleId;
  readonly approval?: ApprovalId;
  /** Null when no permit was given. */
  readonly permit?: PermitId | null;
  readonly outbox?: OutboxId;
  /** Of recipient and content. */
  readonly hash?: string;
  /** What whoever asked had read of others, where that is why it waits. */
  readonly taint?: Taint;
  /** ISO 8601: when it is looked at again. */
  readonly until?: string;
  /** Why the gate refused, where this row tells what came of a refusal. */
  readonly refusal?: string;
}

/** A row as it is handed to the ledger. */
export interface LedgerRow {
  readonly actor: string;
  readonly action: string;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly outcome: string;
  readonly reason: string;
  readonly detail: LedgerDetail;
}

// The details of a ledger row, besides actor, action, subject, outcome and reason: ids and times, never text. `relay
// why` joins the rows of a message by these field names, so every writer uses them.
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
} from '@relay/contract/ids';
import type { Taint } from '../policy/facts.ts';
import { REASONS, type ReasonCode } from '../policy/reasons.ts';
import { toClause } from './format.ts';

export interface LedgerDetail {
  readonly chat?: ChatId;
  readonly contact?: ContactId;
  /** The conversation it happened in. */
  readonly instance?: InstanceId;
  readonly session?: SessionId;
  /** The run that requested it. */
  readonly run?: RunId;
  /** The received message that it answers. */
  readonly message?: MessageId;
  /** The grant that allowed it. */
  readonly grant?: GrantId;
  readonly schedule?: ScheduleId;
  readonly approval?: ApprovalId;
  /** Null without a permit. */
  readonly permit?: PermitId | null;
  readonly outbox?: OutboxId;
  /** The hash of recipient and content. */
  readonly hash?: string;
  /** What the message is besides text: `image`, `poll`; and the size of its file. */
  readonly content?: string;
  readonly bytes?: number;
  /** Whose words the actor had read, if that is why it needs an approval. */
  readonly taint?: Taint;
  /** ISO 8601: when it is evaluated again. */
  readonly until?: string;
  /** The gate's reason, if this row follows a refusal. */
  readonly refusal?: string;
}

/** A row before it is written to the ledger. */
export interface LedgerRow {
  readonly actor: string;
  readonly action: string;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly outcome: string;
  readonly reason: string;
  readonly detail: LedgerDetail;
}

// What auto-reply or the assistant did with a message: one row `answer_message` for each decision, in the transaction
// of the decision. The last row about a message counts. The reasons are persisted: never rename one.

type AnswerOutcome = 'answered' | 'waiting' | 'unanswered';

const answered = { outcome: 'answered' } as const;
const waiting = { outcome: 'waiting' } as const;
const unanswered = { outcome: 'unanswered' } as const;

export const ANSWER_REASONS = {
  /** The gate allowed the answer; detail: `run`, `session`, `outbox`. */
  replied: answered,
  /** A slash command, which needs no model. */
  command: answered,
  /** A run was killed after it had acted: the answer says what was done and that it was interrupted. */
  interrupted: answered,
  /** The answer says why the request could not be carried out. */
  failed: answered,

  /** The answer waits for the owner's approval; detail: `approval`. */
  draft: waiting,
  /** detail: `until`. */
  quiet_hours: waiting,
  hold: waiting,
  /** The contact's or the day's budget is used up; detail: `until`. */
  budget: waiting,
  /** The model was unreachable and is called again; detail: `until`. */
  try_again: waiting,

  /** The grant allows reading but not writing: no answer is sent, and by default none is composed. */
  read_only: unanswered,
  /** The grant allows reading only, and the owner is shown a suggestion in the chat. */
  suggested: unanswered,
  /** The model returned no answer. */
  nothing_said: unanswered,
  /** The gate refused the answer; detail: `refusal`. */
  refused: unanswered,
  /** The grant was revoked before the message's turn. */
  grant_gone: unanswered,
  /** It arrived so late that an answer would confuse. */
  too_old: unanswered,
  /** The contact's turns are used up, and the message is not kept for later. */
  budget_used: unanswered,
  /** The other side seems to be a machine. */
  loop: unanswered,
  model_failed: unanswered,
  /** No model is set up. */
  no_model: unanswered,
  /** A conversation with the contact has begun in the meantime and handles it. */
  conversation: unanswered,
  /** The owner wrote to the contact before the answer was ready. */
  owner_wrote: unanswered,
  /** Later messages arrived before the answer was ready; the answer to the last one covers all. */
  overtaken: unanswered,
  /** The owner stopped the run. */
  stopped: unanswered,
  /** It contains nothing that can be answered. */
  nothing_to_answer: unanswered,

  // In an observed group, if the message names the assistant:
  not_owner: unanswered,
  /** The model's labels; `unclear` means that there was none. */
  mention_only: unanswered,
  false_positive: unanswered,
  unclear: unanswered,
  /** The group was answered a moment ago, or has reached its daily limit. */
  cadence: unanswered,
  /** It was deleted or edited before it was answered. */
  taken_back: unanswered,
  /** Sending was on hold; a group is not answered later. */
  on_hold: unanswered,
} as const satisfies Record<string, { readonly outcome: AnswerOutcome }>;

export type AnswerReason = keyof typeof ANSWER_REASONS;

interface AnswerRow {
  /** The gate's form: `auto_reply:<chat>`, `assistant:<run>`; without a run, `assistant`. */
  readonly actor: string;
  readonly message: MessageId;
  readonly reason: AnswerReason;
  /** `chat` is required: a message id is unique only within its chat. */
  readonly detail: LedgerDetail & { readonly chat: ChatId };
}

export const ANSWER_ACTION = 'answer_message';

/** For `appendLedger`. */
export const answerLedgerRow = ({ actor, message, reason, detail }: AnswerRow): LedgerRow => ({
  actor,
  action: ANSWER_ACTION,
  subject: { kind: 'message', id: message },
  outcome: ANSWER_REASONS[reason].outcome,
  reason,
  detail,
});

// The reasons why a message that went to auto-reply or the assistant was answered, waits or was not answered.

export const ANSWER_REASON_SENTENCES: Readonly<Record<AnswerReason, string>> = {
  replied: 'It was answered.',
  command: 'It was a command, and was carried out.',
  interrupted: 'The run was interrupted after some actions; the answer lists them.',
  failed: 'It failed; the answer gives the reason.',
  draft: 'The answer is a draft and needs your approval.',
  quiet_hours: 'Quiet hours are active.',
  hold: 'Sending is on hold.',
  budget: 'The budget is used up for now.',
  try_again: 'The model could not be reached, so Relay tries again.',
  read_only: 'The grant allows reading only, so nothing was sent.',
  suggested: 'A reply is suggested in the chat. Nothing was sent.',
  nothing_said: 'The model gave no answer.',
  refused: 'The answer was not allowed.',
  grant_gone: 'The grant was revoked before it was answered.',
  too_old: 'It arrived too long after it was written.',
  budget_used: 'The limit of answers to this contact is reached.',
  loop: 'It looked like a loop between two machines.',
  model_failed: 'The model failed.',
  no_model: 'No model is set up.',
  conversation: 'A conversation with the contact handles it.',
  owner_wrote: 'You wrote yourself before the answer was ready.',
  overtaken:
    'Later messages arrived before the answer was ready; the answer to the last one covers all.',
  stopped: 'You stopped it.',
  nothing_to_answer: 'It contains nothing that can be answered.',
  not_owner: 'Someone other than you named your assistant.',
  mention_only: 'It mentions your assistant but asks it nothing.',
  false_positive: 'The name meant someone or something else.',
  unclear: 'The model could not tell whether your assistant was asked something.',
  cadence: 'The group was answered a moment ago, or has reached its daily limit.',
  taken_back: 'It was deleted or edited before it was answered.',
  on_hold: 'Sending was on hold, and groups are not answered later.',
};

// Why a permitted message was not sent: the result of the re-check right before sending. Written to the ledger as
// `stop_message` about the message's id in the outbox; the reason can also be one of the policy's. Persisted: never
// rename one.

export const STOP_REASONS = {
  revoked: 'its permission was revoked before it was sent',
  altered: 'it differs from the message that was allowed',
  forged: 'its permit was not written by Relay',
  taken_over: 'you took over the conversation before it was sent',
  overtaken: 'the contact replied before this follow-up was sent',
  answered: 'the contact wrote before it was sent',
  conversation_over: 'the conversation ended before it was sent',
  unscheduled: 'the schedule was cancelled before it was sent',
  too_old: 'it would have been sent too long after you asked in the group',
  no_address: 'the contact has no known address',
  restored: 'it had been queued for more than a day when an archive was restored',
} as const;

export type StopReason = keyof typeof STOP_REASONS | ReasonCode;

export const STOP_ACTION = 'stop_message';

export const stopLedgerRow = (
  id: OutboxId,
  reason: StopReason,
  detail: LedgerDetail,
): LedgerRow => ({
  actor: 'recheck',
  action: STOP_ACTION,
  subject: { kind: 'outbox', id },
  outcome: 'stopped',
  reason,
  detail,
});

export function stopClause(reason: string): string {
  if (Object.hasOwn(STOP_REASONS, reason)) return STOP_REASONS[reason as keyof typeof STOP_REASONS];
  if (Object.hasOwn(REASONS, reason)) return toClause(REASONS[reason as ReasonCode].sentence);
  return `of the recorded reason ${reason}`;
}

// What came of a message that was handed to auto-reply or the assistant: one row `answer_message` about it
// each time that is decided, in the transaction that decides it. The last row about a message counts. The
// reasons are persisted: never rename one.
import type { ChatId, MessageId } from '../ids.ts';
import type { LedgerDetail, LedgerRow } from './detail.ts';

export type AnswerOutcome = 'answered' | 'waiting' | 'unanswered';

const answered = { outcome: 'answered' } as const;
const waiting = { outcome: 'waiting' } as const;
const unanswered = { outcome: 'unanswered' } as const;

export const ANSWERS = {
  /** The gate let the answer go; detail: `run`, `session`, `outbox`. */
  replied: answered,
  /** A slash command, carried out without a model. */
  command: answered,
  /** A run that had acted was killed: the answer says what was done and that it was interrupted. */
  interrupted: answered,
  /** The answer says why what was asked for could not be done. */
  failed: answered,

  /** The answer waits for the owner's yes; detail: `approval`. */
  draft: waiting,
  /** detail: `until`. */
  quiet_hours: waiting,
  hold: waiting,
  /** The contact's or the day's budget is used up; detail: `until`. */
  budget: waiting,
  /** The model could not be reached and is asked again; detail: `until`. */
  try_again: waiting,

  /** The grant lets the contact be read and not written to: no answer is sent, and by default none is composed. */
  read_only: unanswered,
  /** The model had nothing to say. */
  nothing_said: unanswered,
  /** The gate refused the answer; detail: `refusal`. */
  refused: unanswered,
  /** The grant was taken back before it was this message's turn. */
  grant_gone: unanswered,
  /** It arrived so long after it was written that an answer would confuse. */
  too_old: unanswered,
  /** The turns allowed for this contact are used up, and it is not kept for later. */
  budget_used: unanswered,
  /** Two machines seem to talk to each other. */
  loop: unanswered,
  model_failed: unanswered,
  /** No model is set up. */
  no_model: unanswered,
  /** A conversation with the contact has begun meanwhile and has the say. */
  conversation: unanswered,
  /** The owner wrote to the contact themselves before the answer was ready. */
  owner_wrote: unanswered,
  /** Later messages came before the answer was ready; the answer to the last one is for all of them. */
  overtaken: unanswered,
  /** The owner stopped the run. */
  stopped: unanswered,
  /** There was nothing in it that can be answered. */
  nothing_to_answer: unanswered,

  // In an observed group, where the assistant was named:
  not_owner: unanswered,
  /** The model's verdicts on it; `unclear` is none. */
  mention_only: unanswered,
  false_positive: unanswered,
  unclear: unanswered,
  /** The group was answered a moment ago, or as often as it may be in a day. */
  cadence: unanswered,
  /** It was taken back, or written anew, before it was answered. */
  taken_back: unanswered,
  /** Sending was on hold; a group is not answered later. */
  on_hold: unanswered,
} as const satisfies Record<string, { readonly outcome: AnswerOutcome }>;

export type AnswerReason = keyof typeof ANSWERS;

export interface AnswerRow {
  /** As the gate names it: `auto_reply:<chat>`, `assistant:<run>`; without a run, `assistant`. */
  readonly actor: string;
  readonly message: MessageId;
  readonly reason: AnswerReason;
  /** `chat` always: the id of a message is unique only within its chat. */
  readonly detail: LedgerDetail & { readonly chat: ChatId };
}

export const ANSWER_ACTION = 'answer_message';

/** For `appendLedger`. */
export const answerRow = ({ actor, message, reason, detail }: AnswerRow): LedgerRow => ({
  actor,
  action: ANSWER_ACTION,
  subject: { kind: 'message', id: message },
  outcome: ANSWERS[reason].outcome,
  reason,
  detail,
});

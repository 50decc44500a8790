// What became of a message that was handed to auto-reply, and why. Written to the ledger beside the
// router's decision. The codes are persisted: never rename one.

interface ReasonSpec {
  readonly outcome: 'answered' | 'drafted' | 'kept' | 'waiting' | 'skipped' | 'rested' | 'failed';
  readonly sentence: string;
}

const reason = <Outcome extends ReasonSpec['outcome']>(outcome: Outcome, sentence: string) => ({
  outcome,
  sentence,
});

export const AUTO_REPLY_REASONS = {
  answered: reason('answered', 'Answered by auto-reply.'),
  draft: reason('drafted', 'An answer was written and waits for your yes: `relay approvals`.'),
  late: reason(
    'drafted',
    'It was hours old when its turn came, so its answer waits for your yes: `relay approvals`.',
  ),
  not_writable: reason(
    'kept',
    'An answer was written and kept, but not sent: your grant does not let this contact be written to.',
  ),
  refused: reason('kept', 'An answer was written and kept, but the gate did not let it out.'),
  quiet_hours: reason('waiting', 'It is answered when the quiet hours end.'),
  grant_gone: reason('skipped', 'Not answered, because this contact may no longer be read.'),
  nothing_to_say: reason('skipped', 'Not answered, because the model had nothing to say.'),
  tokens_spent: reason(
    'skipped',
    'Not answered, because the tokens for today are used up (`agent.tokens_per_day`).',
  ),
  resting: reason('skipped', 'Not answered, because auto-reply rests for this contact.'),
  rapid: reason(
    'rested',
    'Not answered: messages went back and forth faster than people write, so auto-reply rests for this contact.',
  ),
  similar: reason(
    'rested',
    'Not answered: the contact said the same again and again, so auto-reply rests for this contact.',
  ),
  hour_cap: reason(
    'rested',
    'Not answered: the answers of this hour are used up (`auto_reply.answers_per_hour`), so auto-reply rests for this contact.',
  ),
  day_cap: reason(
    'rested',
    'Not answered: the answers of this day are used up (`auto_reply.answers_per_day`), so auto-reply rests for this contact.',
  ),
  model_failed: reason(
    'failed',
    'Not answered, because the model failed. `relay logs --level error` says why.',
  ),
  partial: reason(
    'failed',
    'Not answered: the model failed in the middle. What it had written is kept and was not sent.',
  ),
} as const satisfies Record<string, ReasonSpec>;

export type AutoReplyReason = keyof typeof AUTO_REPLY_REASONS;
/** Those that lead to one outcome. */
export type AutoReplyReasonFor<Outcome extends ReasonSpec['outcome']> = {
  [Code in AutoReplyReason]: (typeof AUTO_REPLY_REASONS)[Code]['outcome'] extends Outcome
    ? Code
    : never;
}[AutoReplyReason];

export const autoReplySentence = (code: AutoReplyReason): string =>
  AUTO_REPLY_REASONS[code].sentence;

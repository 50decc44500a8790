// Every reason of the policy, with its outcome and the sentence for people: why, and the next step if there is one.
// Reasons are persisted in the ledger: never rename one.
import { ERRORS, RelayError } from '@relay/contract/errors';

export const DECISION_OUTCOMES = ['deny', 'needs_approval', 'allow'] as const;
type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];

interface ReasonSpec {
  readonly outcome: DecisionOutcome;
  readonly sentence: string;
}

const allow = (sentence: string) => ({ outcome: 'allow', sentence }) as const;
const ask = (sentence: string) => ({ outcome: 'needs_approval', sentence }) as const;
const deny = (sentence: string) => ({ outcome: 'deny', sentence }) as const;

export const REASONS = {
  // Allowed
  owner: allow('You did this yourself.'),
  own_chat: allow('It is your own chat.'),
  owners_assistant: allow('Your own assistant may look this up for you.'),
  standing_grant: allow('Your standing grant for this chat allows it.'),
  conversation_grant: allow('You permitted it when this conversation was created.'),
  scheduled: allow('It was scheduled with your consent, to this chat and in these words.'),
  narrowing: allow('It only takes permissions away, which takes effect at once.'),
  token_scope: allow('The scopes of this token allow it.'),
  approved: allow('You approved exactly this.'),

  // The owner decides; each becomes an approval
  draft: ask('Replies here are drafts. Read it under `relay approvals` and send it with your yes.'),
  first_contact: ask(
    'This person was never written to from this account. Approve the first message under `relay approvals`.',
  ),
  confirm: ask(
    'You are asked before this is sent. Say yes where it asks you, or under `relay approvals`.',
  ),
  late: ask(
    'The message had waited for hours before it was answered. Read the answer under `relay approvals` and send it with your yes.',
  ),
  edited: ask(
    'You changed the words, so they need a yes of their own. Say it under `relay approvals`.',
  ),
  widening: ask(
    'Only you widen a grant or change whom it names. Say yes or no under `relay approvals`.',
  ),
  start_conversation: ask(
    'Agents may not start conversations with this contact by themselves. Approve this one under `relay approvals`.',
  ),
  // For reasons that begin with `read_then_`, the ledger records what the run had read.
  read_then_send: ask(
    'The agent had read text of others before it wrote this, so it may not be its own idea. Check it under `relay approvals`.',
  ),
  read_then_grant: ask(
    'The agent had read messages of others before it asked to change a grant. Check it under `relay approvals`.',
  ),
  hidden_characters: ask(
    'The text has characters that cannot be seen or that change how it reads. Check it under `relay approvals`.',
  ),
  read_then_cancel: ask(
    'The agent had read text of others before it asked to cancel this. Check it under `relay approvals`.',
  ),
  read_then_schedule: ask(
    'The agent had read messages of others before it scheduled this. Check it under `relay approvals`.',
  ),
  read_then_start: ask(
    'The agent had read messages of others before it started this conversation. Check it under `relay approvals`.',
  ),

  quotes_private: ask(
    'The message quotes what you told the agent in confidence. Read it under `relay approvals` and send it with your yes, or reject it and resume the conversation.',
  ),

  // Refused: the actor
  no_rule: deny('No rule allows this, so it is refused.'),
  owner_only: deny('Only you may do this. Do it yourself in the console or with `relay`.'),
  widening_owner_only: deny(
    'Only you widen a grant. Change it yourself with `relay grant`, or under People & grants in the console.',
  ),
  session_only_replies: deny(
    'A session with a contact may answer in its own chat and do nothing else.',
  ),
  observer_is_silent: deny('The observer reads and never sends or changes anything.'),
  notifier_only_tells: deny('The notifier writes to you in your own chat and to nobody else.'),
  scheduler_only_sends: deny('The scheduler sends what was scheduled and does nothing else.'),
  not_a_reader: deny('This kind of agent has no business reading that.'),
  missing_scope: deny(
    'This token lacks the scope for it. `relay token create` makes one that has it.',
  ),
  contact_not_on_token: deny(
    'This token is limited to certain contacts and this is none of them. `relay token create` makes another.',
  ),
  token_gone: deny(
    'The token of the program that asked was revoked or has expired. Whoever still needs it gets another with `relay token create`.',
  ),

  not_its_own: deny(
    'Somebody else began it, and a program ends only what it began. End it yourself with `relay`.',
  ),
  paused_by_another: deny(
    'A program resumes only what it paused itself and you have not taken over since. Resume it yourself with `relay resume`.',
  ),
  program_gone: deny(
    'The program that scheduled it has lost its token or the scope for it. Schedule it yourself with `relay schedule`.',
  ),

  // Refused: the current state
  hold: deny('Sending is on hold. `relay release` ends the hold.'),
  time_locked: deny(
    'WhatsApp does not let this account write to new people for now. Try again when the lock has ended; `relay status` shows it.',
  ),
  first_contact_cap: deny(
    'Your settings allow no first contacts. Raise `pacing.first_contacts_per_day` above 0 to write to new people.',
  ),
  not_on_whatsapp: deny(ERRORS.not_on_whatsapp.sentence),

  too_many_waiting: deny(
    'Too many approvals are waiting already. Answer some of them under `relay approvals`, then ask again.',
  ),

  // Refused: the text
  unsendable: deny('It holds a character that no message can carry.'),

  // Refused: the place
  unknown_chat: deny('There is no such chat.'),
  unknown_contact: deny('There is no such contact or group.'),
  wrong_facts: deny('What is known is about another chat, so nothing was decided on it.'),
  unresolved_identity: deny(
    'It is not certain who this is, so nobody may read or write here. It resolves itself when WhatsApp names the contact.',
  ),
  other_chat: deny('This session is bound to another chat.'),
  direct_chats_only: deny('This works in direct chats only, not in a group.'),
  yourself: deny('This is your own number. A conversation needs somebody else.'),
  observed_group: deny(
    'This group is observed in silence: an answer goes there only when you ask for it there.',
  ),
  group_rests: deny(
    'This group was answered a moment ago, or as often as it may be in a day. `observer` in the settings says how often.',
  ),

  // Refused: the grant
  no_grant: deny('You have granted nothing here. `relay grant` does.'),
  no_read_grant: deny('You have not allowed reading here. `relay grant … --read` does.'),
  no_reply_grant: deny('You have not allowed writing here. `relay grant … --reply` does.'),
  no_initiate_grant: deny(
    'You have not allowed agents to start conversations here. `relay grant … --initiate` does.',
  ),
  not_in_conversation: deny(
    'The permission was for one conversation with one contact; this is not it.',
  ),
  conversation_ended: deny(
    'The conversation has ended and its permission with it. `relay create` starts another.',
  ),
  not_observed: deny('This group is not observed. `relay observe` begins it.'),
  no_schedule: deny('Nothing of this kind was scheduled, so nothing is sent.'),
  schedule_changed: deny(
    'It is not what was scheduled: the chat or the words differ. Schedule it anew with `relay schedule`.',
  ),

  // Refused: the approval
  approval_differs: deny(
    'What you approved was something else. Approve this under `relay approvals`.',
  ),
  approval_spent: deny(
    'That approval was used already; each is good for once. Approve it anew under `relay approvals`.',
  ),
} as const satisfies Record<string, ReasonSpec>;

export type ReasonCode = keyof typeof REASONS;
/** The reasons that lead to one outcome. */
export type ReasonFor<O extends DecisionOutcome> = {
  [Code in ReasonCode]: (typeof REASONS)[Code]['outcome'] extends O ? Code : never;
}[ReasonCode];

export interface Decision {
  readonly outcome: DecisionOutcome;
  readonly reason: ReasonCode;
}

/** The reason determines the outcome, so that the two never disagree. */
export const decisionFor = (reason: ReasonCode): Decision => ({
  outcome: REASONS[reason].outcome,
  reason,
});

/** The error for the caller: a refusal that a client can act on has its own error code. */
export const refusalError = (reason: ReasonCode): RelayError =>
  reason === 'not_on_whatsapp'
    ? new RelayError(reason)
    : new RelayError('denied', { reason: reasonSentence(reason) });

export const reasonSentence = (reason: ReasonCode): string => REASONS[reason].sentence;

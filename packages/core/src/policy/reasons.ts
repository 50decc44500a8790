// Every reason of the policy, with its outcome, why (`sentence`) and, if something can be done, what to do (`action`).
// Reasons are persisted in the ledger: never rename one.
import { ERRORS, RelayError } from '@relay/contract/errors';

export const DECISION_OUTCOMES = ['deny', 'needs_approval', 'allow'] as const;
type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];

interface ReasonSpec {
  readonly outcome: DecisionOutcome;
  readonly sentence: string;
  readonly action?: string;
}

const allow = (sentence: string) => ({ outcome: 'allow', sentence }) as const;
const ask = (sentence: string, action = 'Approve or decline it with `relay approvals`.') =>
  ({ outcome: 'needs_approval', sentence, action }) as const;
const deny = (sentence: string, action?: string) =>
  ({ outcome: 'deny', sentence, ...(action === undefined ? {} : { action }) }) as const;

export const REASONS = {
  // Allowed
  owner: allow('You did this yourself.'),
  own_chat: allow('This is your own chat.'),
  owners_assistant: allow('Your assistant may look this up for you.'),
  standing_grant: allow('Your grant for this chat allows it.'),
  conversation_grant: allow('You allowed it when you created this conversation.'),
  scheduled: allow('You agreed to this scheduled text for this chat.'),
  narrowing: allow('It only removes permissions.'),
  token_scope: allow('The scopes of this token allow it.'),
  approved: allow('You approved exactly this.'),

  // The owner decides; each becomes an approval
  draft: ask('Replies in this chat are drafts that you approve.'),
  first_contact: ask('This account has never written to this person.'),
  confirm: ask('Each message needs your confirmation before it is sent.'),
  late: ask('The message was several hours old when it was answered.'),
  spoken: ask('You said this in a voice message, and its transcript may be wrong.'),
  edited: ask('You changed the text, so it needs a new approval.'),
  widening: ask('Only you can extend a grant or change its contact.'),
  start_conversation: ask('Agents may not start conversations with this contact on their own.'),
  // For reasons that begin with `read_then_`, the ledger records what the run had read.
  read_then_send: ask('The agent had read text of other people before it wrote this.'),
  read_then_grant: ask(
    'The agent had read messages of other people before it asked to change a grant.',
  ),
  hidden_characters: ask(
    'The text contains invisible characters, or characters that change how it reads.',
  ),
  read_then_cancel: ask('The agent had read text of other people before it asked to cancel this.'),
  read_then_schedule: ask('The agent had read messages of other people before it scheduled this.'),
  read_then_start: ask(
    'The agent had read messages of other people before it started this conversation.',
  ),

  quotes_private: ask(
    'The message quotes something you told the agent in confidence.',
    'Approve or decline it with `relay approvals`; after declining, resume the conversation.',
  ),

  // Refused: the actor
  no_rule: deny('No rule allows this.'),
  owner_only: deny('Only you may do this.', 'Do it in the console or with the `relay` command.'),
  widening_owner_only: deny(
    'Only you can extend a grant.',
    'Change it with `relay grant`, or in the console under People and grants.',
  ),
  session_only_replies: deny('An agent that answers a contact may only reply in that chat.'),
  observer_is_silent: deny('The observer only reads; it never sends or changes anything.'),
  notifier_only_tells: deny('Notifications go only to your own chat.'),
  scheduler_only_sends: deny('The scheduler only sends what was scheduled.'),
  not_a_reader: deny('This kind of agent may not read that.'),
  missing_scope: deny(
    'This token does not have the scope for it.',
    'Create a token with that scope with `relay token create`.',
  ),
  contact_not_on_token: deny(
    'This token is limited to other contacts.',
    'Create another token with `relay token create`.',
  ),
  token_gone: deny(
    'The token of the client was revoked or has expired.',
    'Create another with `relay token create`.',
  ),

  not_its_own: deny(
    'A client can end only what it started itself.',
    'End it yourself with `relay`.',
  ),
  paused_by_another: deny(
    'A client can resume only what it paused itself and you have not taken over since.',
    'Resume it yourself with `relay resume`.',
  ),
  program_gone: deny(
    'The client that scheduled this lost its token or its scope.',
    'Schedule it yourself with `relay schedule`.',
  ),

  // Refused: the current state
  hold: deny('Sending is on hold.', 'End the hold with `relay release`.'),
  time_locked: deny(
    'WhatsApp currently blocks this account from writing to new people.',
    'Try again when the block has ended; `relay status` shows it.',
  ),
  first_contact_cap: deny(
    'Your settings allow no first contacts.',
    'Raise `pacing.first_contacts_per_day` above 0 to write to new people.',
  ),
  not_on_whatsapp: deny(ERRORS.not_on_whatsapp.sentence, ERRORS.not_on_whatsapp.action),

  too_many_waiting: deny(
    'Too many approvals are pending.',
    'Answer some of them with `relay approvals`, then ask again.',
  ),

  // Refused: the text
  unsendable: deny('The text contains a character that cannot be sent.'),

  // Refused: what it refers to
  no_such_file: deny(
    'There is no such file, or it is no longer the one that was named.',
    'Upload it again.',
  ),
  file_not_given: deny(
    'This agent may send only files of its own chat, or files that you attached to the conversation.',
  ),
  no_such_message: deny('There is no such message in this chat.'),
  not_own_message: deny('Only a message that its sender wrote can be edited or deleted.'),
  too_late_to_change: deny('WhatsApp no longer allows this message to be changed.'),

  // Refused: the place
  unknown_chat: deny('There is no such chat.'),
  unknown_contact: deny('There is no such contact or group.'),
  wrong_facts: deny('The data for this decision belongs to another chat.'),
  unresolved_identity: deny(
    'It is not certain who this is.',
    'Wait until WhatsApp has identified the contact.',
  ),
  other_chat: deny('This agent may write only in another chat.'),
  direct_chats_only: deny('This works only in direct chats, not in groups.'),
  yourself: deny('This is your own number.', 'Choose another person for a conversation.'),
  observed_group: deny(
    'This group is observed silently: answers are sent there only when you ask there.',
  ),
  group_rests: deny(
    'This group was answered a moment ago, or has reached its daily limit.',
    'Change the limits under `observer` in the settings.',
  ),

  // Refused: the grant
  no_grant: deny('This contact has no grant.', 'Add one with `relay grant`.'),
  no_read_grant: deny(
    'You have not allowed reading here.',
    'Allow it with `relay grant … --read`.',
  ),
  no_reply_grant: deny(
    'You have not allowed replies here.',
    'Allow them with `relay grant … --reply`.',
  ),
  no_initiate_grant: deny(
    'You have not allowed agents to start conversations here.',
    'Allow it with `relay grant … --initiate`.',
  ),
  not_in_conversation: deny('The permission was for another conversation or contact.'),
  conversation_ended: deny(
    'The conversation has ended, and its permission with it.',
    'Start another with `relay create`.',
  ),
  not_observed: deny('This group is not observed.', 'Observe it with `relay observe add`.'),
  no_schedule: deny('There is no such schedule.'),
  schedule_changed: deny(
    'The chat or the text differs from what was scheduled.',
    'Schedule it again with `relay schedule`.',
  ),

  // Refused: the approval
  approval_differs: deny(
    'You approved something else.',
    'Approve this one with `relay approvals`.',
  ),
  approval_spent: deny(
    'This approval was already used.',
    'Approve it again with `relay approvals`.',
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
    : new RelayError(
        'denied',
        { reason: REASONS[reason].sentence },
        { action: specOf(reason).action, reason },
      );

/** Why, and what to do. */
export const reasonText = (reason: ReasonCode): string => {
  const { sentence, action } = specOf(reason);
  return action === undefined ? sentence : `${sentence} ${action}`;
};

const specOf = (reason: ReasonCode): ReasonSpec => REASONS[reason];

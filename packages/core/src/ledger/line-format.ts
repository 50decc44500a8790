// Formats a row of the ledger for people: actor, action and reason. Values that this version does not know are shown
// verbatim.
import { REASONS, type ReasonCode } from '../policy/reasons.ts';
import { ROUTE_REASONS } from '../router/route.ts';
import { ANSWER_REASON_SENTENCES, STOP_REASONS } from './rows.ts';

export const LEDGER_ACTIONS: Readonly<Record<string, string>> = {
  route_message: 'receive a message',
  answer_message: 'answer a message',
  send_message: 'write a message',
  stop_message: 'send a message',
  schedule_message: 'schedule a message',
  cancel_schedule: 'cancel a scheduled message',
  create_conversation: 'start a conversation',
  pause_conversation: 'pause a conversation',
  resume_conversation: 'resume a conversation',
  cancel_conversation: 'cancel a conversation',
  manage_grant: 'change a grant',
  set_hold: 'hold or release all sending',
  answer_approval: 'answer an approval',
  observe_group: 'observe a group',
  unobserve_group: 'stop observing a group',
  merge_contacts: 'merge contacts',
  forget: 'erase a contact or group',
  enforce_retention: 'delete old data',
  react: 'react',
  mark_read: 'mark as read',
};

export const describeAction = (action: string): string =>
  Object.hasOwn(LEDGER_ACTIONS, action)
    ? (LEDGER_ACTIONS[action] ?? action)
    : action.replaceAll('_', ' ');

/** The reasons that only one action has, by action; all other reasons are the policy's. */
export const ACTION_REASONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  route_message: ROUTE_REASONS,
  answer_message: ANSWER_REASON_SENTENCES,
  stop_message: STOP_REASONS,
  merge_contacts: { same_person: 'WhatsApp reports that both are the same person.' },
  enforce_retention: { too_old: 'It was older than the retention limit.' },
};

export function describeReason(action: string, reason: string): string {
  const own = Object.hasOwn(ACTION_REASONS, action) ? (ACTION_REASONS[action] ?? {}) : {};
  const words = Object.hasOwn(own, reason) ? own[reason] : undefined;
  if (words !== undefined) return sentence(words);
  return Object.hasOwn(REASONS, reason)
    ? REASONS[reason as ReasonCode].sentence
    : sentence(reason.replaceAll('_', ' '));
}

const sentence = (words: string): string =>
  `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${words.endsWith('.') ? '' : '.'}`;

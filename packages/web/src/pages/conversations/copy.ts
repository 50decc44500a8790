// Texts of the board and the list: the summary, the next step, and the reason for a state. Pure.

import type { ListedContact } from '@relay/contract/api/contacts';
import type {
  ConversationInstance,
  InstanceCounts,
  ListedInstance,
} from '@relay/contract/api/instances';
import type { DaemonStatus } from '@relay/contract/api/status';
import {
  FOLLOW_UP_SUSPENDED_SENTENCE,
  type InstanceState,
  STATE_SENTENCES,
  UNSENT_SENTENCES,
  WAITS_FOR_APPROVAL,
  type WhoseTurn,
} from '@relay/contract/conversation/states';
import { type TextId, t } from '../../i18n.ts';
import { formatContact, formatMoment, formatSpan } from '../../parts/format.ts';
import type { Hue } from '../../theme/theme.ts';
import type { DraftRecipient } from './draft.ts';

export const TURN_HUES: Readonly<Record<WhoseTurn, Hue>> = {
  you: 'you',
  agent: 'agent',
  them: 'them',
  parked: 'parked',
  ended: 'parked',
};

const countOpen = ({ by_turn: { you, agent, them, parked } }: InstanceCounts): number =>
  you + agent + them + parked;

export const countAll = (counts: InstanceCounts): number =>
  countOpen(counts) + counts.by_turn.ended;

export const boardSummary = (counts: InstanceCounts): string =>
  t('conversations.board.summary', { open: countOpen(counts), you: counts.by_turn.you });

export const listSummary = (counts: InstanceCounts): string =>
  t('conversations.list.summary', { all: countAll(counts), open: countOpen(counts) });

export const conversationContact = ({ contact_name, target_contact }: ListedInstance): string =>
  contact_name ?? formatContact(target_contact);

/** A skipped to-do is settled too. */
export const countSettledTodos = ({ todos }: ListedInstance): number =>
  todos.filter(({ status }) => status === 'completed' || status === 'skipped').length;

/** The automatic next step without a reply; null where no timer runs. */
export function followUpLine(instance: ListedInstance, now: number): string | null {
  const { next_follow_up_at: at, follow_up_count: sent, heartbeat_config: config } = instance;
  if (at === null) return null;
  const step = sent < config.max_followups ? 'followUp' : 'end';
  const values = { number: sent + 1, total: config.max_followups };
  const left = Date.parse(at) - now;
  if (left < 60_000) return t(`conversations.next.${step}.soon`, values);
  return left < 12 * 3_600_000
    ? t(`conversations.next.${step}.in`, { ...values, span: formatSpan(left) })
    : t(`conversations.next.${step}.at`, { ...values, time: formatMoment(at, now) });
}

type InstanceWithReason = Pick<ConversationInstance, 'reason' | 'state' | 'failure_reason'>;

/** The API ends a cancelled conversation as FAILED with this reason. */
const isCancelled = ({ failure_reason }: Pick<InstanceWithReason, 'failure_reason'>) =>
  failure_reason === 'cancelled';

const UNSENT_REASONS: Readonly<Partial<Record<InstanceState, TextId>>> = {
  CREATED: 'conversations.reason.unsent.ACTIVE',
  ACTIVE: 'conversations.reason.unsent.ACTIVE',
  WAITING_FOR_REPLY: 'conversations.reason.unsent.WAITING_FOR_REPLY',
  WAITING_FOR_AGENT: 'conversations.reason.unsent.WAITING_FOR_AGENT',
};

/** The text for a standard sentence of the API; undefined for one that the daemon or the agent wrote. */
function standardReason({ reason, state }: InstanceWithReason): TextId | undefined {
  if (reason === STATE_SENTENCES[state]) return `conversations.reason.${state}`;
  if (reason === WAITS_FOR_APPROVAL) return 'conversations.reason.approval';
  if (reason === UNSENT_SENTENCES[state]) return UNSENT_REASONS[state];
  return reason === FOLLOW_UP_SUSPENDED_SENTENCE
    ? 'conversations.reason.followUpSuspended'
    : undefined;
}

export function stateReason(instance: InstanceWithReason): string {
  if (isCancelled(instance)) return t('conversations.reason.cancelled');
  const standard = standardReason(instance);
  return standard === undefined ? instance.reason : t(standard);
}

/** Whether the reason says more than the state, which the badge shows. */
export const hasOwnReason = (instance: InstanceWithReason): boolean =>
  !isCancelled(instance) && instance.reason !== STATE_SENTENCES[instance.state];

/** The reason for the state; null where it only repeats the state. */
export const reasonLine = (instance: ListedInstance): string | null => {
  if (instance.approval_id !== null) return t('conversations.reason.approval');
  return hasOwnReason(instance) ? stateReason(instance) : null;
};

/** `now`, `6 min`, `3 h`, `2 d`. */
export function changeTime(at: string, now: number): string {
  const ms = now - Date.parse(at);
  return ms < 60_000 ? t('conversations.now') : formatSpan(ms);
}

// Notes on a recipient, shown before the conversation starts: the access, the limit on first messages, and obstacles.
// Pure.

interface RecipientNote {
  readonly hue: Hue;
  readonly text: string;
}

interface RecipientFacts {
  readonly recipient: DraftRecipient;
  /** Null for an unknown number. */
  readonly contact: Pick<ListedContact, 'grant' | 'last_message_at'> | null;
  /** The open conversation with them, if there is one. */
  readonly running: Pick<ListedInstance, 'objective'> | null;
  readonly status: Pick<DaemonStatus, 'hold' | 'whatsapp_connected'> & {
    readonly whatsapp: Pick<DaemonStatus['whatsapp'], 'phone_number'>;
    readonly sending: Pick<
      DaemonStatus['sending'],
      'first_contacts_today' | 'caps' | 'frozen_until'
    >;
  };
  readonly now: number;
}

export const recipientName = ({ name, phone }: DraftRecipient): string =>
  name ?? formatContact(phone);

export function describeRecipient(facts: RecipientFacts): readonly RecipientNote[] {
  return [...accessNotes(facts), ...firstContactNotes(facts), ...obstacleNotes(facts)];
}

function accessNotes({ recipient, contact }: RecipientFacts): readonly RecipientNote[] {
  const name = recipientName(recipient);
  const grant = grantKind(contact?.grant ?? null);
  return [
    { hue: 'agent', text: t(`conversations.recipient.grant.${grant}`, { name }) },
    { hue: 'agent', text: t('conversations.recipient.access', { name }) },
  ];
}

function grantKind(grant: ListedContact['grant']): 'none' | 'read' | 'reply' | 'draft' | 'auto' {
  if (grant === null || !(grant.can_read || grant.can_reply)) return 'none';
  if (!grant.can_reply) return 'read';
  if (!grant.can_read) return 'reply';
  return grant.reply_mode === 'draft' ? 'draft' : 'auto';
}

/** As the gate defines it: neither side has written yet. */
function firstContactNotes({
  recipient,
  contact,
  status,
  now,
}: RecipientFacts): readonly RecipientNote[] {
  if (contact !== null && contact.last_message_at !== null) return [];
  const { first_contacts_today: today, caps, frozen_until: until } = status.sending;
  const name = recipientName(recipient);
  if (until !== null && Date.parse(until) > now) {
    const time = formatMoment(until, now);
    return [{ hue: 'held', text: t('conversations.recipient.first.frozen', { name, time }) }];
  }
  if (!caps.enabled) return [{ hue: 'parked', text: t('conversations.recipient.first', { name }) }];
  const max = caps.first_contacts_per_day;
  if (max === 0) {
    return [{ hue: 'held', text: t('conversations.recipient.first.notAllowed', { name }) }];
  }
  const text =
    today >= max
      ? t('conversations.recipient.first.queued', { name, max })
      : t('conversations.recipient.first.counted', { name, max, number: today + 1 });
  return [{ hue: 'parked', text }];
}

function obstacleNotes({ recipient, running, status }: RecipientFacts): readonly RecipientNote[] {
  const notes: RecipientNote[] = [];
  if (status.whatsapp.phone_number === recipient.phone) {
    notes.push({ hue: 'held', text: t('conversations.recipient.ownNumber') });
  }
  if (running !== null) {
    const values = { name: recipientName(recipient), goal: running.objective };
    notes.push({ hue: 'parked', text: t('conversations.recipient.busy', values) });
  }
  if (status.hold) {
    notes.push({ hue: 'parked', text: t('conversations.recipient.hold') });
  } else if (!status.whatsapp_connected) {
    notes.push({ hue: 'parked', text: t('conversations.recipient.offline') });
  }
  return notes;
}

// Texts of the board: names of the turns, the summary, and the line that says what happens next. Pure.

import type { ListedContact } from '@relay/contract/api/contacts';
import type { InstanceCounts, ListedInstance } from '@relay/contract/api/instances';
import type { DaemonStatus } from '@relay/contract/api/status';
import { STATE_SENTENCES, type WhoseTurn } from '@relay/contract/conversation/states';
import {
  countInWords,
  formatContact,
  formatMoment,
  formatSpan,
  groupDigits,
  plural,
} from '../../parts/format.ts';
import { grantSentence } from '../../parts/grant-copy.ts';
import type { Hue } from '../../theme/theme.ts';
import type { DraftRecipient } from './draft.ts';

interface TurnDisplay {
  readonly title: string;
  /** For narrow places. */
  readonly short: string;
  readonly note: string;
  readonly hue: Hue;
  readonly empty: string;
}

export const TURN_DISPLAY: Readonly<Record<WhoseTurn, TurnDisplay>> = {
  you: {
    title: 'Your turn',
    short: 'You',
    note: 'It asked, or waits for a yes.',
    hue: 'you',
    empty: 'Nothing waits for you.',
  },
  agent: {
    title: 'Agent’s turn',
    short: 'Agent',
    note: 'Reading, writing or about to.',
    hue: 'agent',
    empty: 'The agent has nothing to write.',
  },
  them: {
    title: 'Their turn',
    short: 'Them',
    note: 'Waiting for an answer.',
    hue: 'them',
    empty: 'Nobody owes an answer.',
  },
  parked: {
    title: 'Parked',
    short: 'Parked',
    note: 'Held by you, or in line.',
    hue: 'parked',
    empty: 'Nothing is held or in line.',
  },
  ended: {
    title: 'Ended',
    short: 'Ended',
    note: 'Done, given up or cancelled.',
    hue: 'parked',
    empty: 'Nothing has ended yet.',
  },
};

const countOpen = ({ by_turn: { you, agent, them, parked } }: InstanceCounts): number =>
  you + agent + them + parked;

export const countAll = (counts: InstanceCounts): number =>
  countOpen(counts) + counts.by_turn.ended;

export function boardSentence(counts: InstanceCounts): string {
  const { you } = counts.by_turn;
  if (countAll(counts) === 0) return 'Whose turn is it? Nobody’s yet.';
  if (you === 0) return 'Whose turn is it? None is yours.';
  return `Whose turn is it? ${countInWords(you, 'is', 'are')} yours.`;
}

export const boardLead = (counts: InstanceCounts): string =>
  `${plural(countOpen(counts), 'open conversation')}. Cards move by themselves; open one to see its legal moves.`;

export const listLead = (counts: InstanceCounts): string =>
  `${plural(countAll(counts), 'conversation')}, ${groupDigits(countOpen(counts))} open. Whatever changed last stands at the top.`;

export const conversationContact = ({ contact_name, target_contact }: ListedInstance): string =>
  contact_name ?? formatContact(target_contact);

/** A skipped to-do is settled too. */
export const countSettledTodos = ({ todos }: ListedInstance): number =>
  todos.filter(({ status }) => status === 'completed' || status === 'skipped').length;

/** What happens automatically if nobody answers; null where no timer runs. */
export function followUpLine(instance: ListedInstance, now: number): string | null {
  const { next_follow_up_at: at, follow_up_count: sent, heartbeat_config: config } = instance;
  if (at === null) return null;
  const what =
    sent < config.max_followups ? `Follow-up ${sent + 1} of ${config.max_followups}` : 'Gives up';
  const left = Date.parse(at) - now;
  if (left < 60_000) return `${what} within a minute`;
  return left < 12 * 3_600_000
    ? `${what} in ${formatSpan(left)}`
    : `${what} ${formatMoment(at, now)}`;
}

/** The reason for the state; null where it only repeats the state, which the badge shows. */
export const reasonLine = ({ reason, state, approval_id }: ListedInstance): string | null => {
  if (approval_id !== null) return 'A message waits for your yes.';
  return reason === STATE_SENTENCES[state] ? null : reason;
};

/** `now`, `6 min`, `3 h`, then the day. */
export function changeTime(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (ms < 60_000) return 'now';
  return ms < 86_400_000 ? formatSpan(ms) : `${Math.floor(ms / 86_400_000)} d`;
}

// What starting a conversation with a contact means, shown before it starts: what is allowed, what is new, what
// prevents it. Pure.

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

export function describeRecipient(known: RecipientFacts): readonly RecipientNote[] {
  return [...accessNotes(known), ...firstContactNotes(known), ...obstacleNotes(known)];
}

function accessNotes({ recipient, contact }: RecipientFacts): readonly RecipientNote[] {
  const who = recipientName(recipient);
  const grant = contact?.grant ?? null;
  const standing =
    grant === null
      ? `Nothing is open for ${who}.`
      : grantSentence({
          displayName: who,
          canRead: grant.can_read,
          canReply: grant.can_reply,
          replyMode: grant.reply_mode,
        });
  return [
    {
      hue: 'agent',
      text: `${standing} Inside this conversation Relay reads ${who} and writes without asking you each time; that closes when it ends.`,
    },
  ];
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
  const who = recipientName(recipient);
  if (until !== null && Date.parse(until) > now) {
    return [
      {
        hue: 'held',
        text: `This would be a first message to ${who}, and WhatsApp froze some sending until ${formatMoment(until, now)}. Relay may refuse it until then.`,
      },
    ];
  }
  if (!caps.enabled) return [{ hue: 'parked', text: `This is the first message to ${who}.` }];
  const most = caps.first_contacts_per_day;
  if (most === 0) {
    return [
      { hue: 'held', text: `Your settings allow no first messages, and this is one to ${who}.` },
    ];
  }
  return today >= most
    ? [
        {
          hue: 'parked',
          text: `This is a first message to ${who}, and ${most} new people a day is the limit. It is queued and leaves when there is room, tomorrow at the latest unless others wait before it.`,
        },
      ]
    : [
        {
          hue: 'parked',
          text: `This is the first message to ${who}: new person ${today + 1} of ${most} today.`,
        },
      ];
}

function obstacleNotes({ recipient, running, status }: RecipientFacts): readonly RecipientNote[] {
  const said: RecipientNote[] = [];
  const who = recipientName(recipient);
  if (status.whatsapp.phone_number === recipient.phone) {
    said.push({
      hue: 'held',
      text: 'This is your own number. Relay starts no conversation with you.',
    });
  }
  if (running !== null) {
    said.push({
      hue: 'parked',
      text: `“${running.objective}” is open with ${who}. This one waits in line until that has ended.`,
    });
  }
  if (status.hold) {
    said.push({
      hue: 'parked',
      text: 'You hold all sending. The first message leaves when you let go.',
    });
  } else if (!status.whatsapp_connected) {
    said.push({
      hue: 'parked',
      text: 'WhatsApp is not connected. The first message leaves when it is.',
    });
  }
  return said;
}

// What beginning a conversation with somebody means, said before it is begun: what is open, what is new, what stands in
// the way. Pure.
import type { ListedContact } from '@relay/core/api/contacts';
import type { ListedInstance } from '@relay/core/api/instances';
import type { DaemonStatus } from '@relay/core/api/status';
import { grantSentence } from '../../parts/grant-words.ts';
import { named } from '../../parts/numbers.ts';
import { moment } from '../../parts/times.ts';
import type { Hue } from '../../theme/hues.ts';
import type { Recipient } from './draft.ts';

export interface Said {
  readonly hue: Hue;
  readonly text: string;
}

interface Known {
  readonly recipient: Recipient;
  /** Null for a number that nobody is known by. */
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

export const calledOf = ({ name, phone }: Recipient): string => name ?? named(phone);

export function saidOf(known: Known): readonly Said[] {
  return [...openness(known), ...firstContact(known), ...inTheWay(known)];
}

function openness({ recipient, contact }: Known): readonly Said[] {
  const who = calledOf(recipient);
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

/** As the gate sees it: neither side has written yet. */
function firstContact({ recipient, contact, status, now }: Known): readonly Said[] {
  if (contact !== null && contact.last_message_at !== null) return [];
  const { first_contacts_today: today, caps, frozen_until: until } = status.sending;
  const who = calledOf(recipient);
  if (until !== null && Date.parse(until) > now) {
    return [
      {
        hue: 'held',
        text: `This would be a first message to ${who}, and WhatsApp froze some sending until ${moment(until, now)}. Relay may refuse it until then.`,
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

function inTheWay({ recipient, running, status }: Known): readonly Said[] {
  const said: Said[] = [];
  const who = calledOf(recipient);
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

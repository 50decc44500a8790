// The messages of the groups on each simulated day: lines of the two labelled weeks, shuffled with a seed, spread over
// the waking hours in the group's time zone; and several times a day the owner asks something.
import { findZone, type Zone } from '@relay/core/schedule/zone';
import { GROUPS, readWeek } from '@relay/testing/observer/weeks';
import type { proto } from '@whiskeysockets/baileys';

const HOUR = 3_600_000;

export const ME = '15550000000@s.whatsapp.net';

export interface Group {
  readonly address: string;
  readonly zone: Zone;
}

/** Their clocks change within the period, a week apart. */
export const THE_GROUPS: readonly Group[] = ['Europe/London', 'America/New_York'].map((name, n) => {
  const zone = findZone(name);
  if (zone === null) throw new Error(name);
  return { address: `12036300000000000${n}@g.us`, zone };
});

export interface GroupPost {
  readonly id: string;
  readonly chat: string;
  readonly sender: string;
  readonly name: string;
  readonly at: Date;
  readonly content: proto.IMessage;
}

/** In the group's time zone: from seven in the morning until one at night. */
const WAKES_AT = 7;
const AWAKE_HOURS = 18;
/** How often the owner asks in a group per day: more than may be answered. */
const REQUESTS = 8;
const MEMBERS = 14;

const LINES = GROUPS.flatMap((name) => readWeek(name).messages.map(({ message }) => message))
  .filter(({ quotedId, replaces }) => quotedId === null && replaces === null)
  .flatMap(({ kind, text, forwarded }): proto.IMessage[] => {
    if (kind === 'text')
      return [{ extendedTextMessage: { text, contextInfo: { isForwarded: forwarded } } }];
    if (kind === 'image') return [{ imageMessage: { caption: text } }];
    if (kind === 'sticker') return [{ stickerMessage: {} }];
    return kind === 'audio' ? [{ audioMessage: {} }] : [];
  });

let ids = 0;

/** In order. `midnight` is the start of the group's day, as a local time. */
export function postsOfDay(
  { address, zone }: Group,
  midnight: number,
  messages: number,
  random: () => number,
): readonly GroupPost[] {
  const said = Array.from({ length: messages }, (_, n): GroupPost => {
    const asks = n < Math.min(REQUESTS, messages / 4);
    const member = Math.floor(random() * MEMBERS);
    const local = midnight + WAKES_AT * HOUR + Math.floor(random() * AWAKE_HOURS * 3_600) * 1_000;
    return {
      id: `3EB0${String(++ids).padStart(12, '0')}`,
      chat: address,
      sender:
        asks || member === 0 ? ME : `155500001${String(member).padStart(2, '0')}@s.whatsapp.net`,
      name: `Member ${member}`,
      at: new Date(zone.instantOf(local)),
      content: asks
        ? { conversation: 'Relay, what did we decide?' }
        : (LINES[Math.floor(random() * LINES.length)] ?? {}),
    };
  });
  return said.toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

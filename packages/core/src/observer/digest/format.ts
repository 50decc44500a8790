// Formats a group's day as plain text for a chat and for a model: the digest, its facts by kind, or a substitute. Times
// are in the group's zone, and each day is named, so that old news is not taken for new.

import type { Digest, GroupDay } from '@relay/contract/api/digests';
import {
  type DigestFact,
  FACT_KINDS,
  FACT_TITLES,
  factLine,
} from '@relay/contract/observer/digest/facts';
import { cutToTokens } from '../../agent/context-window.ts';
import { findZone, type Zone } from '../../schedule/zone.ts';
import type { GroupMessageKind } from '../message.ts';
import { formatGroupDate, formatHours } from './periods.ts';

interface GroupDayFormat {
  /** Whether to include the hours if there is a day's digest. */
  readonly hours: boolean;
}

export function groupDayText(day: GroupDay, { hours }: GroupDayFormat): string {
  const zone = zoneOfGroupDay(day);
  const lines = [groupDayTitle(day)];
  if (day.daily !== null) lines.push(day.daily.text, ...formatFacts(day.daily));
  if (day.instead !== null) lines.push(day.instead);
  if (day.daily === null || hours) lines.push(...day.hourly.map(({ text }) => text));
  lines.push(...formatDigestFailures(day, zone));
  return lines.join('\n');
}

/** `Holliday, Fri 6 Mar` */
const groupDayTitle = (day: GroupDay): string =>
  `${day.group}, ${formatGroupDate(new Date(day.from), zoneOfGroupDay(day))}`;

function formatFacts({ facts }: Pick<Digest, 'facts'>): string[] {
  return FACT_KINDS.flatMap((kind) => {
    const of = facts.filter((fact) => fact.kind === kind);
    if (of.length === 0) return [];
    if (kind === 'participant' || kind === 'mood')
      return `${FACT_TITLES[kind]}: ${of.map(({ text }) => text).join(', ')}`;
    return [`${FACT_TITLES[kind]}:`, ...of.map((fact) => `- ${factLine(fact)}`)];
  });
}

export const formatDigestFailures = ({ failures }: GroupDay, zone: Zone): string[] =>
  failures.map(({ kind, from, to, sentence }) => {
    const what =
      kind === 'daily'
        ? 'The day'
        : formatHours({ start: new Date(from), end: new Date(to) }, zone);
    return `${what} has no digest: ${sentence}`;
  });

export function zoneOfGroupDay({ zone }: Pick<GroupDay, 'zone'>): Zone {
  const found = findZone(zone) ?? findZone('UTC');
  if (found === null) throw new Error('no zone at all');
  return found;
}

// The note about photos, videos, voice notes and files: that they were sent and nobody has looked at them or listened.
// Code adds it to every digest, so it is correct whatever the model wrote.

const MOST_TOKENS = 80;

/** From lines such as `[Fri 14:05] Mum sent 2 photos`; empty if there are none. */
export function hourMediaNote(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const told = lines.map((line) => line.replace(/^\[[^\]]*\] /, '')).join(', ');
  return cutToTokens(`Not seen or heard by me: ${told}.`, MOST_TOKENS);
}

const NOUNS: readonly (readonly [GroupMessageKind, one: string, many: string])[] = [
  ['image', 'a photo', 'photos'],
  ['video', 'a video', 'videos'],
  ['audio', 'a voice note', 'voice notes'],
  ['document', 'a document', 'documents'],
];

export function dayMediaNote(sent: readonly GroupMessageKind[]): string {
  const counted = NOUNS.flatMap(([kind, one, many]) => {
    const count = sent.filter((each) => each === kind).length;
    if (count === 0) return [];
    return count === 1 ? one : `${count} ${many}`;
  });
  if (counted.length === 0) return '';
  const last = counted.pop() ?? '';
  const all = counted.length === 0 ? last : `${counted.join(', ')} and ${last}`;
  return `Sent without words, not seen or heard by me: ${all}.`;
}

// A day's digest as text: what happened, then its facts by kind, one line per list. A model sees earlier days in this
// form, and the size of a digest is measured on it.

export function dailyText({
  body,
  facts,
}: {
  readonly body: string;
  readonly facts: readonly DigestFact[];
}): string {
  const lists = FACT_KINDS.flatMap((kind) => {
    const lines = facts.filter((fact) => fact.kind === kind).map(factLine);
    return lines.length === 0 ? [] : `${FACT_TITLES[kind]}: ${lines.join('; ')}`;
  });
  return [body, ...lists].join('\n');
}

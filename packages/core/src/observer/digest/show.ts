// A group's day in plain words, for a chat and for a model: the digest, its facts by kind, or what there is
// instead. Times are the group's own, and each day is named, so that nobody takes old news for new.
import type { Digest, GroupDay } from '../../api/digests.ts';
import { type Zone, zoneNamed } from '../../schedule/zone.ts';
import { dateOf, hoursOf } from './clock.ts';
import { FACT_KINDS, FACT_TITLES, factLine } from './facts.ts';

export interface Shown {
  /** The hours too, where there is a day's digest. */
  readonly hours: boolean;
}

export function dayWords(day: GroupDay, { hours }: Shown): string {
  const zone = zoneOf(day);
  const lines = [titleOf(day)];
  if (day.daily !== null) lines.push(day.daily.text, ...factWords(day.daily));
  if (day.instead !== null) lines.push(day.instead);
  if (day.daily === null || hours) lines.push(...day.hourly.map(({ text }) => text));
  lines.push(...failureWords(day, zone));
  return lines.join('\n');
}

/** `Holliday, Fri 6 Mar` */
export const titleOf = (day: GroupDay): string =>
  `${day.group}, ${dateOf(new Date(day.from), zoneOf(day))}`;

export function factWords({ facts }: Pick<Digest, 'facts'>): string[] {
  return FACT_KINDS.flatMap((kind) => {
    const of = facts.filter((fact) => fact.kind === kind);
    if (of.length === 0) return [];
    if (kind === 'participant' || kind === 'mood')
      return `${FACT_TITLES[kind]}: ${of.map(({ text }) => text).join(', ')}`;
    return [`${FACT_TITLES[kind]}:`, ...of.map((fact) => `- ${factLine(fact)}`)];
  });
}

export const failureWords = ({ failures }: GroupDay, zone: Zone): string[] =>
  failures.map(({ kind, from, to, sentence }) => {
    const what =
      kind === 'daily' ? 'The day' : hoursOf({ start: new Date(from), end: new Date(to) }, zone);
    return `${what} has no digest: ${sentence}`;
  });

export function zoneOf({ zone }: Pick<GroupDay, 'zone'>): Zone {
  const found = zoneNamed(zone) ?? zoneNamed('UTC');
  if (found === null) throw new Error('no zone at all');
  return found;
}

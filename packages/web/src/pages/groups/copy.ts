// Texts of the groups page: the summary, day names, digests without their hour, facts by kind. Pure.
import type { Digest, GroupDay } from '@relay/contract/api/digests';
import type { ChatImportReport } from '@relay/contract/api/imports';
import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import type { RetentionStatus } from '@relay/contract/api/retention';
import { FACT_KINDS, FACT_TITLES, type FactKind } from '@relay/contract/observer/digest/facts';
import { countInWords, plural } from '../../parts/format.ts';

const sum = (
  all: readonly ObservedGroup[],
  field: 'messages_sent' | 'tokens_avoided' | 'tokens_spent',
) => all.reduce((total, group) => total + group[field], 0);

export function groupsSentence(groups: readonly ObservedGroup[]): string {
  if (groups.length === 0) return 'No group is read.';
  const read = `${countInWords(groups.length, 'group is', 'groups are')} read in silence.`;
  const sent = sum(groups, 'messages_sent');
  if (sent === 0) return `${read} Nothing was sent to ${groups.length === 1 ? 'it' : 'them'}.`;
  return `${read} ${countInWords(sent, 'message', 'messages')} left for ${groups.length === 1 ? 'it' : 'them'}.`;
}

export const groupsLead = (groups: readonly ObservedGroup[]): string =>
  groups.some(({ may_answer }) => may_answer)
    ? 'Relay reads, filters and sums up. It never shows that it has read, and answers only you, where you allowed it.'
    : 'Relay reads, filters and sums up. It cannot write, react, or show that it has read.';

/** Totals of all groups, and the percentage of tokens that no model had to read. */
export function tokenTotals(groups: readonly ObservedGroup[]) {
  const spent = sum(groups, 'tokens_spent');
  const avoided = sum(groups, 'tokens_avoided');
  return { spent, avoided, share: shareOf(avoided, spent + avoided) };
}

const shareOf = (part: number, all: number): number =>
  all === 0 ? 0 : Math.round((part / all) * 100);

/** `940`, `9.4 k`, `187 k`, `3.1 M`. */
export function formatTokens(n: number): string {
  const [size, unit] =
    n >= 999_500 ? [n / 1_000_000, ' M'] : n >= 1_000 ? [n / 1_000, ' k'] : [n, ''];
  return `${size < 10 && unit !== '' ? Number(size.toFixed(1)) : Math.round(size)}${unit}`;
}

/** The share of messages that no model had to read. */
export function noiseShare({
  messages_kept,
  messages_cut,
}: Pick<GroupDay, 'messages_kept' | 'messages_cut'>): string {
  const all = messages_kept + messages_cut;
  return all === 0 ? '–' : `${shareOf(messages_cut, all)}%`;
}

const dated = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});

/** Days as the group's time zone divides them. */
export function dayTitle(
  { day, from, to }: Pick<GroupDay, 'day' | 'from' | 'to'>,
  now: number,
): string {
  const [begins, ends] = [Date.parse(from), Date.parse(to)];
  if (begins <= now && now < ends) return 'Today';
  if (ends <= now && now - ends < ends - begins) return 'Yesterday';
  return dated.format(Date.parse(`${day}T00:00:00Z`));
}

export const dayAfter = (day: string, by: 1 | -1): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10);

/** The time of day in that zone. */
export const clockIn = (zone: string, at: string): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone }).format(
    Date.parse(at),
  );

/** The hour is already shown beside the text. */
export const withoutHour = (text: string): string =>
  text.replace(/^\d\d:\d\d\s*[-–]\s*\d\d:\d\d:\s*/, '');

interface FactGroup {
  readonly kind: FactKind;
  readonly title: string;
  readonly facts: Digest['facts'];
}

/** In order of importance to somebody who was away. */
export const factGroups = (facts: Digest['facts']): readonly FactGroup[] =>
  FACT_KINDS.map((kind) => ({
    kind,
    title: FACT_TITLES[kind],
    facts: facts.filter((fact) => fact.kind === kind),
  })).filter((group) => group.facts.length > 0);

const CAUSES = {
  start: 'when Relay started',
  night: 'at its nightly time',
  owner: 'when you asked',
} as const;

/** When retention last ran, and what it deleted. */
export function retentionRunText({
  cause,
  messages,
  digests,
}: RetentionStatus['runs'][number]): string {
  const went =
    messages + digests === 0
      ? 'nothing was too old'
      : `${plural(messages, 'message')} and ${plural(digests, 'digest')} were deleted`;
  return `${CAUSES[cause]}: ${went}.`;
}

/** The chart as text for people who cannot see the bars. */
export function tokensSummary(days: ObservedGroup['days']): string {
  const spent = days.reduce((all, day) => all + day.tokens_spent, 0);
  const avoided = days.reduce((all, day) => all + day.tokens_avoided, 0);
  if (spent + avoided === 0) return 'No tokens were spent and none avoided yet.';
  return `In ${plural(days.length, 'day')} ${formatTokens(spent)} tokens were spent and ${formatTokens(avoided)} avoided, ${shareOf(avoided, spent + avoided)}% of all.`;
}

/** The result of an import. */
export function importReportText({ chat_name, added, known }: ChatImportReport): string {
  const had = known === 0 ? '' : ` ${plural(known, 'message was', 'messages were')} there already.`;
  return `${plural(added, 'message')} of ${chat_name} can be found now.${had}`;
}

// Texts of the groups page: the summary, day names, digests without their hour, facts by kind. Pure.
import type { Digest, GroupDay } from '@relay/contract/api/digests';
import type { ChatImportReport } from '@relay/contract/api/imports';
import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import type { RetentionStatus } from '@relay/contract/api/retention';
import { FACT_KINDS, type FactKind } from '@relay/contract/observer/digest/facts';
import { formatLocale, t } from '../../i18n.ts';
import { groupDigits } from '../../parts/format.ts';

const sum = (
  all: readonly ObservedGroup[],
  field: 'messages_sent' | 'tokens_avoided' | 'tokens_spent',
) => all.reduce((total, group) => total + group[field], 0);

export function groupsSummary(groups: readonly ObservedGroup[]): string {
  if (groups.length === 0) return t('groups.summary.general');
  const mayAnswer = groups.some(({ may_answer }) => may_answer);
  const messages = sum(groups, 'messages_sent');
  if (messages === 0) {
    const id = mayAnswer ? 'groups.summary.mayAnswer' : 'groups.summary.readOnly';
    return t(id, { groups: groups.length });
  }
  const id = mayAnswer ? 'groups.summary.sentMayAnswer' : 'groups.summary.sent';
  return t(id, { groups: groups.length, messages });
}

/** Totals of all groups, and the percentage of tokens that no model had to read. */
export function tokenTotals(groups: readonly ObservedGroup[]) {
  const used = sum(groups, 'tokens_spent');
  const saved = sum(groups, 'tokens_avoided');
  return { used, saved, percent: percentOf(saved, used + saved) };
}

const percentOf = (part: number, all: number): number =>
  all === 0 ? 0 : Math.round((part / all) * 100);

/** `75%` for 75. */
export const formatPercent = (percent: number): string =>
  new Intl.NumberFormat(formatLocale(), { style: 'percent' }).format(percent / 100);

/** `940`, `9.4 k`, `187 k`, `3.1 M`. */
export function formatTokens(n: number): string {
  if (n < 1_000) return groupDigits(Math.round(n));
  return n < 999_500
    ? t('groups.tokens.thousands', { count: shorten(n / 1_000) })
    : t('groups.tokens.millions', { count: shorten(n / 1_000_000) });
}

const shorten = (n: number): string => groupDigits(n < 10 ? Number(n.toFixed(1)) : Math.round(n));

/** The share of messages that no model had to read. */
export function noiseShare({
  messages_kept,
  messages_cut,
}: Pick<GroupDay, 'messages_kept' | 'messages_cut'>): string {
  const all = messages_kept + messages_cut;
  return all === 0 ? '–' : formatPercent(percentOf(messages_cut, all));
}

/** Days as the group's time zone divides them. */
export function relativeDay(
  { from, to }: Pick<GroupDay, 'from' | 'to'>,
  now: number,
): 'today' | 'yesterday' | 'date' {
  const [begins, ends] = [Date.parse(from), Date.parse(to)];
  if (begins <= now && now < ends) return 'today';
  return ends <= now && now - ends < ends - begins ? 'yesterday' : 'date';
}

export function dayTitle(day: Pick<GroupDay, 'day' | 'from' | 'to'>, now: number): string {
  const relative = relativeDay(day, now);
  if (relative !== 'date') return t(`common.time.${relative}`);
  return new Intl.DateTimeFormat(formatLocale(), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  }).format(Date.parse(`${day.day}T00:00:00Z`));
}

export const dayAfter = (day: string, by: 1 | -1): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10);

/** The time of day in that zone. */
export const clockIn = (zone: string, at: string): string =>
  new Intl.DateTimeFormat(formatLocale(), {
    timeStyle: 'short',
    timeZone: zone,
  }).format(Date.parse(at));

/** The hour is already shown beside the text. */
export const withoutHour = (text: string): string =>
  text.replace(/^\d\d:\d\d\s*[-–]\s*\d\d:\d\d:\s*/, '');

interface FactGroup {
  readonly kind: FactKind;
  readonly title: string;
  readonly facts: Digest['facts'];
}

/** What the day's digests took. Usage is counted on the day of a run, which is often the next one. */
export const digestTokens = ({ daily, hourly }: DayCosts): number =>
  [...(daily === null ? [] : [daily]), ...hourly].reduce(
    (all, { cost_tokens }) => all + cost_tokens,
    0,
  );

type Cost = Pick<Digest, 'cost_tokens'>;

interface DayCosts {
  readonly daily: Cost | null;
  readonly hourly: readonly Cost[];
}

/** In order of importance to somebody who was away. */
export const factGroups = (facts: Digest['facts']): readonly FactGroup[] =>
  FACT_KINDS.map((kind) => ({
    kind,
    title: t(`groups.fact.${kind}`),
    facts: facts.filter((fact) => fact.kind === kind),
  })).filter((group) => group.facts.length > 0);

/** When retention last ran, why, and what it deleted. */
export const retentionRunText = (
  { cause, messages, digests }: RetentionStatus['runs'][number],
  time: string,
): string =>
  messages + digests === 0
    ? t('groups.retention.ranNothing', { time, cause })
    : t('groups.retention.ranDeleted', { time, cause, messages, digests });

/** The chart as text for people who cannot see the bars. */
export function usageSummary(days: ObservedGroup['days']): string {
  const used = days.reduce((all, day) => all + day.tokens_spent, 0);
  const saved = days.reduce((all, day) => all + day.tokens_avoided, 0);
  if (used + saved === 0) return t('groups.usage.none');
  return t('groups.usage.summary', {
    days: days.length,
    used: formatTokens(used),
    saved: formatTokens(saved),
    share: formatPercent(percentOf(saved, used + saved)),
  });
}

/** The result of an import. */
export const importReportText = ({ chat_name: chat, added, known }: ChatImportReport): string =>
  known === 0
    ? t('groups.import.done', { added, chat })
    : t('groups.import.doneKnown', { added, chat, known });

// Texts of Home, from live counts.

import type { Activity, ActivityBucket } from '@relay/contract/api/activity';
import type { Approval } from '@relay/contract/api/approvals';
import { TOKEN_SPENDERS, type TokenSpender } from '@relay/contract/api/constants';
import type { ListedInstance } from '@relay/contract/api/instances';
import type { LedgerLine } from '@relay/contract/api/ledger';
import type { DaemonStatus } from '@relay/contract/api/status';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import { formatLocale, t } from '../../i18n.ts';
import {
  formatHour,
  formatShortDate,
  formatShortWeekday,
  formatTimeOfDay,
  groupDigits,
} from '../../parts/format.ts';
import type { Hue } from '../../theme/theme.ts';

/** A conversation that waits for an approval is answered there, and the approval is already listed. */
export const withoutListedApprovals = <Stopped extends Pick<ListedInstance, 'approval_id'>>(
  stopped: readonly Stopped[],
  asked: readonly Pick<Approval, 'id'>[],
): readonly Stopped[] =>
  stopped.filter(({ approval_id }) => !asked.some(({ id }) => id === approval_id));

export function homeSummary(
  status: DaemonStatus,
  link: LinkBody | undefined,
  isGone: boolean,
  /** In the last 24 hours, without Relay's notices to the owner; null until it is loaded. */
  sent: number | null,
): string {
  // Data from its last answer is not shown as current.
  if (isGone) return t('home.summary.offline');
  return t('home.summary', {
    state: relayState(status, link),
    waiting: status.waiting_count,
    // Shown among what waits, although nothing has to be decided.
    requests: status.knocks_waiting,
    sent: sent ?? status.sending.sent_today,
    active: status.active_instance_count,
  });
}

function relayState(status: DaemonStatus, link: LinkBody | undefined): string {
  if (status.hold) return 'hold';
  if (status.whatsapp_connected) return 'connected';
  if (link === undefined) return 'running';
  if (link.phone === null) return 'unlinked';
  return link.status === 'connecting' ? 'connecting' : 'disconnected';
}

// Recent decisions. A busy observed group would fill the list with one line.

interface FoldedDecision {
  /** The newest. */
  readonly entry: LedgerLine;
  readonly count: number;
}

/** Joins neighbours that say the same of the same contact. */
export function foldDecisions(entries: readonly LedgerLine[], most: number): FoldedDecision[] {
  const sameAs = (entry: LedgerLine) =>
    JSON.stringify([entry.action, entry.outcome, entry.about, entry.who, entry.sentence]);
  const folded: FoldedDecision[] = [];
  for (const entry of entries) {
    const last = folded.at(-1);
    if (last !== undefined && sameAs(last.entry) === sameAs(entry)) {
      folded[folded.length - 1] = { ...last, count: last.count + 1 };
    } else folded.push({ entry, count: 1 });
  }
  return folded.slice(0, most);
}

// The charts as text and tables: each chart has a summary and its figures.

let compactNumber: Intl.NumberFormat | undefined;

/** `950`, `42.7k`, `2m`: at most one decimal. */
export function formatCompact(n: number): string {
  compactNumber ??= new Intl.NumberFormat(formatLocale(), {
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  return compactNumber.format(n);
}

/** `4 s`, `2 min 5 s`, `1 h 12 min`: two units, because a median is read closely. */
export function formatAnswerTime(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 1) return t('home.time.ms', { ms: Math.max(ms, 0).toFixed(0) });
  if (seconds < 60) return t('home.time.s', { s: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    const s = seconds % 60;
    return s === 0
      ? t('home.time.min', { min: minutes })
      : t('home.time.minS', { min: minutes, s });
  }
  const h = Math.floor(minutes / 60);
  const min = minutes % 60;
  return min === 0 ? t('home.time.h', { h }) : t('home.time.hMin', { h, min });
}

type Unit = Activity['unit'];

/** Under a bar: the hour or the day. */
export const tickLabel = (at: string, unit: Unit): string =>
  unit === 'hour' ? formatHour(at) : formatShortDate(new Date(at));

/** In a table and over a bar. */
export const bucketLabel = (at: string, unit: Unit): string =>
  unit === 'hour'
    ? formatTimeOfDay(at)
    : t('home.chart.date', {
        weekday: formatShortWeekday(new Date(at)),
        date: formatShortDate(new Date(at)),
      });

const periodText = ({ hours }: Pick<Activity, 'hours'>): string =>
  t('home.period', { days: hours / 24 });

/** One line or stack of a chart. */
interface ChartSeries {
  readonly name: string;
  readonly label: string;
  readonly hue: Hue;
  /** Drawn lighter than another series of the same hue. */
  readonly faint?: boolean;
}

export interface ChartContent {
  readonly title: string;
  /** What the chart shows, for screen readers and for a quick look. */
  readonly summary: string;
  readonly isEmpty: boolean;
  readonly series: readonly ChartSeries[];
  readonly value: (bucket: ActivityBucket, series: string) => number | null;
  readonly formatValue: (value: number) => string;
  /** On the axis. */
  readonly formatTick: (value: number) => string;
}

export function trafficChart(activity: Activity): ChartContent {
  const { received, sent } = activity.total;
  return {
    title: activity.unit === 'hour' ? t('home.traffic.hour') : t('home.traffic.day'),
    summary: trafficSummary(activity),
    isEmpty: received + sent === 0,
    series: [
      { name: 'received', label: t('home.traffic.received'), hue: 'them' },
      { name: 'sent', label: t('home.traffic.sent'), hue: 'agent' },
    ],
    value: (bucket, series) => (series === 'received' ? bucket.received : bucket.sent),
    formatValue: (n) => groupDigits(n),
    formatTick: formatCompact,
  };
}

function trafficSummary(activity: Activity): string {
  const { received, sent } = activity.total;
  const period = periodText(activity);
  if (received + sent === 0) return t('home.traffic.empty', { period });
  if (received === 0) return t('home.traffic.onlySent', { sent, period });
  const { unit, buckets } = activity;
  const busiest = buckets.reduce((most, b) => (b.received > most.received ? b : most));
  const time = bucketLabel(busiest.at, unit);
  return t('home.traffic.summary', { received, sent, period, unit, time });
}

export function answersChart(activity: Activity): ChartContent {
  const { answers, answer_ms, slow_answer_ms } = activity.total;
  const period = periodText(activity);
  return {
    title: t('home.answers.title'),
    summary:
      answer_ms === null || slow_answer_ms === null
        ? t('home.answers.empty', { period })
        : t('home.answers.summary', {
            count: answers,
            period,
            median: formatAnswerTime(answer_ms),
            slow: formatAnswerTime(slow_answer_ms),
          }),
    isEmpty: answers === 0,
    series: [
      { name: 'answer_ms', label: t('home.answers.median'), hue: 'agent' },
      { name: 'slow_answer_ms', label: t('home.answers.slow'), hue: 'held' },
    ],
    value: (bucket, series) => (series === 'answer_ms' ? bucket.answer_ms : bucket.slow_answer_ms),
    formatValue: formatAnswerTime,
    formatTick: (ms) => (ms === 0 ? '0' : formatAnswerTime(ms)),
  };
}

const SPENDER_HUES: Readonly<Record<TokenSpender, Hue>> = {
  conversations: 'agent',
  auto_reply: 'them',
  assistant: 'ok',
  groups: 'held',
  other: 'parked',
};

const spenderLabel = (spender: TokenSpender): string => t(`home.spender.${spender}`);

export function tokensChart(activity: Activity): ChartContent {
  const { tokens } = activity.total;
  const all = TOKEN_SPENDERS.reduce((sum, spender) => sum + tokens[spender], 0);
  const used = TOKEN_SPENDERS.filter((spender) => tokens[spender] > 0);
  const most = used.reduce<TokenSpender | undefined>(
    (top, one) => (top === undefined || tokens[one] > tokens[top] ? one : top),
    undefined,
  );
  const period = periodText(activity);
  return {
    title: t('home.tokens.title'),
    summary:
      most === undefined
        ? t('home.tokens.empty', { period })
        : t('home.tokens.summary', {
            count: all,
            period,
            spender: spenderLabel(most),
            share: tokens[most] / all,
          }),
    isEmpty: all === 0,
    series: used.map((spender) => ({
      name: spender,
      label: spenderLabel(spender),
      hue: SPENDER_HUES[spender],
    })),
    value: (bucket, series) => bucket.tokens[series as TokenSpender],
    formatValue: (n) => groupDigits(n),
    formatTick: formatCompact,
  };
}

type TurnName = keyof ActivityBucket['turns'];

export function turnsChart(activity: Activity): ChartContent {
  const now = activity.buckets.at(-1)?.turns ?? { you: 0, agent: 0, them: 0, parked: 0 };
  const open = now.you + now.agent + now.them + now.parked;
  const hadOpen = activity.buckets.some(({ turns }) => Object.values(turns).some((n) => n > 0));
  return {
    title: t('home.turns.title'),
    summary: hadOpen
      ? t('home.turns.summary', { open, ...now })
      : t('home.turns.empty', { period: periodText(activity) }),
    isEmpty: !hadOpen,
    series: [
      { name: 'you', label: t('home.turns.you'), hue: 'you' },
      { name: 'agent', label: t('home.turns.agent'), hue: 'agent' },
      { name: 'them', label: t('home.turns.them'), hue: 'them' },
      { name: 'parked', label: t('home.turns.parked'), hue: 'parked' },
    ],
    value: (bucket, series) => bucket.turns[series as TurnName],
    formatValue: (n) => groupDigits(n),
    formatTick: formatCompact,
  };
}

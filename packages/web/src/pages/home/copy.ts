// The summary of Home, from live counts. Pure.

import type { Activity, ActivityBucket } from '@relay/contract/api/activity';
import type { Approval } from '@relay/contract/api/approvals';
import { TOKEN_SPENDERS, type TokenSpender } from '@relay/contract/api/constants';
import type { ListedInstance } from '@relay/contract/api/instances';
import type { DaemonStatus } from '@relay/contract/api/status';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import {
  countInWords,
  formatShortDate,
  formatShortWeekday,
  formatTimeOfDay,
  groupDigits,
  plural,
} from '../../parts/format.ts';
import type { Hue } from '../../theme/theme.ts';

/** A conversation that waits for an approval is answered there, and the approval is already listed. */
export const withoutListedApprovals = <Stopped extends Pick<ListedInstance, 'approval_id'>>(
  stopped: readonly Stopped[],
  asked: readonly Pick<Approval, 'id'>[],
): readonly Stopped[] =>
  stopped.filter(({ approval_id }) => !asked.some(({ id }) => id === approval_id));

export function homeSentence(
  status: DaemonStatus,
  link: LinkBody | undefined,
  isGone: boolean,
): string {
  // Data from its last answer is not shown as current.
  if (isGone) return 'Relay is not answering.';
  return `${howItIs(status, link)} ${whatWaits(status.waiting_count)}`;
}

function howItIs(status: DaemonStatus, link: LinkBody | undefined): string {
  if (status.hold) return 'Relay is on hold.';
  if (status.whatsapp_connected) return 'Relay is listening.';
  if (link === undefined) return 'Relay is running.';
  if (link.phone === null) return 'Relay is not linked yet.';
  return link.status === 'connecting' ? 'Relay is reconnecting.' : 'WhatsApp is not connected.';
}

function whatWaits(n: number): string {
  if (n === 0) return 'Nothing waits for you.';
  return `${countInWords(n, 'thing waits', 'things wait')} for you.`;
}

export function homeLead(status: DaemonStatus): string {
  const { sending, active_instance_count, knocks_waiting, storage } = status;
  const sent =
    sending.sent_today === 0
      ? 'Nothing left in the last 24 hours'
      : `${plural(sending.sent_today, 'message')} left in the last 24 hours`;
  const open =
    active_instance_count === 0
      ? 'no conversation is under way'
      : `${plural(active_instance_count, 'conversation is', 'conversations are')} under way`;
  const knocked =
    knocks_waiting === 0
      ? ''
      : ` ${plural(knocks_waiting, 'person', 'people')} knocked; nobody read them.`;
  return `${sent}, ${open}.${knocked}${storage === null ? '' : ` ${storage}`}`;
}

// The charts as text and tables: each chart has a sentence that says the same, and its figures. Pure.

const UNITS = [
  { size: 1e9, sign: 'B' },
  { size: 1e6, sign: 'M' },
  { size: 1e3, sign: 'k' },
] as const;

/** `950`, `42.7k`, `2M`: at most one decimal. A value that would round to 1000 of a unit uses the next unit. */
export function formatCompact(n: number): string {
  const unit = UNITS.find(({ size }) => n >= size * 0.99995);
  const shown = Math.round((n / (unit?.size ?? 1)) * 10) / 10;
  return `${shown}${unit?.sign ?? ''}`;
}

/** `4 s`, `2 min 5 s`, `1 h 12 min`: two units, because a median is read closely. */
export function formatAnswerTime(ms: number): string {
  const s = Math.round(ms / 1_000);
  if (s < 1) return `${Math.max(ms, 0).toFixed(0)} ms`;
  if (s < 60) return `${s} s`;
  if (s < 3_600) return inTwoUnits(s, 60, 'min', 1, 's');
  return inTwoUnits(s, 3_600, 'h', 60, 'min');
}

function inTwoUnits(
  s: number,
  large: number,
  largeName: string,
  small: number,
  smallName: string,
): string {
  const rest = Math.floor((s % large) / small);
  return `${Math.floor(s / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

type Unit = Activity['unit'];

/** Under a bar: the hour or the day. */
export const tickLabel = (at: string, unit: Unit): string =>
  unit === 'hour' ? formatTimeOfDay(at).slice(0, 2) : formatShortDate(new Date(at));

/** In a table and over a bar. */
export const bucketLabel = (at: string, unit: Unit): string =>
  unit === 'hour'
    ? formatTimeOfDay(at)
    : `${formatShortWeekday(new Date(at))} ${formatShortDate(new Date(at))}`;

export const periodText = ({ hours }: Pick<Activity, 'hours'>): string =>
  hours === 24 ? 'the last 24 hours' : `the last ${hours / 24} days`;

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
  const busiest = activity.buckets.reduce((most, b) => (b.received > most.received ? b : most));
  return {
    title: activity.unit === 'hour' ? 'Messages per hour' : 'Messages per day',
    summary:
      received + sent === 0
        ? `Nothing came in or left in ${periodText(activity)}.`
        : `${plural(received, 'message')} came in and ${groupDigits(sent)} left in ${periodText(activity)}${
            received > 0 ? `, most ${when(busiest.at, activity.unit)}` : ''
          }.`,
    isEmpty: received + sent === 0,
    series: [
      { name: 'received', label: 'In', hue: 'them' },
      { name: 'sent', label: 'Out', hue: 'agent' },
    ],
    value: (bucket, series) => (series === 'received' ? bucket.received : bucket.sent),
    formatValue: (n) => groupDigits(n),
    formatTick: formatCompact,
  };
}

const when = (at: string, unit: Unit): string =>
  unit === 'hour' ? `after ${formatTimeOfDay(at)}` : `on ${bucketLabel(at, unit)}`;

export function answersChart(activity: Activity): ChartContent {
  const { answers, answer_ms, slow_answer_ms } = activity.total;
  return {
    title: 'Time to answer',
    summary:
      answer_ms === null || slow_answer_ms === null
        ? `No agent answered anybody in ${periodText(activity)}.`
        : `Half of ${plural(answers, 'answer')} took ${formatAnswerTime(answer_ms)} or less; one in twenty took longer than ${formatAnswerTime(slow_answer_ms)}.`,
    isEmpty: answers === 0,
    series: [
      { name: 'answer_ms', label: 'Median', hue: 'agent' },
      { name: 'slow_answer_ms', label: 'Slowest 5%', hue: 'held' },
    ],
    value: (bucket, series) => (series === 'answer_ms' ? bucket.answer_ms : bucket.slow_answer_ms),
    formatValue: formatAnswerTime,
    formatTick: (ms) => (ms === 0 ? '0' : formatAnswerTime(ms)),
  };
}

const SPENDER_SHOWN: Readonly<Record<TokenSpender, Omit<ChartSeries, 'name'>>> = {
  conversations: { label: 'Conversations', hue: 'agent' },
  auto_reply: { label: 'Answers', hue: 'them' },
  assistant: { label: 'Assistant', hue: 'ok' },
  groups: { label: 'Groups', hue: 'held' },
  other: { label: 'Other', hue: 'parked' },
};

export function tokensChart(activity: Activity): ChartContent {
  const { tokens } = activity.total;
  const all = TOKEN_SPENDERS.reduce((sum, spender) => sum + tokens[spender], 0);
  const used = TOKEN_SPENDERS.filter((spender) => tokens[spender] > 0);
  const most = used.reduce<TokenSpender | undefined>(
    (top, one) => (top === undefined || tokens[one] > tokens[top] ? one : top),
    undefined,
  );
  return {
    title: 'Tokens used',
    summary:
      most === undefined
        ? `No model was asked in ${periodText(activity)}.`
        : `${plural(all, 'token')} of models in ${periodText(activity)}; ${share(tokens[most], all)} for ${SPENDER_SHOWN[most].label.toLowerCase()}.`,
    isEmpty: all === 0,
    series: used.map((spender) => ({ name: spender, ...SPENDER_SHOWN[spender] })),
    value: (bucket, series) => bucket.tokens[series as TokenSpender],
    formatValue: (n) => groupDigits(n),
    formatTick: formatCompact,
  };
}

const share = (part: number, all: number): string =>
  part === all ? 'all of them' : `${Math.round((part / all) * 100)}%`;

type TurnName = keyof ActivityBucket['turns'];

export function turnsChart(activity: Activity): ChartContent {
  const now = activity.buckets.at(-1)?.turns ?? { you: 0, agent: 0, them: 0, parked: 0 };
  const open = now.you + now.agent + now.them + now.parked;
  const ever = activity.buckets.some(({ turns }) => Object.values(turns).some((n) => n > 0));
  return {
    title: 'Whose turn',
    summary: ever
      ? `${plural(open, 'conversation is', 'conversations are')} open: ${now.you} yours, ${now.agent} the agent’s, ${now.them} theirs, ${now.parked} parked.`
      : `No conversation was open in ${periodText(activity)}.`,
    isEmpty: !ever,
    series: [
      { name: 'you', label: 'Yours', hue: 'you' },
      { name: 'agent', label: 'Agent’s', hue: 'agent' },
      { name: 'them', label: 'Theirs', hue: 'them' },
      { name: 'parked', label: 'Parked', hue: 'parked' },
    ],
    value: (bucket, series) => bucket.turns[series as TurnName],
    formatValue: (n) => groupDigits(n),
    formatTick: formatCompact,
  };
}

// What the charts say, in words and as tables: each chart has a sentence that tells the same, and its figures one by
// one. Pure.
import { SPENDERS, type Spender } from '@relay/core/activity';
import type { Activity, ActivityBucket } from '@relay/core/api/activity';
import { grouped, plural } from '../../parts/numbers.ts';
import { shortDate, shortWeekday, timeOfDay } from '../../parts/times.ts';
import type { Hue } from '../../theme/hues.ts';

const UNITS = [
  { size: 1e9, sign: 'B' },
  { size: 1e6, sign: 'M' },
  { size: 1e3, sign: 'k' },
] as const;

/** `950`, `42.7k`, `2M`: with one decimal at most. What would round to a thousand of a unit is one of the next. */
export function brief(n: number): string {
  const unit = UNITS.find(({ size }) => n >= size * 0.99995);
  const shown = Math.round((n / (unit?.size ?? 1)) * 10) / 10;
  return `${shown}${unit?.sign ?? ''}`;
}

/** `4 s`, `2 min 5 s`, `1 h 12 min`: two units, since a median is read closely. */
export function duration(ms: number): string {
  const s = Math.round(ms / 1_000);
  if (s < 1) return `${Math.max(ms, 0).toFixed(0)} ms`;
  if (s < 60) return `${s} s`;
  if (s < 3_600) return two(s, 60, 'min', 1, 's');
  return two(s, 3_600, 'h', 60, 'min');
}

function two(
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

/** Under a bar: the hour, or the day. */
export const tickOf = (at: string, unit: Unit): string =>
  unit === 'hour' ? timeOfDay(at).slice(0, 2) : shortDate(new Date(at));

/** In a table, and over a bar. */
export const bucketName = (at: string, unit: Unit): string =>
  unit === 'hour' ? timeOfDay(at) : `${shortWeekday(new Date(at))} ${shortDate(new Date(at))}`;

export const spanOf = ({ hours }: Pick<Activity, 'hours'>): string =>
  hours === 24 ? 'the last 24 hours' : `the last ${hours / 24} days`;

/** One line or stack of a chart. */
export interface Series {
  readonly name: string;
  readonly label: string;
  readonly hue: Hue;
  /** Drawn lighter than another of its hue. */
  readonly faint?: boolean;
}

export interface Charted {
  readonly title: string;
  /** What the chart shows, for whoever does not see it and for whoever is in a hurry. */
  readonly summary: string;
  readonly isEmpty: boolean;
  readonly series: readonly Series[];
  readonly value: (bucket: ActivityBucket, series: string) => number | null;
  readonly says: (value: number) => string;
  /** On the axis. */
  readonly short: (value: number) => string;
}

export function trafficCharted(activity: Activity): Charted {
  const { received, sent } = activity.total;
  const busiest = activity.buckets.reduce((most, b) => (b.received > most.received ? b : most));
  return {
    title: activity.unit === 'hour' ? 'Messages per hour' : 'Messages per day',
    summary:
      received + sent === 0
        ? `Nothing came in or left in ${spanOf(activity)}.`
        : `${plural(received, 'message')} came in and ${grouped(sent)} left in ${spanOf(activity)}${
            received > 0 ? `, most ${when(busiest.at, activity.unit)}` : ''
          }.`,
    isEmpty: received + sent === 0,
    series: [
      { name: 'received', label: 'In', hue: 'them' },
      { name: 'sent', label: 'Out', hue: 'agent' },
    ],
    value: (bucket, series) => (series === 'received' ? bucket.received : bucket.sent),
    says: (n) => grouped(n),
    short: brief,
  };
}

const when = (at: string, unit: Unit): string =>
  unit === 'hour' ? `after ${timeOfDay(at)}` : `on ${bucketName(at, unit)}`;

export function answersCharted(activity: Activity): Charted {
  const { answers, answer_ms, slow_answer_ms } = activity.total;
  return {
    title: 'Time to answer',
    summary:
      answer_ms === null || slow_answer_ms === null
        ? `No agent answered anybody in ${spanOf(activity)}.`
        : `Half of ${plural(answers, 'answer')} took ${duration(answer_ms)} or less; one in twenty took longer than ${duration(slow_answer_ms)}.`,
    isEmpty: answers === 0,
    series: [
      { name: 'answer_ms', label: 'Median', hue: 'agent' },
      { name: 'slow_answer_ms', label: 'Slowest 5%', hue: 'held' },
    ],
    value: (bucket, series) => (series === 'answer_ms' ? bucket.answer_ms : bucket.slow_answer_ms),
    says: duration,
    short: (ms) => (ms === 0 ? '0' : duration(ms)),
  };
}

const SPENDER_SHOWN: Readonly<Record<Spender, Omit<Series, 'name'>>> = {
  conversations: { label: 'Conversations', hue: 'agent' },
  auto_reply: { label: 'Answers', hue: 'them' },
  assistant: { label: 'Assistant', hue: 'ok' },
  groups: { label: 'Groups', hue: 'held' },
  other: { label: 'Other', hue: 'parked' },
};

export function tokensCharted(activity: Activity): Charted {
  const { tokens } = activity.total;
  const all = SPENDERS.reduce((sum, spender) => sum + tokens[spender], 0);
  const used = SPENDERS.filter((spender) => tokens[spender] > 0);
  const most = used.reduce<Spender | undefined>(
    (top, one) => (top === undefined || tokens[one] > tokens[top] ? one : top),
    undefined,
  );
  return {
    title: 'Tokens used',
    summary:
      most === undefined
        ? `No model was asked in ${spanOf(activity)}.`
        : `${plural(all, 'token')} of models in ${spanOf(activity)}; ${share(tokens[most], all)} for ${SPENDER_SHOWN[most].label.toLowerCase()}.`,
    isEmpty: all === 0,
    series: used.map((spender) => ({ name: spender, ...SPENDER_SHOWN[spender] })),
    value: (bucket, series) => bucket.tokens[series as Spender],
    says: (n) => grouped(n),
    short: brief,
  };
}

const share = (part: number, all: number): string =>
  part === all ? 'all of them' : `${Math.round((part / all) * 100)}%`;

type Turn = keyof ActivityBucket['turns'];

export function turnsCharted(activity: Activity): Charted {
  const now = activity.buckets.at(-1)?.turns ?? { you: 0, agent: 0, them: 0, parked: 0 };
  const open = now.you + now.agent + now.them + now.parked;
  const ever = activity.buckets.some(({ turns }) => Object.values(turns).some((n) => n > 0));
  return {
    title: 'Whose turn',
    summary: ever
      ? `${plural(open, 'conversation is', 'conversations are')} open: ${now.you} yours, ${now.agent} the agent’s, ${now.them} theirs, ${now.parked} parked.`
      : `No conversation was open in ${spanOf(activity)}.`,
    isEmpty: !ever,
    series: [
      { name: 'you', label: 'Yours', hue: 'you' },
      { name: 'agent', label: 'Agent’s', hue: 'agent' },
      { name: 'them', label: 'Theirs', hue: 'them' },
      { name: 'parked', label: 'Parked', hue: 'parked' },
    ],
    value: (bucket, series) => bucket.turns[series as Turn],
    says: (n) => grouped(n),
    short: brief,
  };
}

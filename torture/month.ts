// `npm run torture -- month`: thirty simulated days of two busy groups whose clocks change on different days, hour by
// hour. Every hour with messages and every day is digested once and in time; old data is deleted; memory and stored
// data do not grow with the days.
import { thenClose } from '@relay/testing/then-close';
import { type GroupPost, postsOfDay, THE_GROUPS } from './month/group-posts.ts';
import { MonthHarness, type Weight } from './month/harness.ts';
import { type DayVerdict, judgeDay } from './month/judge.ts';
import { randomFrom } from './random.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** After the hour, when delayed messages have arrived. */
const LOOK_MS = 65_000;

export interface MonthTorture {
  readonly days: number;
  /** Of both groups together, per day. */
  readonly messages: number;
  readonly seed: number;
  /** The first day; the period should include the clock changes. */
  readonly from?: string | undefined;
  readonly keptDays?: number;
}

interface DayFigures extends Weight {
  readonly day: string;
  readonly hourly: number;
  readonly daily: number;
  readonly latestSeconds: number;
  readonly tokens: number;
  readonly oldestMessageDays: number;
  readonly seconds: number;
}

export interface MonthReport {
  readonly days: readonly DayFigures[];
  readonly messages: number;
  /** Least squares over all days but the first third, per day. */
  readonly rssSlopeMb: number;
  readonly keptSlopeMb: number;
  readonly databaseSlopeMb: number;
  readonly tables: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly faults: readonly string[];
}

/** London's clocks go back on 25 October 2026, New York's on 1 November. */
const FROM = '2026-10-17';

export async function tortureMonth(given: MonthTorture): Promise<MonthReport> {
  const { days, messages, seed, from = FROM, keptDays = 10 } = given;
  const began = performance.now();
  const random = randomFrom(seed);
  const first = Date.parse(`${from}T04:00:00Z`);
  const retention = { observed_messages_days: keptDays, digests_days: keptDays };
  const harness = await MonthHarness.open(new Date(first), { retention });
  const faults: string[] = [];
  const figures: DayFigures[] = [];
  return thenClose(harness, async () => {
    for (const { address, zone } of THE_GROUPS) await harness.observe(address, zone.name);
    const waiting: GroupPost[] = [];
    for (let n = 0; n < days; n += 1) {
      const day = first + n * DAY;
      const started = performance.now();
      for (const group of THE_GROUPS)
        waiting.push(...postsOfDay(group, day - 4 * HOUR, messages / THE_GROUPS.length, random));
      waiting.sort((a, b) => a.at.getTime() - b.at.getTime());
      for (let hour = 1; hour <= 24; hour += 1) await passHour(harness, day + hour * HOUR, waiting);
      const judged = n === 0 ? [] : await judgeAll(harness, new Date(day - 12 * HOUR));
      for (const each of judged) faults.push(...each.faults);
      for (const fault of judged.flatMap((each) => each.faults)) console.log(fault);
      await harness.maintain();
      const seconds = Math.round((performance.now() - started) / 1_000);
      figures.push({ ...(await dayFigures(harness, new Date(day), judged)), seconds });
      console.log(JSON.stringify(figures.at(-1)));
    }
    faults.push(...oldFaults(figures, keptDays));
    const tables = await tableSizes(harness);
    const settled = figures.slice(Math.floor(days / 3));
    return {
      days: figures,
      messages: days * messages,
      rssSlopeMb: slope(settled.map(({ rssMb }) => rssMb)),
      keptSlopeMb: slope(settled.map(({ keptMb }) => keptMb)),
      databaseSlopeMb: slope(settled.map(({ databaseMb }) => databaseMb)),
      tables,
      seconds: Math.round((performance.now() - began) / 1_000),
      faults,
    };
  });
}

/** Delivers the messages of the hour; a minute later the digests are due. */
async function passHour(harness: MonthHarness, end: number, waiting: GroupPost[]): Promise<void> {
  const later = waiting.findIndex(({ at }) => at.getTime() >= end);
  const said = waiting.splice(0, later < 0 ? waiting.length : later);
  await harness.moveTo(new Date(end));
  if (said.length > 0) await harness.receive(said);
  await harness.untilStill(new Date(end));
  const look = new Date(end + LOOK_MS);
  await harness.moveTo(look);
  await harness.untilStill(look);
}

const judgeAll = (harness: MonthHarness, at: Date): Promise<readonly DayVerdict[]> =>
  Promise.all(THE_GROUPS.map((group) => judgeDay(harness, group, at)));

async function dayFigures(
  harness: MonthHarness,
  day: Date,
  judged: readonly DayVerdict[],
): Promise<Omit<DayFigures, 'seconds'>> {
  const name = day.toISOString().slice(0, 10);
  const [spent] = await harness.query<{ tokens: number }>(
    'SELECT coalesce(sum(tokens_spent), 0)::int AS tokens FROM relay.observer_usage WHERE day = $1',
    [name],
  );
  const [oldest] = await harness.query<{ days: number | null }>(
    'SELECT extract(epoch FROM $1::timestamptz - min(sent_at))::float / 86400 AS days FROM relay.messages',
    [new Date(day.getTime() + DAY)],
  );
  return {
    day: name,
    ...(await harness.weight()),
    hourly: judged.reduce((sum, each) => sum + each.hourly, 0),
    daily: judged.reduce((sum, each) => sum + each.daily, 0),
    latestSeconds: Math.max(0, ...judged.map(({ latestSeconds }) => latestSeconds)),
    tokens: spent?.tokens ?? 0,
    oldestMessageDays: Math.round((oldest?.days ?? 0) * 100) / 100,
  };
}

/** Expired data may remain for one more night. */
const oldFaults = (figures: readonly DayFigures[], keptDays: number): string[] =>
  figures
    .filter(({ oldestMessageDays }) => oldestMessageDays > keptDays + 0.01)
    .map(
      ({ day, oldestMessageDays }) => `${day}: a message was kept for ${oldestMessageDays} days`,
    );

async function tableSizes(harness: MonthHarness): Promise<Record<string, number>> {
  const rows = await harness.query<{ name: string; mb: number }>(
    `SELECT c.relname AS name, sum(pg_total_relation_size(c.oid))::float / 1048576 AS mb
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('relay', 'relay_jobs') AND c.relkind = 'r'
     GROUP BY 1 ORDER BY 2 DESC LIMIT 12`,
  );
  return Object.fromEntries(rows.map(({ name, mb }) => [name, Math.round(mb * 10) / 10]));
}

function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const [up, down] = values.reduce(
    ([a, b], value, n) => [a + (n - middle) * (value - mean), b + (n - middle) ** 2],
    [0, 0],
  );
  return Math.round((up / Math.max(1, down)) * 100) / 100;
}

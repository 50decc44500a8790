// The metrics under load: people write to a linked Relay and are answered by it, while it is scraped every few seconds
// as by a monitor. Every query of the dashboard must always have data, a scrape must stay cheap, and the metrics must
// match what happened.
import { setTimeout as sleep } from 'node:timers/promises';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import { type Load, openLoad } from '@relay/testing/e2e/load';
import { dashboardQueries } from '@relay/testing/figures/dashboard';
import { missing, readScrape, type Series } from '@relay/testing/figures/promql';
import { type Limit, loadFigure, quantile } from './figures.ts';
import { findPrometheus, type Prometheus, startPrometheus } from './metrics/prometheus.ts';

const PEOPLE = 20;
const EVERY_S = 5;
/** With the default loop guard and caps the load would end too early. */
const SETTINGS = {
  pacing: { enabled: false },
  auto_reply: {
    answers_per_hour: 100_000,
    answers_per_day: 100_000,
    rapid_exchanges: 100_000,
    similar_exchanges: 100_000,
  },
};

export async function benchMetrics(minutes: number): Promise<readonly Limit[]> {
  const builds = openBuilds();
  try {
    const demo = await startDemo({ built: await builtIn(builds.folder), settings: SETTINGS });
    try {
      return await measure(demo, minutes * 60_000);
    } finally {
      await demo.stop();
    }
  } finally {
    builds.remove();
  }
}

interface Seen {
  readonly took: number[];
  readonly bytes: number[];
  /** Queries without data, and how often. */
  readonly empty: Map<string, number>;
  last: readonly Series[];
}

async function measure(demo: Demo, ms: number): Promise<Limit[]> {
  const load = await openLoad(demo, PEOPLE);
  const program = findPrometheus(process.env.PATH ?? '');
  console.log(program === null ? 'no Prometheus on the path: scraped by hand alone' : program);
  const prometheus =
    program === null ? null : await startPrometheus(program, await monitor(demo), EVERY_S);
  try {
    const writing = write(load, ms);
    const seen: Seen = { took: [], bytes: [], empty: new Map(), last: [] };
    const asked: Seen['empty'] = new Map();
    const began = Date.now();
    // Rates need two scrapes with activity between them.
    await sleep(Math.min(30_000, ms / 3));
    for (let n = 0; Date.now() - began < ms; n++) {
      await scrape(demo, seen);
      if (prometheus !== null && n % 6 === 5) await ask(prometheus, asked);
      await sleep(EVERY_S * 1_000);
    }
    const { written, failed } = await writing;
    const answered = await settled(demo, load, written);
    await scrape(demo, seen);
    for (const [query, times] of [...seen.empty, ...asked])
      console.log(`without data ${times} times: ${query}`);
    return [
      { name: 'queries of the dashboard', measured: dashboardQueries().length, unit: '' },
      { name: 'of them without data in a scrape', measured: seen.empty.size, unit: '', atMost: 0 },
      ...(prometheus === null
        ? []
        : [
            {
              name: 'of them without data in Prometheus',
              measured: asked.size,
              unit: '' as const,
              atMost: 0,
            },
          ]),
      { name: 'messages written', measured: written, unit: '' },
      { name: 'that could not be written', measured: failed, unit: '', atMost: 0 },
      { name: 'messages written a second', measured: written / (ms / 1_000), unit: '/s' },
      { name: 'not answered', measured: written - answered, unit: '', atMost: 0 },
      {
        name: 'answers the figures do not know',
        measured: written - runsDone(seen.last),
        unit: '',
        atMost: 0,
      },
      { name: 'scrapes', measured: seen.took.length, unit: '' },
      {
        name: 'a scrape, half of them',
        measured: quantile(seen.took, 0.5),
        unit: 'ms',
        atMost: 500,
      },
      {
        name: 'a scrape, slowest 5 %',
        measured: quantile(seen.took, 0.95),
        unit: 'ms',
        atMost: 2_000,
      },
      {
        name: 'size of a scrape at the end',
        measured: (seen.bytes.at(-1) ?? 0) / 1e6,
        unit: 'MB',
        atMost: 0.5,
      },
      { name: 'series in it', measured: seen.last.length, unit: '' },
      {
        name: 'memory of the daemon',
        measured: figureOf(seen.last, 'process_resident_memory_bytes') / 1e6,
        unit: 'MB',
      },
      loadFigure(),
    ];
  } finally {
    await prometheus?.close();
  }
}

/** Authenticates as docs/operations.md describes for a monitor. */
async function monitor(demo: Demo) {
  const { secret } = await demo.relay.ok<{ secret: string }>('POST', '/api/tokens', {
    name: 'prometheus',
    scopes: ['metrics:read'],
  });
  return { port: Number(new URL(demo.api).port), token: secret };
}

async function write(load: Load, ms: number) {
  const end = Date.now() + ms;
  let written = 0;
  let failed = 0;
  while (Date.now() < end) {
    await load.write(`Message ${written}: is ${written % 28} March a good day?`).then(
      () => {
        written += 1;
      },
      () => {
        failed += 1;
      },
    );
    await sleep(500);
  }
  return { written, failed };
}

async function scrape(demo: Demo, seen: Seen): Promise<void> {
  const began = performance.now();
  const { text } = await demo.relay.call('GET', '/metrics');
  seen.took.push(performance.now() - began);
  seen.bytes.push(text.length);
  seen.last = readScrape(text);
  for (const { panel, query } of dashboardQueries())
    for (const fault of missing(query, seen.last)) tally(seen.empty, `${panel}: ${fault}`);
}

async function ask(prometheus: Prometheus, empty: Map<string, number>): Promise<void> {
  for (const { panel, query } of dashboardQueries()) {
    const filled = query.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
    if ((await prometheus.count(filled)) === 0) tally(empty, `${panel}: ${filled}`);
  }
}

const tally = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);

/** All answers are on the phones, or a minute has passed without another. */
async function settled(demo: Demo, load: Load, written: number): Promise<number> {
  let answered = await load.answered();
  for (let quiet = 0; answered < written && quiet < 60; quiet++) {
    await sleep(1_000);
    const now = await load.answered();
    if (now > answered) quiet = 0;
    answered = now;
  }
  // The event log is counted a second later.
  await sleep(2_000);
  return demo.daemon === null ? 0 : answered;
}

const runsDone = (series: readonly Series[]): number =>
  series
    .filter(({ name, labels }) => name === 'relay_model_runs_total' && labels.state === 'done')
    .reduce((sum, { value }) => sum + value, 0);

const figureOf = (series: readonly Series[], wanted: string): number =>
  series.find(({ name }) => name === wanted)?.value ?? Number.NaN;

// The dashboard in docs/grafana against a real daemon with a little to do: every query names series that are there.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { dashboardQueries } from '../figures/dashboard.ts';
import { missing, readScrape, type Series } from '../figures/promql.ts';
import { type Demo, startDemo } from './demo.ts';
import { eventually } from './gateway.ts';
import { type Load, openLoad } from './load.ts';

// A machine that does other things too is slow, not wrong.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const QUESTIONS = ['Is Tuesday good?', 'Could you call me?'];

let demo: Demo;
let load: Load;
let scrape: readonly Series[];
beforeAll(async () => {
  demo = await startDemo({ settings: { pacing: { enabled: false } } });
  load = await openLoad(demo, 2);
  for (const question of QUESTIONS) await load.write(question);
  await eventually('both answers', async () => (await load.answered()) === 2 || undefined);
  scrape = await eventually('the figures of that', async () => {
    const answer = await demo.relay.call('GET', '/metrics');
    const series = readScrape(answer.text);
    return series.some(({ name }) => name === 'relay_events_total') ? series : undefined;
  });
});
afterAll(() => demo?.stop());

it('names only series and labels that a scrape has', () => {
  const queries = dashboardQueries();
  expect(queries.length).toBeGreaterThan(30);
  const faults = queries.flatMap(({ panel, query }) =>
    missing(query, scrape).map((fault) => `${panel}: ${fault}`),
  );
  expect(faults).toEqual([]);
});

it('leaves out nothing that Relay itself counts', () => {
  const shown = dashboardQueries()
    .map(({ query }) => query)
    .join('\n');
  // Which version runs is what the choice of a Relay is made from; the others have a panel beside them.
  const known = [
    'relay_build_info',
    'relay_webhooks_in_trouble',
    'relay_backup_last_timestamp_seconds',
  ];
  const names = new Set(scrape.map(({ name }) => name).filter((name) => name.startsWith('relay_')));
  const left = [...names].filter(
    (name) => !shown.includes(name.replace(/_(sum|count|bucket)$/, '')),
  );
  expect(left.filter((name) => !known.includes(name))).toEqual([]);
});

it('a scrape counts the answers, and has nobody’s words, names, numbers or ids', async () => {
  const { status, text } = await demo.relay.call('GET', '/metrics');
  expect(status).toBe(200);
  const series = readScrape(text);
  const turns = series.filter(({ name }) => name === 'relay_model_runs_total');
  expect(turns.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThanOrEqual(QUESTIONS.length);
  for (const secret of [...QUESTIONS, ...load.people, 'Person', 'Olga', load.answer]) {
    expect(text).not.toContain(secret);
  }
  // Codes and names out of fixed lists: no sentence, no telephone number, no id.
  const values = series.flatMap(({ labels }) => Object.values(labels));
  expect(values.filter((value) => /\s|\d{7}|[\da-f]{8}-[\da-f]{4}/.test(value))).toEqual([]);
});

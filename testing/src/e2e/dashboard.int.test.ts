// The dashboard and the alert rules in docs/grafana against a real daemon with a little traffic: every query names
// existing series.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { alertQueries, dashboardQueries, RULES_FOLDER } from '../figures/dashboard.ts';
import { missing, readScrape, type Series } from '../figures/promql.ts';
import { type Demo, startDemo } from './demo.ts';
import { eventually } from './gateway.ts';
import { type Load, openLoad } from './load.ts';

// Generous, for a busy machine.
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

it('every alert names only series and labels that a scrape has', () => {
  const queries = alertQueries();
  expect(queries.length).toBeGreaterThan(10);
  // Prometheus adds it to every target.
  const scraped = [...scrape, { name: 'up', labels: {}, value: 1 }];
  const faults = queries.flatMap(({ panel, query }) =>
    missing(query, scraped).map((fault) => `${panel}: ${fault}`),
  );
  expect(faults).toEqual([]);
});

const promtool = process.env.PROMTOOL ?? 'promtool';
const hasPromtool = (() => {
  try {
    execFileSync(promtool, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

it.skipIf(!hasPromtool)('the alerts fire and clear as their rule tests expect', () => {
  const run = (...args: string[]) =>
    execFileSync(promtool, args, { cwd: RULES_FOLDER, encoding: 'utf8' });
  expect(run('check', 'rules', 'relay.rules.yml')).toMatch(/SUCCESS: \d+ rules found/);
  expect(run('test', 'rules', 'relay.rules.test.yml')).toContain('SUCCESS');
});

it('covers every metric that Relay itself exports', () => {
  const shown = dashboardQueries()
    .map(({ query }) => query)
    .join('\n');
  // The version metric feeds the selector of a Relay; the others have a panel.
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

it('a scrape counts the answers, and contains no text, name, number or id of anybody', async () => {
  const { status, text } = await demo.relay.call('GET', '/metrics');
  expect(status).toBe(200);
  const series = readScrape(text);
  const turns = series.filter(({ name }) => name === 'relay_model_runs_total');
  expect(turns.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThanOrEqual(QUESTIONS.length);
  for (const secret of [...QUESTIONS, ...load.people, 'Person', 'Olga', load.answer]) {
    expect(text).not.toContain(secret);
  }
  // Values come from fixed lists: no sentence, no telephone number, no id.
  const values = series.flatMap(({ labels }) => Object.values(labels));
  expect(values.filter((value) => /\s|\d{7}|[\da-f]{8}-[\da-f]{4}/.test(value))).toEqual([]);
});

// The dashboard in docs/grafana against a real daemon with a little to do: every query names series that are there.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { dashboardQueries } from '../figures/dashboard.ts';
import { missing, readScrape, type Series } from '../figures/promql.ts';
import { type Demo, startDemo } from './demo.ts';
import { eventually } from './gateway.ts';
import { openLoad } from './load.ts';

// A machine that does other things too is slow, not wrong.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

let demo: Demo;
let scrape: readonly Series[];
beforeAll(async () => {
  demo = await startDemo({ settings: { pacing: { enabled: false } } });
  const load = await openLoad(demo, 2);
  await load.write('Is Tuesday good?');
  await load.write('Could you call me?');
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

it('tells nobody’s words, names or numbers', async () => {
  const { text } = await demo.relay.call('GET', '/metrics');
  for (const secret of ['Tuesday', 'Person', '1555000000', 'Olga'])
    expect(text).not.toContain(secret);
});

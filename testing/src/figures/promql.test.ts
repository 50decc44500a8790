import { expect, test } from 'vitest';
import { missing, readQuery, readScrape } from './promql.ts';

const SCRAPE = readScrape(`# HELP a b
relay_hold 0
relay_events_total{kind="message"} 3
relay_http_bucket{le="0.1",route="/api/status"} 4
relay_odd{text="a \\"}{ b"} NaN
`);

test('finds series and their labels among functions, ranges and groupings', () => {
  const { selectors, grouped } = readQuery(
    'histogram_quantile(0.95, sum by (le, route) (rate(relay_http_bucket{instance=~"$instance", le="0.1"}[$__rate_interval]))) > 60 * relay_hold',
  );
  expect(selectors.map(({ name, labels }) => [name, ...labels])).toEqual([
    ['relay_http_bucket', ['instance', null], ['le', '0.1']],
    ['relay_hold'],
  ]);
  expect(grouped).toEqual(['le', 'route']);
});

test.each([
  ['relay_hold{instance=~"$instance"} == 1', []],
  ['sum by (kind) (rate(relay_events_total{kind="message"}[5m]))', []],
  ['relay_gone', ['relay_gone is not there']],
  ['relay_odd', ['relay_odd is not there']],
  ['relay_events_total{kind="nothing"}', ['relay_events_total has no such labels: kind']],
  ['sum by (colour) (relay_hold)', ['nothing has the label colour']],
  ['1 + 1', ['it selects nothing']],
])('checks %s against a scrape', (query, faults) => expect(missing(query, SCRAPE)).toEqual(faults));

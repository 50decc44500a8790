import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { delayFor, longestWait, parseRetryAfter, RETRY, type RetryTable } from './retry.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 500);
vi.setConfig({ testTimeout: 60_000 + 5 * numRuns });
const tables: [string, RetryTable][] = Object.entries(RETRY);
const anyTable = fc.constantFrom(...tables.map(([, table]) => table));
const anyJitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const waits = (table: RetryTable, count: number): (number | null)[] =>
  Array.from({ length: count }, (_, index) => delayFor(table, index + 1, 0));

describe('retry tables', () => {
  test('reconnecting waits 1, 2, 4, 8, 16 and then 30 seconds without end', () => {
    expect(waits(RETRY.whatsapp_reconnect, 8)).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
    ]);
    expect(delayFor(RETRY.whatsapp_reconnect, 100_000, 0)).toBe(30_000);
  });

  test('a bounded reconnect gives up after five retries', () => {
    expect(waits(RETRY.whatsapp_reconnect_bounded, 6)).toEqual([
      1_000,
      2_000,
      4_000,
      8_000,
      16_000,
      null,
    ]);
  });

  test('an outbound send is retried after exactly 5, 10 and 20 seconds', () => {
    expect(waits(RETRY.outbound_send, 4)).toEqual([5_000, 10_000, 20_000, null]);
    expect(delayFor(RETRY.outbound_send, 1, 0.99)).toBe(5_000);
  });

  test('a model call is retried once', () => {
    expect(waits(RETRY.model_call, 2)).toEqual([1_000, null]);
  });

  test.each(tables)('%s at least doubles from step to step', (_name, table) => {
    const { stepsMs, spread } = table;
    expect(spread).toBeLessThanOrEqual(0.4);
    for (const [index, step] of stepsMs.slice(1).entries()) {
      expect(step * (1 - spread)).toBeGreaterThanOrEqual(stepsMs[index] ?? Number.NaN);
    }
  });

  test('a delay is never above the cap and never negative', () => {
    fc.assert(
      fc.property(anyTable, fc.integer({ min: -5, max: 1_000 }), anyJitter, (table, n, jitter) => {
        const delay = delayFor(table, n, jitter);
        if (delay === null) return;
        expect(delay).toBeGreaterThan(0);
        expect(delay).toBeLessThanOrEqual(longestWait(table));
      }),
      { numRuns },
    );
  });

  test('a delay never shrinks before the cap, whatever the jitter', () => {
    fc.assert(
      fc.property(anyTable, fc.nat(12), anyJitter, anyJitter, (table, n, before, after) => {
        const capReached = n + 1 > table.stepsMs.length;
        const earlier = delayFor(table, n, before);
        const later = delayFor(table, n + 1, after);
        if (n === 0 || capReached || earlier === null || later === null) return;
        expect(later).toBeGreaterThanOrEqual(earlier);
      }),
      { numRuns },
    );
  });
});

describe('parseRetryAfter', () => {
  const now = new Date('2026-11-18T12:00:00Z');

  test.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Wed, 18 Nov 2026 12:00:30 GMT', 30_000],
    ['Wednesday, 18-Nov-26 12:00:30 GMT', 30_000],
    ['Wed Nov 18 12:00:30 2026 GMT', 30_000],
    ['Wed, 18 Nov 2020 12:00:30 GMT', 0],
  ])('reads %j', (text, wait) => expect(parseRetryAfter(text, now)).toBe(wait));

  test.each([undefined, '', '-1', '1.5', '1e9', '99999999999', 'soon', 'Wed, soon', '2099-01-01'])(
    'ignores %j',
    (text) => expect(parseRetryAfter(text, now)).toBeNull(),
  );
});

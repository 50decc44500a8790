import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countAfter,
  isPlaceAfter,
  MOST_ENTRIES,
  ONLY_TEXT,
  PAGE_ENTRIES,
  type TranscriptEntry,
  type TranscriptPage,
  withDayRows,
  withNewer,
  withNewest,
  withOlder,
} from './window.ts';

const ALL = 3_000;
const line = (n: number, over: Partial<TranscriptEntry> = {}): TranscriptEntry => ({
  key: String(n),
  place: [n, 0],
  side: 'contact',
  authorName: null,
  label: null,
  text: `words ${n}`,
  at: new Date(Date.UTC(2026, 0, 1, n)).toISOString(),
  delivery: null,
  marks: [],
  quoted: null,
  whyMessageId: null,
  ...ONLY_TEXT,
  ...over,
});
/** As the daemon answers for a chat of `all` lines. */
const between = (from: number, to: number, all: number): TranscriptPage => ({
  entries: Array.from({ length: Math.max(0, to - from) }, (_, n) => line(from + n)),
  hasOlder: from > 0,
  hasNewer: to < all,
});
const newestOf = (all: number) => between(Math.max(0, all - PAGE_ENTRIES), all, all);
const numbers = ({ entries }: TranscriptPage) => entries.map(({ place }) => place[0]);

test('the window has no gap, stays small and knows whether there is more, wherever the reader scrolls', () => {
  const walk = fc.array(fc.constantFrom('older', 'newer', 'arrives'), { maxLength: 60 });
  fc.assert(
    fc.property(walk, fc.boolean(), (steps, isReadingEnd) => {
      let all = ALL;
      let window = newestOf(all);
      for (const step of steps) {
        const first = window.entries[0]?.place[0] ?? 0;
        const end = (window.entries.at(-1)?.place[0] ?? 0) + 1;
        if (step === 'older') {
          window = withOlder(window, between(Math.max(0, first - PAGE_ENTRIES), first, all));
        } else if (step === 'newer' && window.hasNewer) {
          window = withNewer(window, between(end, Math.min(all, end + PAGE_ENTRIES), all));
        } else if (step === 'arrives') {
          all += 7;
          window = withNewest(window, newestOf(all), isReadingEnd);
        }
        const held = numbers(window);
        expect(held).toEqual(held.map((_, n) => (held[0] ?? 0) + n));
        expect(held.length).toBeLessThanOrEqual(MOST_ENTRIES);
        expect(window.hasOlder).toBe((held[0] ?? 0) > 0);
        expect(window.hasNewer).toBe((held.at(-1) ?? 0) < all - 1);
      }
    }),
  );
});

test('an unchanged line stays the same object, a changed or deleted one does not', () => {
  const window = between(0, 4, 4);
  const [a, b, , d] = window.entries;
  const read = line(3, { delivery: 'read' });
  const now = withNewest(
    window,
    { entries: [line(0), line(1), read], hasOlder: false, hasNewer: false },
    true,
  );
  expect(now.entries[0]).toBe(a);
  expect(now.entries[1]).toBe(b);
  expect(now.entries[2]).not.toBe(d);
  expect(now.entries.map(({ delivery }) => delivery)).toEqual([null, null, 'read']);
});

test('after a gap, a reader at the end gets the end, and a reader further up keeps their place', () => {
  const window = between(540, 600, 600);
  expect(numbers(withNewest(window, newestOf(900), true))[0]).toBe(900 - PAGE_ENTRIES);
  expect(withNewest(window, newestOf(900), false)).toEqual({ ...window, hasNewer: true });
});

test('new lines are counted from the last one seen', () => {
  expect(countAfter(newestOf(900).entries, [896, 0])).toBe(3);
  expect(countAfter(newestOf(900).entries, null)).toBe(0);
  expect(isPlaceAfter([1, 2], [1, 1])).toBe(true);
});

test('a day heading is only before its first line', () => {
  const rows = withDayRows(between(0, 72, 72).entries);
  expect(rows.filter(({ kind }) => kind === 'day').length).toBeGreaterThanOrEqual(3);
  expect(rows[0]?.kind).toBe('day');
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});

import { expect, test } from 'vitest';
import {
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatRoughDuration,
  formatRows,
  toOneLine,
  toPrintable,
} from './format.ts';

test.each([
  [0, '0 s'],
  [59.9, '59 s'],
  [60, '1 min'],
  [3_725, '1 h 2 min'],
  [90_061, '1 d 1 h'],
  [-5, '0 s'],
])('formats %d seconds as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

test.each([
  [-1, '0 s'],
  [59_400, '59 s'],
  [59_600, '1 min'],
  [720_000, '12 min'],
  [3_599_000, '1 h'],
  [100_000_000, '28 h'],
  [400_000_000, '5 d'],
])('formats %d ms roughly as %s', (ms, text) => {
  expect(formatRoughDuration(ms)).toBe(text);
});

test('omits the day for a time today', () => {
  const now = new Date(2026, 10, 15, 12, 0);
  expect(formatClock(new Date(2026, 10, 15, 9, 5), now)).toBe('09:05');
  expect(formatClock(new Date(2026, 10, 14, 23, 59), now)).toBe('11-14 23:59');
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [84_300_000_000, '84.3 GB'],
])('formats %d bytes as %s', (size, text) => {
  expect(formatBytes(size)).toBe(text);
});

test('uses singular and plural', () => {
  expect([
    formatCount(1, 'timer'),
    formatCount(0, 'timer'),
    formatCount(2, 'reply', 'replies'),
  ]).toEqual(['1 timer', '0 timers', '2 replies']);
});

test('aligns two columns', () => {
  expect(
    formatRows([
      ['PID', '1'],
      ['Uptime', '2 s'],
    ]),
  ).toEqual(['  PID     1', '  Uptime  2 s']);
});

test('makes terminal control characters visible', () => {
  expect(toPrintable('a\u001b[2Jb\u0007c\rd\u202ee\u009bf')).toBe(
    'a⟨U+001B⟩[2Jb⟨U+0007⟩c⟨U+000D⟩d⟨U+202E⟩e⟨U+009B⟩f',
  );
  expect(toPrintable('tab\tand\nline')).toBe('tab\tand\nline');
  expect(toPrintable('\u200ea\u2029b\u061cc')).toBe('⟨U+200E⟩a⟨U+2029⟩b⟨U+061C⟩c');
  expect(toOneLine(' a\n\u001b[1m\tb ')).toBe('a ⟨U+001B⟩[1m b');
});

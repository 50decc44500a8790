import { expect, test } from 'vitest';
import { bytes, count, duration, printable, rows } from './format.ts';

test.each([
  [0, '0 s'],
  [59.9, '59 s'],
  [60, '1 min'],
  [3_725, '1 h 2 min'],
  [90_061, '1 d 1 h'],
  [-5, '0 s'],
])('%d seconds read as %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [84_300_000_000, '84.3 GB'],
])('%d bytes read as %s', (size, text) => {
  expect(bytes(size)).toBe(text);
});

test('counts one and many', () => {
  expect([count(1, 'timer'), count(0, 'timer'), count(2, 'reply', 'replies')]).toEqual([
    '1 timer',
    '0 timers',
    '2 replies',
  ]);
});

test('lines up two columns', () => {
  expect(
    rows([
      ['PID', '1'],
      ['Uptime', '2 s'],
    ]),
  ).toEqual(['  PID     1', '  Uptime  2 s']);
});

test('takes from a text what a terminal would obey', () => {
  expect(printable('a\u001b[2Jb\u0007c\rd\u202ee\u009bf')).toBe('a[2Jbcdef');
  expect(printable('tab\tand\nline')).toBe('tab\tand\nline');
});

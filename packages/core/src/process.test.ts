import { expect, test } from 'vitest';
import { linuxProcessStart, psProcessStart } from './installation.ts';

const stat = (state: string, ticks: number, name = 'node') =>
  `4242 (${name}) ${state} 1 4242 4242 0 -1 4194304 1 0 0 0 5 2 0 0 20 0 11 0 ${ticks} 1000 200 18446744073709551615`;

test('reads the start of a process whose name has spaces and parentheses', () => {
  expect(linuxProcessStart(stat('S', 987654, 'my) prog (x'), 'abcdef0123\n')).toBe(
    'abcdef01:987654',
  );
});

test('treats a zombie as gone', () => {
  expect(linuxProcessStart(stat('Z', 987654), 'abcdef01')).toBeNull();
  expect(psProcessStart('Z+   Sat Nov 15 02:13:00 2026')).toBeNull();
});

test('distinguishes the same pid and tick in two boots', () => {
  expect(linuxProcessStart(stat('S', 5), 'aaaaaaaa')).not.toBe(
    linuxProcessStart(stat('S', 5), 'bbbbbbbb'),
  );
});

test('returns null for malformed output', () => {
  expect(linuxProcessStart('', 'aaaaaaaa')).toBeNull();
  expect(linuxProcessStart('garbage', 'aaaaaaaa')).toBeNull();
  expect(psProcessStart('')).toBeNull();
});

test('reads the output of ps on macOS', () => {
  expect(psProcessStart('Ss   Sat Nov 15 02:13:00 2026    \n')).toBe('Sat Nov 15 02:13:00 2026');
});

import pc from 'picocolors';
import { expect, test } from 'vitest';
import { createLevelFilter, formatLogLine } from './logs.ts';

const plain = pc.createColors(false);
const line = (fields: object) =>
  JSON.stringify({ level: 'info', time: '2026-11-15T02:13:00.123Z', msg: 'Ready.', ...fields });

test('shows time, level, message and fields', () => {
  expect(formatLogLine(line({ port: 3214, reason: 'a b' }), plain, '2026-11-15')).toBe(
    '02:13:00.123  info   Ready.  port=3214 reason=a b',
  );
});

test('shows the day when it is not today', () => {
  expect(formatLogLine(line({}), plain, '2026-11-16')).toBe('2026-11-15 02:13:00  info   Ready.');
});

test('shows the stack of an error', () => {
  const error = { type: 'Error', message: 'no', stack: 'Error: no\n    at here' };
  expect(formatLogLine(line({ level: 'error', error }), plain, '2026-11-15')).toContain(
    '\nError: no\n    at here',
  );
});

test('removes terminal control sequences', () => {
  const hostile = line({ msg: 'x\u001b]0;owned\u0007', reason: '\u001b[2J' });
  expect(formatLogLine(hostile, plain, '2026-11-15')).not.toContain('\u001b');
  expect(formatLogLine('not json \u001b[2J', plain, '')).toBe('not json ⟨U+001B⟩[2J');
});

test('omits lines below the level', () => {
  expect(createLevelFilter('warn')(line({}))).toBe(false);
  expect(createLevelFilter('warn')(line({ level: 'error' }))).toBe(true);
  expect(createLevelFilter('debug')('not json')).toBe(true);
});

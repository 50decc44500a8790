import { expect, test } from 'vitest';
import { findZone, Zone } from '../schedule/zone.ts';
import { backupFailureReason, nextBackupAt } from './backup-schedule.ts';

const berlin = findZone('Europe/Berlin');
if (!(berlin instanceof Zone)) throw new Error('no zone');
const at = (text: string) => new Date(text);
const NOW = at('2026-11-16T12:00:00Z');

test('nothing is due while backups are off, and the first one at once when they are on', () => {
  expect(nextBackupAt('off', null, NOW, berlin)).toBeNull();
  expect(nextBackupAt('day', null, NOW, berlin)).toEqual(NOW);
});

test.each([
  ['hour', '2026-11-16T11:40:00Z', '2026-11-16T12:40:00.000Z'],
  ['day', '2026-11-16T02:40:10Z', '2026-11-17T02:40:00.000Z'],
  ['week', '2026-11-15T02:40:10Z', '2026-11-22T02:40:00.000Z'],
] as const)('a backup every %s follows the clock of the owner’s zone', (every, last, next) => {
  expect(nextBackupAt(every, at(last), NOW, berlin)?.toISOString()).toBe(next);
});

test('a night in which the machine slept is due once, from its hour on', () => {
  const due = nextBackupAt('day', at('2026-11-13T02:40:10Z'), NOW, berlin);
  expect(due?.toISOString()).toBe('2026-11-14T02:40:00.000Z');
  expect(nextBackupAt('day', NOW, NOW, berlin)?.toISOString()).toBe('2026-11-17T02:40:00.000Z');
});

test('a last backup in the future, after a clock was set back, delays nothing for years', () => {
  const due = nextBackupAt('day', at('2030-01-01T00:00:00Z'), NOW, berlin);
  expect(due?.toISOString()).toBe('2026-11-17T02:40:00.000Z');
});

test('describes a system error in words', () => {
  expect(backupFailureReason('ENOSPC')).toBe('the disk is full');
  expect(backupFailureReason('EWHATEVER')).toBe('the system reports EWHATEVER');
});

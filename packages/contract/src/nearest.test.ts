import { expect, test } from 'vitest';
import { nearestName } from './settings.ts';

const KNOWN = ['daemon_port', 'log_level', 'pacing', 'pacing.per_day', 'pacing.per_hour', 'zone'];

test.each([
  ['deamon_port', 'daemon_port'],
  ['loglevel', 'log_level'],
  ['LOG_LEVEL', 'log_level'],
  ['per_hour', 'pacing.per_hour'],
  ['pacing.perday', 'pacing.per_day'],
  ['time_zone', null],
  ['colour', null],
  ['', null],
])('for "%s" it suggests %s', (written, meant) => {
  expect(nearestName(written, KNOWN)).toBe(meant);
});

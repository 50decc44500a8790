import { expect, test } from 'vitest';
import {
  DEFAULT_SETTINGS,
  SECRET_SETTINGS,
  SETTINGS,
  settingNamed,
  settingNames,
} from './settings-shown.ts';

test('every setting there is has its way to be changed, or is a secret', () => {
  const known = [...Object.keys(SETTINGS), ...SECRET_SETTINGS].sort();
  expect(settingNames(DEFAULT_SETTINGS).toSorted()).toEqual(known);
});

test('names what somebody wrote, section by section', () => {
  const written = { zone: 'UTC', auto_reply: { quiet_hours: { from: '22:00', to: '07:00' } } };
  expect(settingNames(written)).toEqual(['zone', 'auto_reply.quiet_hours']);
  expect(settingNamed('auto_reply.quiet_hours', written)).toEqual({ from: '22:00', to: '07:00' });
  expect(settingNamed('pacing.per_day', written)).toBeUndefined();
});

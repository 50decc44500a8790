import { expect, test } from 'vitest';
import {
  DEFAULT_SETTINGS,
  SECRET_SETTINGS,
  SETTING_CHANGES,
  settingByName,
  settingNames,
} from './settings-catalog.ts';

test('every setting has a way to change it, or is a secret', () => {
  const known = [...Object.keys(SETTING_CHANGES), ...SECRET_SETTINGS].sort();
  expect(settingNames(DEFAULT_SETTINGS).toSorted()).toEqual(known);
});

test('lists the names of written settings, section by section', () => {
  const written = { zone: 'UTC', auto_reply: { quiet_hours: { from: '22:00', to: '07:00' } } };
  expect(settingNames(written)).toEqual(['zone', 'auto_reply.quiet_hours']);
  expect(settingByName('auto_reply.quiet_hours', written)).toEqual({ from: '22:00', to: '07:00' });
  expect(settingByName('pacing.per_day', written)).toBeUndefined();
});

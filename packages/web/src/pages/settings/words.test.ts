import type { ListedSetting } from '@relay/contract/api/settings';
import { SETTING_CHANGES } from '@relay/contract/settings-catalog';
import { expect, test } from 'vitest';
import {
  otherSettings,
  quietHoursText,
  refusalText,
  SETTINGS_SECTIONS,
  settingChangeText,
  settingCopy,
  settingSourceText,
  settingValueText,
  toSettingsChange,
} from './copy.ts';

const setting = (changed: Partial<ListedSetting>): ListedSetting => ({
  name: 'pacing.per_day',
  value: 200,
  default: 200,
  from: 'default',
  variable: null,
  changes: 'now',
  ...changed,
});

test('every setting has its own texts', () => {
  const own = [...SETTINGS_SECTIONS.flatMap(({ names }) => names), 'agent.instructions'];
  const rest = otherSettings(Object.keys(SETTING_CHANGES).map((name) => setting({ name })));
  for (const name of [...own, ...rest.map((each) => each.name)])
    expect(settingCopy(name).label).not.toBe(name);
});

test('a refusal names settings by their labels', () => {
  expect(
    refusalText('Nothing was changed: "pacing.typing_min_ms": is more than typing_max_ms.'),
  ).toBe('Nothing was changed: “Typing takes at least” is more than “Typing takes at most”.');
});

test('each setting says where its value comes from and when a change takes effect', () => {
  expect(settingSourceText(setting({ from: 'environment', variable: 'RELAY_PORT' }))).toBe(
    'set by RELAY_PORT',
  );
  expect(settingChangeText(setting({}))).toBeNull();
  expect(settingChangeText(setting({ changes: 'next_start' }))).toBe('Counts from the next start.');
  expect(settingChangeText(setting({ changes: 'next_start', next: 'debug' }))).toContain('debug');
  expect(settingChangeText(setting({ from: 'environment' }))).toContain('environment');
});

test('values are formatted for people', () => {
  expect([
    settingValueText(2_000_000, 'tokens'),
    settingValueText(180_000, 'ms'),
    settingValueText(null),
    settingValueText([]),
    settingValueText(true),
    settingValueText({ from: '22:00', to: '07:00' }),
  ]).toEqual(['2,000,000 tokens', '3 min', 'not set', 'none', 'on', '22:00 – 07:00']);
  expect(quietHoursText({ from: '22:00', to: '07:00' })).toContain('From 22:00 to 07:00');
});

test('edits become one change, nested by section', () => {
  expect(toSettingsChange({ 'pacing.per_day': 5, 'pacing.per_hour': null, zone: 'UTC' })).toEqual({
    pacing: { per_day: 5, per_hour: null },
    zone: 'UTC',
  });
});

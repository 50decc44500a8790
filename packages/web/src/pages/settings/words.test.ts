import type { SettingShown } from '@relay/core/api/settings';
import { SETTINGS } from '@relay/core/settings-shown';
import { expect, test } from 'vitest';
import { restOf, SECTIONS } from './sections.ts';
import {
  changeOf,
  changeWords,
  quietWords,
  refusalWords,
  sourceWords,
  valueWords,
  wordsOf,
} from './words.ts';

const setting = (changed: Partial<SettingShown>): SettingShown => ({
  name: 'pacing.per_day',
  value: 200,
  default: 200,
  from: 'default',
  variable: null,
  changes: 'now',
  ...changed,
});

test('every setting has words of its own', () => {
  const own = [...SECTIONS.flatMap(({ names }) => names), 'agent.instructions'];
  const rest = restOf(Object.keys(SETTINGS).map((name) => setting({ name })));
  for (const name of [...own, ...rest.map((each) => each.name)])
    expect(wordsOf(name).label).not.toBe(name);
});

test('a refusal names settings by their labels', () => {
  expect(
    refusalWords('Nothing was changed: "pacing.typing_min_ms": is more than typing_max_ms.'),
  ).toBe('Nothing was changed: “Typing takes at least” is more than “Typing takes at most”.');
});

test('each says where it comes from and when a change counts', () => {
  expect(sourceWords(setting({ from: 'environment', variable: 'RELAY_PORT' }))).toBe(
    'set by RELAY_PORT',
  );
  expect(changeWords(setting({}))).toBeNull();
  expect(changeWords(setting({ changes: 'next_start' }))).toBe('Counts from the next start.');
  expect(changeWords(setting({ changes: 'next_start', next: 'debug' }))).toContain('debug');
  expect(changeWords(setting({ from: 'environment' }))).toContain('environment');
});

test('values read as people say them', () => {
  expect([
    valueWords(2_000_000, 'tokens'),
    valueWords(180_000, 'ms'),
    valueWords(null),
    valueWords([]),
    valueWords(true),
    valueWords({ from: '22:00', to: '07:00' }),
  ]).toEqual(['2,000,000 tokens', '3 min', 'not set', 'none', 'on', '22:00 – 07:00']);
  expect(quietWords({ from: '22:00', to: '07:00' })).toContain('From 22:00 to 07:00');
});

test('what was edited becomes one change, section by section', () => {
  expect(changeOf({ 'pacing.per_day': 5, 'pacing.per_hour': null, zone: 'UTC' })).toEqual({
    pacing: { per_day: 5, per_hour: null },
    zone: 'UTC',
  });
});

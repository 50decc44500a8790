import type { MemoryStatus } from '@relay/contract/api/memory';
import type { ListedSetting, SettingsOverview } from '@relay/contract/api/settings';
import { SETTING_CHANGES } from '@relay/contract/settings-catalog';
import { expect, test } from 'vitest';
import {
  embeddingsText,
  embeddingsTrialText,
  otherSettings,
  quietHoursText,
  refusalText,
  SETTINGS_SECTIONS,
  settingChangeText,
  settingCopy,
  settingSourceLabel,
  settingSourceText,
  settingsSummary,
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
  ).toBe('Nothing was changed: “Minimum typing time” is more than “Maximum typing time”.');
});

test('each setting shows where its value comes from', () => {
  const fixed = setting({ from: 'environment', variable: 'RELAY_PORT' });
  expect(settingSourceText(fixed)).toBe('Set by the environment variable RELAY_PORT.');
  expect(settingSourceLabel(fixed)).toBe('Environment variable RELAY_PORT');
  expect(settingSourceText(setting({ from: 'file', value: 40 }))).toBe(
    'Set in the settings file. Default: 200.',
  );
});

test('each setting shows when a change takes effect', () => {
  expect(settingChangeText(setting({}))).toBeNull();
  expect(settingChangeText(setting({ changes: 'next_start' }))).toBe(
    'Takes effect after a restart.',
  );
  expect(settingChangeText(setting({ changes: 'next_start', next: 'debug' }))).toBe(
    'After a restart: debug.',
  );
  expect(settingChangeText(setting({ from: 'environment' }))).toContain('variable');
});

test('values are formatted for people', () => {
  expect([
    settingValueText('agent.tokens_per_day', 2_000_000),
    settingValueText('agent.turn_timeout_ms', 180_000),
    settingValueText('auto_reply.late_after_hours', 1),
    settingValueText('auto_reply.rest_minutes', [60, 1_440]),
    settingValueText('backup.every', 'day'),
    settingValueText('zone', null),
    settingValueText('webhooks.allow', []),
    settingValueText('pacing.enabled', true),
    settingValueText('auto_reply.quiet_hours', { from: '22:00', to: '07:00' }),
  ]).toEqual([
    '2,000,000 tokens',
    '3 min',
    '1 hour',
    '60 minutes, 1,440 minutes',
    'Every day',
    'Not set',
    'None',
    'On',
    '22:00 – 07:00',
  ]);
  expect(quietHoursText({ from: '22:00', to: '07:00' })).toContain('From 22:00 to 07:00');
});

test('the summary counts the changes that need a restart', () => {
  const shown = (settings: ListedSetting[]) => ({ settings }) as unknown as SettingsOverview;
  const days = setting({ name: 'retention.observed_messages_days', value: 30 });
  expect(settingsSummary(shown([setting({}), days]), undefined)).toContain(
    'Relay sends at most 200 messages a day and keeps messages from observed groups for 30 days.',
  );
  expect(settingsSummary(shown([setting({ name: 'zone', next: 'UTC' })]), undefined)).toBe(
    '1 setting takes effect after a restart.',
  );
});

test('search by meaning shows its progress and what a trial found', () => {
  const status = { embeddings: 'local', model: 'small', documents: 12, vectors: 2, waiting: 10 };
  expect(embeddingsText(status as MemoryStatus)).toBe(
    '12 texts are searchable by words, 2 of them also by meaning. 10 texts are waiting to be indexed. Model: small.',
  );
  const trial = { embeddings: 'local', provider: 'local', model: 'small', dims: 3 } as const;
  expect(embeddingsTrialText({ ...trial, waiting: 600, per_second: 5, leaves_to: null })).toBe(
    'small works. Indexing 600 texts takes about 2 min. No text leaves this machine.',
  );
});

test('edits become one change, nested by section', () => {
  expect(toSettingsChange({ 'pacing.per_day': 5, 'pacing.per_hour': null, zone: 'UTC' })).toEqual({
    pacing: { per_day: 5, per_hour: null },
    zone: 'UTC',
  });
});

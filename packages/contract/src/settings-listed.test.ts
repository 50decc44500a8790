import { expect, test } from 'vitest';
import {
  DEFAULT_SETTINGS,
  listSettings,
  SETTING_MEANINGS,
  settingNames,
  settingsJsonSchema,
} from './settings-catalog.ts';

const listed = (written: object, env = {}, changed = {}) =>
  new Map(
    Object.values(listSettings({ written, env, changed }))
      .flat()
      .map((row) => [row.name, row]),
  );

test('every setting and secret, and nothing else, has a one-line meaning', () => {
  expect(Object.keys(SETTING_MEANINGS).sort()).toEqual(settingNames(DEFAULT_SETTINGS).toSorted());
  for (const meaning of Object.values(SETTING_MEANINGS))
    expect(meaning).toMatch(/^[A-Z][^\n]{8,110}\.$/);
});

test('a value’s source is the environment, the console, the file or the default, in this order', () => {
  const rows = listed(
    { daemon_port: 4000, log_level: 'warn', pacing: { per_day: 40, per_hour: 9 } },
    { RELAY_PORT: '5000', ADMIN_PHONE_NUMBERS: '+1 555 0001 2345' },
    { log_level: 'warn', 'pacing.per_hour': 8 },
  );
  const of = (name: string) => rows.get(name);
  expect(of('daemon_port')).toMatchObject({
    value: 5000,
    from: 'environment',
    variable: 'RELAY_PORT',
  });
  expect(of('admin_phone_numbers')).toMatchObject({ value: ['155500012345'] });
  expect(of('log_level')).toMatchObject({ value: 'warn', from: 'console' });
  expect(of('pacing.per_day')).toMatchObject({ value: 40, from: 'file' });
  // Changed in the console once, and in an editor since.
  expect(of('pacing.per_hour')).toMatchObject({ value: 9, from: 'file' });
  expect(of('zone')).toMatchObject({ value: null, from: 'default' });
});

test('a secret is listed with its presence and source, never its value', () => {
  const rows = listed(
    { model_api_key: 'sk-1', memory: { endpoint_api_key: 'sealed:abc' } },
    { BRAVE_API_KEY: 'brave-1' },
  );
  const secrets = ['model_api_key', 'memory.endpoint_api_key', 'brave_api_key'];
  expect(secrets.map((name) => rows.get(name)?.from)).toEqual(['file', 'console', 'environment']);
  expect(rows.get('outside_memory.webhook_secret')).toMatchObject({ is_set: false });
  expect(JSON.stringify([...rows.values()])).not.toMatch(/sk-1|sealed|brave-1/);
});

test('the editor schema has each setting with its meaning and accepts no other', () => {
  const schema = JSON.parse(JSON.stringify(settingsJsonSchema()));
  expect(schema).toMatchObject({ additionalProperties: false, properties: { $schema: {} } });
  expect(schema.properties.daemon_port).toMatchObject({
    default: 3214,
    description: SETTING_MEANINGS.daemon_port,
  });
  expect(schema.properties.pacing).toMatchObject({ additionalProperties: false });
  for (const name of Object.keys(SETTING_MEANINGS)) {
    const [section = '', key] = name.split('.');
    const node = schema.properties[section];
    expect(key === undefined ? node : node.properties[key]).toMatchObject({
      description: SETTING_MEANINGS[name],
    });
  }
  expect(schema.required ?? []).toEqual([]);
});

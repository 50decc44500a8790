import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsSchema } from '@relay/contract/settings';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  changeRunningSettings,
  listRunningSettings,
  type RunningSettings,
} from './settings-service.ts';

let home: string;
let running: RunningSettings;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'relay running '));
  running = { home, settings: settingsSchema.parse({}), fromEnvironment: {} };
});
afterEach(() => removeFolder(home));

const file = async () => JSON.parse(await readFile(join(home, 'relay.config.json'), 'utf8'));
const shown = async (name: string) =>
  (await listRunningSettings(running)).find((setting) => setting.name === name);

test('a change applies immediately, in the same section object that others hold', async () => {
  const { pacing } = running.settings;
  await changeRunningSettings(running, { pacing: { per_day: 40 }, tell_owner_on_whatsapp: true });
  expect(pacing.per_day).toBe(40);
  expect(running.settings.tell_owner_on_whatsapp).toBe(true);
  expect(await file()).toEqual({ pacing: { per_day: 40 }, tell_owner_on_whatsapp: true });
  expect(await shown('pacing.per_day')).toMatchObject({ value: 40, default: 200, from: 'console' });
  await writeFile(join(home, 'relay.config.json'), '{"pacing":{"per_day":41}}');
  expect(await shown('pacing.per_day')).toMatchObject({ from: 'file' });
  expect(await shown('pacing.per_hour')).toMatchObject({ value: 60, from: 'default' });
});

test('null restores the default and leaves the rest of the file unchanged', async () => {
  await writeFile(
    join(home, 'relay.config.json'),
    '{"daemon_port":4000,"pacing":{"per_day":40,"per_hour":9}}',
  );
  await changeRunningSettings(running, { pacing: { per_day: null } });
  expect(await file()).toEqual({ daemon_port: 4000, pacing: { per_hour: 9 } });
  expect(running.settings.pacing.per_day).toBe(200);
});

test('a setting that needs a restart keeps its value and reports the next one', async () => {
  await changeRunningSettings(running, { log_level: 'debug' });
  expect(running.settings.log_level).toBe('info');
  expect(await shown('log_level')).toMatchObject({ value: 'info', next: 'debug', from: 'console' });
});

test('an invalid combination changes neither the file nor the running settings', async () => {
  const change = changeRunningSettings(running, { pacing: { per_day: 7, typing_min_ms: 99_000 } });
  await expect(change).rejects.toMatchObject({ code: 'setting_invalid' });
  expect(await readdir(home)).toEqual([]);
  expect(running.settings.pacing.per_day).toBe(200);
});

test('a setting from the environment is shown with its variable and cannot be changed', async () => {
  running = { ...running, fromEnvironment: { log_level: 'RELAY_LOG_LEVEL' } };
  expect(await shown('log_level')).toMatchObject({
    from: 'environment',
    variable: 'RELAY_LOG_LEVEL',
  });
  const change = changeRunningSettings(running, { log_level: 'debug', pacing: { per_day: 7 } });
  await expect(change).rejects.toMatchObject({ code: 'setting_from_environment' });
  expect(await readdir(home)).toEqual([]);
});

test('an invalid settings file is never overwritten', async () => {
  await writeFile(join(home, 'relay.config.json'), '{ nonsense');
  const change = changeRunningSettings(running, { zone: 'UTC' });
  await expect(change).rejects.toMatchObject({ code: 'config_invalid' });
  expect(await readFile(join(home, 'relay.config.json'), 'utf8')).toBe('{ nonsense');
});

test('no secret is listed', async () => {
  const secret = { model_api_key: 'sk-1', memory: { endpoint_api_key: 'sk-2' } };
  await writeFile(join(home, 'relay.config.json'), JSON.stringify(secret));
  expect(JSON.stringify(await listRunningSettings(running))).not.toContain('sk-');
});

import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readSettingsChangedByApi, readWrittenSettings, saveSettings } from './settings.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'relay settings '));
});
afterEach(() => removeFolder(home));

const file = () => join(home, 'relay.config.json');

test('creates a file that only the owner can read, and leaves no temporary file', async () => {
  await saveSettings(home, { model_api_key: 'sk-1', model_provider: 'anthropic' });
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
    model_api_key: 'sk-1',
    model_provider: 'anthropic',
  });
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect((await readdir(home)).toSorted()).toEqual(['changed-settings.json', 'relay.config.json']);
});

test('keeps what the owner wrote, with or without a byte order mark', async () => {
  await writeFile(file(), '\uFEFF{"daemon_port":4000,"model_api_key":"old"}');
  await saveSettings(home, { model_api_key: 'new' });
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
    daemon_port: 4000,
    model_api_key: 'new',
  });
});

test.each(['{ nonsense', '[]', '{"daemon_prot":1}'])('never overwrites %s', async (text) => {
  await writeFile(file(), text);
  await expect(saveSettings(home, { model_provider: 'openai' })).rejects.toMatchObject({
    code: 'config_invalid',
  });
  expect(await readFile(file(), 'utf8')).toBe(text);
});

test('a home that uses the former file name keeps it', async () => {
  await writeFile(join(home, 'config.json'), '{"daemon_port":4000}');
  await saveSettings(home, { zone: 'UTC' });
  expect(JSON.parse(await readFile(join(home, 'config.json'), 'utf8'))).toEqual({
    daemon_port: 4000,
    zone: 'UTC',
  });
  expect(await readdir(home)).not.toContain('relay.config.json');
});

test('records the names of changed settings, and no secret', async () => {
  await writeFile(file(), '{"daemon_port":4000,"pacing":{"per_day":40}}');
  await saveSettings(home, { zone: 'UTC', model_api_key: 'sk-1' });
  expect(await readSettingsChangedByApi(home)).toEqual({ zone: 'UTC' });
});

test('parses the file again only after it has changed', async () => {
  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] });
  try {
    await saveSettings(home, { daemon_port: 4000 });
    const first = await readWrittenSettings(home);
    expect(await readWrittenSettings(home)).toBe(first);
    await saveSettings(home, { daemon_port: 4001 });
    expect((await readWrittenSettings(home)).daemon_port).toBe(4001);
  } finally {
    vi.useRealTimers();
  }
});

test('a file that has just changed is read each time: a second change may not show in its time', async () => {
  await saveSettings(home, { daemon_port: 4000 });
  expect(await readWrittenSettings(home)).not.toBe(await readWrittenSettings(home));
});

import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readBraveKey, saveBraveKey, saveModelSettings } from './sealed-settings.ts';
import { aesSealer } from './vault/sealer.ts';

const newSealer = () => aesSealer(createSecretKey(randomBytes(32)));
const sealer = newSealer();
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'relay brave '));
});
afterEach(() => removeFolder(home));

const file = () => join(home, 'relay.config.json');
const read = (given: string | null = null) => readBraveKey(home, sealer, given);

test('the web search key is missing until set; then it is encrypted and readable by this home only', async () => {
  expect(await read()).toBeNull();
  await saveBraveKey(home, sealer, 'BSA-secret');
  expect(await readFile(file(), 'utf8')).toMatch(/^\{\s*"brave_api_key": "sealed:[\w-]+"\s*\}\s*$/);
  expect(await read()).toBe('BSA-secret');
  await expect(readBraveKey(home, newSealer(), null)).rejects.toMatchObject({
    code: 'brave_key_sealed',
  });
});

test('the environment overrides the web search key; a plain key is accepted, and null removes it', async () => {
  await writeFile(file(), '{"brave_api_key":"BSA-plain"}');
  expect(await read()).toBe('BSA-plain');
  expect(await read('BSA-env')).toBe('BSA-env');
  await saveBraveKey(home, sealer, null);
  expect(await read()).toBeNull();
});

test('a value encrypted as one secret cannot be read as another', async () => {
  await saveModelSettings(home, sealer, { model_provider: 'openai', model_api_key: 'sk-1' });
  const { model_api_key } = JSON.parse(await readFile(file(), 'utf8')) as Record<string, string>;
  await writeFile(file(), JSON.stringify({ brave_api_key: model_api_key }));
  await expect(read()).rejects.toMatchObject({ code: 'brave_key_sealed' });
});

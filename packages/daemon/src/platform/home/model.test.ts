import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelSettings } from '@relay/contract/settings';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readModelSettings, saveModelSettings } from './sealed-settings.ts';
import { aesSealer } from './vault/sealer.ts';

const NOTHING: ModelSettings = {
  model_provider: null,
  model_name: null,
  model_api_key: null,
  model_base_url: null,
};
const UNSET = { given: NOTHING, keys: {} };
const newSealer = () => aesSealer(createSecretKey(randomBytes(32)));

let home: string;
const sealer = newSealer();
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'relay model '));
});
afterEach(() => removeFolder(home));

const file = () => join(home, 'relay.config.json');
const read = (environment: Parameters<typeof readModelSettings>[2] = UNSET) =>
  readModelSettings(home, sealer, environment);

test('the model key is stored encrypted and readable by this home only', async () => {
  await saveModelSettings(home, sealer, {
    model_provider: 'anthropic',
    model_api_key: 'sk-ant-secret',
  });
  const text = await readFile(file(), 'utf8');
  expect(text).toMatch(/"model_api_key": "sealed:[\w-]+"/);
  expect(text).not.toContain('sk-ant-secret');
  expect(text).not.toContain(Buffer.from('sk-ant-secret').toString('base64url'));
  expect(await read()).toEqual({
    ...NOTHING,
    model_provider: 'anthropic',
    model_api_key: 'sk-ant-secret',
  });
  await expect(readModelSettings(home, newSealer(), UNSET)).rejects.toMatchObject({
    code: 'model_key_sealed',
  });
});

test('a model key written by hand in plain text is accepted', async () => {
  await writeFile(file(), '{"model_provider":"openai","model_api_key":"sk-plain"}');
  expect(await read()).toMatchObject({ model_api_key: 'sk-plain' });
});

test('saving keeps fields that are not named, and a new provider never gets the former key', async () => {
  await saveModelSettings(home, sealer, { model_provider: 'anthropic', model_api_key: 'sk-ant' });
  await saveModelSettings(home, sealer, { model_name: 'claude' });
  expect(await read()).toMatchObject({ model_api_key: 'sk-ant', model_name: 'claude' });
  await saveModelSettings(home, sealer, { model_provider: 'openai' });
  expect(await read()).toEqual({ ...NOTHING, model_provider: 'openai' });
});

test('the same provider in another spelling keeps the model name and key', async () => {
  await writeFile(
    file(),
    '{"model_provider":"OpenAI","model_name":"gpt-5","model_api_key":"sk-plain"}',
  );
  await saveModelSettings(home, sealer, { model_provider: 'openai' });
  expect(await read()).toMatchObject({ model_name: 'gpt-5', model_api_key: 'sk-plain' });
});

test('the environment overrides the file, and its provider does not get the key of the file', async () => {
  await saveModelSettings(home, sealer, { model_provider: 'anthropic', model_api_key: 'sk-ant' });
  const given = { ...NOTHING, model_provider: 'ollama', model_name: 'qwen' };
  expect(await read({ given, keys: {} })).toEqual(given);
  expect(await read({ given: { ...NOTHING, model_name: 'claude' }, keys: {} })).toMatchObject({
    model_name: 'claude',
    model_api_key: 'sk-ant',
  });
});

test("a provider's own key variable is enough to set up the model", async () => {
  const keys = { openai: 'sk-env' };
  expect(await read({ given: NOTHING, keys })).toMatchObject({
    model_provider: 'openai',
    model_api_key: 'sk-env',
  });
  await saveModelSettings(home, sealer, { model_provider: 'anthropic' });
  expect(await read({ given: NOTHING, keys })).toMatchObject({
    model_provider: 'anthropic',
    model_api_key: null,
  });
});

test('a changed model setting is seen by the next read', async () => {
  expect(await read()).toEqual(NOTHING);
  await saveModelSettings(home, sealer, { model_provider: 'ollama', model_name: 'a' });
  expect((await read()).model_name).toBe('a');
  await saveModelSettings(home, sealer, { model_name: 'b' });
  expect((await read()).model_name).toBe('b');
});

import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readMemorySettings, saveMemorySettings, withKeyOfModel } from './sealed-settings.ts';
import { aesSealer } from './vault/sealer.ts';

const newSealer = () => aesSealer(createSecretKey(randomBytes(32)));
const sealer = newSealer();
const ENDPOINT = {
  embeddings: 'endpoint',
  endpoint_base_url: 'https://example.org/v1',
  endpoint_model: 'small',
  endpoint_api_key: 'sk-secret',
} as const;
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'relay memory '));
});
afterEach(() => removeFolder(home));

const file = () => join(home, 'relay.config.json');

test('semantic search is off by default', async () => {
  expect(await readMemorySettings(home, sealer)).toMatchObject({ embeddings: 'off' });
});

test('the endpoint key is encrypted and readable by this home only; a plain key is accepted', async () => {
  await saveMemorySettings(home, sealer, ENDPOINT);
  expect(await readFile(file(), 'utf8')).not.toContain('sk-secret');
  expect(await readMemorySettings(home, sealer)).toEqual(ENDPOINT);
  await expect(readMemorySettings(home, newSealer())).rejects.toMatchObject({
    code: 'embeddings_key_sealed',
  });
  await writeFile(file(), JSON.stringify({ memory: ENDPOINT }));
  expect(await readMemorySettings(home, sealer)).toEqual(ENDPOINT);
});

test('semantic search can be turned off although its key is encrypted for another home', async () => {
  await saveMemorySettings(home, newSealer(), ENDPOINT);
  const memory = JSON.parse(await readFile(file(), 'utf8'));
  await writeFile(file(), JSON.stringify({ memory: { ...memory.memory, embeddings: 'off' } }));
  expect(await readMemorySettings(home, sealer)).toMatchObject({ embeddings: 'off' });
});

test('an endpoint at the address of the model uses its key; any other address gets no key', () => {
  const memory = { ...ENDPOINT, endpoint_api_key: null };
  const model = {
    model_provider: 'mistral',
    model_name: null,
    model_api_key: 'sk-model',
    model_base_url: null,
  };
  const keyAt = (endpoint_base_url: string, of: Partial<typeof model> = {}) =>
    withKeyOfModel({ ...memory, endpoint_base_url }, { ...model, ...of }).endpoint_api_key;
  expect(keyAt('https://api.mistral.ai/v1')).toBe('sk-model');
  expect(keyAt('https://api.mistral.ai.example.org/v1')).toBeNull();
  expect(keyAt('http://api.mistral.ai/v1')).toBeNull();
  const proxy = { model_base_url: 'https://proxy.example.org/v1' } as never;
  expect(keyAt('https://api.mistral.ai/v1', proxy)).toBeNull();
  expect(withKeyOfModel(ENDPOINT, model).endpoint_api_key).toBe('sk-secret');
});

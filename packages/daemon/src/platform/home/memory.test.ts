import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readMemorySettings, saveMemorySettings } from './sealed-settings.ts';
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

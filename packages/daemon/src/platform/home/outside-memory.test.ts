import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDigestExportSettings, saveDigestExportSettings } from './sealed-settings.ts';
import { aesSealer } from './vault/sealer.ts';

const newSealer = () => aesSealer(createSecretKey(randomBytes(32)));
const sealer = newSealer();
const URL_ = 'https://memory.example.org/hook';
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'relay outside '));
});
afterEach(() => removeFolder(home));

const file = () => join(home, 'relay.config.json');

test('the webhook secret is encrypted and readable by this home only; a plain one is accepted', async () => {
  await saveDigestExportSettings(home, sealer, { webhook_url: URL_, webhook_secret: 'whsec_abc' });
  expect(await readFile(file(), 'utf8')).not.toContain('whsec_abc');
  expect(await readDigestExportSettings(home, sealer)).toMatchObject({
    webhook_secret: 'whsec_abc',
  });
  await expect(readDigestExportSettings(home, newSealer())).rejects.toMatchObject({
    code: 'webhook_secret_sealed',
  });
  const outside_memory = { webhook_url: URL_, webhook_secret: 'whsec_plain' };
  await writeFile(file(), JSON.stringify({ outside_memory }));
  expect(await readDigestExportSettings(home, sealer)).toMatchObject({
    webhook_secret: 'whsec_plain',
  });
});

test('saving keeps fields that are not named, the encrypted secret included', async () => {
  await saveDigestExportSettings(home, sealer, { webhook_url: URL_, webhook_secret: 'whsec_abc' });
  await saveDigestExportSettings(home, sealer, { folder: '/memory', hourly: true });
  expect(await readDigestExportSettings(home, sealer)).toMatchObject({
    folder: '/memory',
    hourly: true,
    webhook_url: URL_,
    webhook_secret: 'whsec_abc',
  });
});

import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openVault, type VaultOptions } from './vault.ts';

// Slow on purpose: deriving a key from a passphrase is expensive.

let root: string;
let options: VaultOptions;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'relay passphrase '));
  mkdirSync(join(root, 'home'));
  options = {
    home: join(root, 'home'),
    keyDirectory: join(root, 'keys'),
    keyFile: null,
    passphrase: 'über das Meer',
    keyCommand: null,
    givenKey: null,
    keyring: {
      get: () => Promise.reject(new Error('not to be asked')),
      set: () => Promise.reject(new Error('not to be asked')),
    },
  };
});
afterAll(() => removeFolder(root));

test('a passphrase encrypts a new home, is stored nowhere, and is the only way to open it', async () => {
  const first = await openVault(options);
  expect(first.source).toBe('passphrase');
  const record = readFileSync(join(options.home, 'vault.json'), 'utf8');
  expect(record).not.toContain('Meer');
  expect(existsSync(options.keyDirectory)).toBe(false);

  const sealed = first.sealer.seal('a', Buffer.from('session'));
  const typedElsewhere = await openVault({ ...options, passphrase: 'u\u0308ber das Meer' });
  expect(Buffer.from(typedElsewhere.sealer.open('a', sealed)).toString()).toBe('session');

  await expect(openVault({ ...options, passphrase: 'wrong' })).rejects.toMatchObject({
    code: 'vault_passphrase_wrong',
  });
  await expect(openVault({ ...options, passphrase: null })).rejects.toMatchObject({
    code: 'vault_passphrase_needed',
  });
  expect(readFileSync(join(options.home, 'vault.json'), 'utf8')).toBe(record);
});

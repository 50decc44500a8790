import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Keyring, openVault, type VaultOptions } from './vault.ts';

let root: string;
let options: VaultOptions;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'relay vault '));
  mkdirSync(join(root, 'home'));
  options = {
    home: join(root, 'home'),
    keyDirectory: join(root, 'state', 'relay-agent'),
    keyFile: null,
    passphrase: null,
    keyCommand: null,
    givenKey: null,
    keyring: null,
  };
});
afterEach(() => removeFolder(root));

const record = () => readFileSync(join(options.home, 'vault.json'), 'utf8');
const keyFile = () => join(options.keyDirectory, readdirSync(options.keyDirectory)[0] ?? '');
const plain = Buffer.from('session');

function memoryKeyring(): Keyring & { keys: Map<string, string> } {
  const keys = new Map<string, string>();
  return {
    keys,
    get: async (id) => keys.get(id) ?? null,
    set: async (id, key) => {
      keys.set(id, key);
    },
  };
}

const failing: Keyring = {
  get: () => Promise.reject(new Error('locked')),
  set: () => Promise.reject(new Error('locked')),
};

/** Every vault opened from the home can read what the first one encrypted. */
async function staysTheSame(reopen: VaultOptions = options) {
  const first = await openVault(options);
  const sealed = first.sealer.seal('a', plain);
  const second = await openVault(reopen);
  expect(Buffer.from(second.sealer.open('a', sealed))).toEqual(plain);
  expect(second.source).toBe(first.source);
  return first;
}

test('without a keyring the key is in a file outside the home that only its owner can read', async () => {
  expect((await staysTheSame()).source).toBe('file');
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  expect(statSync(options.keyDirectory).mode & 0o777).toBe(0o700);
  expect(statSync(join(options.home, 'vault.json')).mode & 0o777).toBe(0o600);
  const key = readFileSync(keyFile(), 'utf8').trim();
  expect(record()).not.toContain(key);
});

test('with a keyring the key is in it and in no file', async () => {
  const keyring = memoryKeyring();
  options = { ...options, keyring };
  expect((await staysTheSame()).source).toBe('keyring');
  expect(existsSync(options.keyDirectory)).toBe(false);
  expect([...keyring.keys.keys()]).toEqual([JSON.parse(record()).id]);
});

test.each([
  ['fails', failing],
  ['forgets', { get: async () => null, set: async () => {} }],
])('a keyring that %s is skipped when a home is created', async (_, keyring) => {
  options = { ...options, keyring };
  expect((await staysTheSame()).source).toBe('file');
});

test('a key file that the owner chose is used as it is, without the keyring', async () => {
  const keyring = memoryKeyring();
  options = { ...options, keyring, keyFile: join(root, 'my.key') };
  writeFileSync(join(root, 'my.key'), `${Buffer.alloc(32, 7).toString('base64url')}\n`);
  expect((await staysTheSame()).source).toBe('file');
  expect(keyring.keys.size).toBe(0);
  expect(statSync(join(root, 'my.key')).mode & 0o777).toBe(0o600);
});

test('a home copied without its key is refused and gets no new key', async () => {
  await openVault(options);
  const copy = join(root, 'copy');
  cpSync(options.home, copy, { recursive: true });
  const elsewhere = { ...options, home: copy, keyDirectory: join(root, 'other') };
  await expect(openVault(elsewhere)).rejects.toMatchObject({
    code: 'vault_key_missing',
    message: expect.stringContaining('RELAY_KEY_FILE'),
  });
  expect(existsSync(elsewhere.keyDirectory)).toBe(false);
  expect(readFileSync(join(copy, 'vault.json'), 'utf8')).toBe(record());
  // With the key copied too, it opens.
  expect((await openVault({ ...elsewhere, keyFile: keyFile() })).source).toBe('file');
});

test('a home whose key is in the keyring needs that keyring', async () => {
  await openVault({ ...options, keyring: memoryKeyring() });
  for (const [keyring, code] of [
    [null, 'vault_keyring_away'],
    [failing, 'vault_keyring_away'],
    [memoryKeyring(), 'vault_key_missing'],
  ] as const) {
    await expect(openVault({ ...options, keyring })).rejects.toMatchObject({ code });
  }
});

test.each([
  ['of another home', Buffer.alloc(32, 1).toString('base64url')],
  ['cut short', 'abc'],
  ['empty', ''],
])('a key file %s is refused', async (_, text) => {
  await openVault(options);
  writeFileSync(keyFile(), text);
  await expect(openVault(options)).rejects.toMatchObject({ code: 'vault_key_wrong' });
  expect(readFileSync(keyFile(), 'utf8')).toBe(text);
});

test('a new home does not accept a broken key file as a key', async () => {
  options = { ...options, keyFile: join(root, 'my.key') };
  writeFileSync(join(root, 'my.key'), 'short');
  await expect(openVault(options)).rejects.toMatchObject({ code: 'vault_key_unreadable' });
  expect(existsSync(join(options.home, 'vault.json'))).toBe(false);
});

test.each(['', '{', '{}', '{"version":2}'])(
  'a damaged vault record %j does not lead to a new key',
  async (text) => {
    await openVault(options);
    writeFileSync(join(options.home, 'vault.json'), text);
    await expect(openVault(options)).rejects.toMatchObject({ code: 'vault_damaged' });
    expect(record()).toBe(text);
    expect(readdirSync(options.keyDirectory)).toHaveLength(1);
  },
);

test('a key inside the home that it encrypts is refused', async () => {
  const keyFile = join(options.home, 'sub', 'the.key');
  await expect(openVault({ ...options, keyFile })).rejects.toMatchObject({
    code: 'vault_key_inside',
  });
  expect(readdirSync(options.home)).toEqual([]);
});

test('a key directory that cannot be written is named in the error', async () => {
  writeFileSync(join(root, 'state'), 'a file');
  await expect(openVault(options)).rejects.toMatchObject({ code: 'vault_key_unwritable' });
  expect(readdirSync(options.home)).toEqual([]);
});

test('a key file that others could read is made private', async () => {
  await openVault(options);
  chmodSync(keyFile(), 0o644);
  await openVault(options);
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
});

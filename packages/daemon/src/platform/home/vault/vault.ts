// Finds or creates the key that encrypts this home's WhatsApp data. Invariant: a home that has a vault never gets
// another key; without its own key it does not open.
import { createSecretKey, randomBytes, randomUUID, scrypt } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { RelayError } from '@relay/contract/errors';
import type { Sealer } from '@relay/core/ports/sealer';
import { z } from 'zod';
import { writePrivate } from '../files.ts';
import { runKeyCommand } from './key-command.ts';
import { aesSealer } from './sealer.ts';

export interface VaultOptions {
  readonly home: string;
  /** Where a key file is by default; outside the home. */
  readonly keyDirectory: string;
  /** A key file that the owner chose. A new home then uses it instead of the keyring. */
  readonly keyFile: string | null;
  /** A new home is then encrypted with it and nothing else. */
  readonly passphrase: string | null;
  /** The words of a command that prints the key, such as one of a key service. It comes before every stored key. */
  readonly keyCommand: readonly string[] | null;
  /** The key itself, from the environment. It comes before every stored key. */
  readonly givenKey: string | null;
  readonly keyring?: Keyring | null;
}

export interface Vault {
  readonly sealer: Sealer;
  readonly source: VaultRecord['source'];
  /** How this key is found. Archives carry it, so that another home can look for the key. */
  readonly record: VaultRecord;
}

const KEY_BYTES = 32;
const CHECK = 'relay';
const checkName = (id: string): string => `vault/${id}`;

export async function openVault(options: VaultOptions): Promise<Vault> {
  const record = await readVaultRecord(options.home);
  return record === null ? makeVault(options) : unlock(options, record);
}

/** Refuses what `openVault` would refuse, and creates nothing. Null if the home has no key yet. */
export async function checkVault(options: VaultOptions): Promise<Vault['source'] | null> {
  const record = await readVaultRecord(options.home);
  if (record !== null) return (await unlock(options, record)).source;
  if (options.passphrase !== null) return null;
  const supplied = await findSuppliedKey(options);
  if (supplied !== null) {
    if (sealerFrom(supplied.key) === null) throw unreadableKey(options, supplied.source, '');
    return supplied.source;
  }
  if (options.keyFile === null) return null;
  refuseInside(options.home, options.keyFile);
  const given = await readKeyFile(options.keyFile);
  if (given !== null && sealerFrom(decode(given)) === null) {
    throw new RelayError('vault_key_unreadable', { file: options.keyFile });
  }
  return null;
}

async function unlock(options: VaultOptions, record: VaultRecord): Promise<Vault> {
  const { key, source } = await findKey(options, record);
  const sealer = sealerFrom(key);
  if (sealer === null && (source === 'command' || source === 'environment')) {
    throw unreadableKey(options, source, record.id);
  }
  if (sealer === null || !isRightKey(sealer, record)) throw wrongKey(options, source, record.id);
  return { sealer, source, record };
}

/** The key of another home: null unless it is on this machine, or its passphrase is given. */
export async function findFormerKey(
  options: VaultOptions,
  record: VaultRecord,
): Promise<Sealer | null> {
  // What the owner set is usually the key of this home; the key of the other one may be in its default place.
  const stored = { ...options, keyCommand: null, givenKey: null };
  for (const given of [options, stored, { ...stored, keyFile: null }]) {
    const found = await unlock(given, record).catch(() => null);
    if (found !== null) return found.sealer;
  }
  return null;
}

interface FoundKey<Source = VaultRecord['source']> {
  readonly key: Buffer;
  readonly source: Source;
}

async function findKey(options: VaultOptions, record: VaultRecord): Promise<FoundKey> {
  const { source } = record;
  if (source === 'passphrase') {
    if (options.passphrase === null) throw new RelayError('vault_passphrase_needed');
    const key = await keyFromPassphrase(options.passphrase, Buffer.from(record.salt, 'base64'));
    return { key, source };
  }
  return (await findSuppliedKey(options)) ?? { key: await findStoredKey(options, record), source };
}

/** From the command or the environment, also for a home whose key was stored elsewhere before. */
async function findSuppliedKey({
  keyCommand,
  givenKey,
}: VaultOptions): Promise<FoundKey<'command' | 'environment'> | null> {
  if (keyCommand !== null) {
    return { key: decodeAny(await runKeyCommand(keyCommand)), source: 'command' };
  }
  return givenKey === null ? null : { key: decodeAny(givenKey), source: 'environment' };
}

async function findStoredKey(options: VaultOptions, { source, id }: VaultRecord): Promise<Buffer> {
  switch (source) {
    case 'keyring':
      return decode(await readFromKeyring(await keyringOf(options), id));
    case 'command':
      throw new RelayError('vault_key_not_set', { variable: 'RELAY_KEY_COMMAND' });
    case 'environment':
      throw new RelayError('vault_key_not_set', { variable: 'RELAY_KEY' });
    default: {
      const file = keyFileOf(options, id);
      const key = await readKeyFile(file);
      if (key === null) throw new RelayError('vault_key_missing', { where: file });
      return decode(key);
    }
  }
}

/** The key is stored before the record names it: a start that is interrupted here begins again. */
async function makeVault(options: VaultOptions): Promise<Vault> {
  const id = randomUUID();
  const made = await makeKey(options, id);
  const sealer = sealerFrom(made.key);
  if (sealer === null) throw unreadableKey(options, made.place.source, id);
  const check = Buffer.from(sealer.seal(checkName(id), Buffer.from(CHECK))).toString('base64');
  const record: VaultRecord = { version: 1, id, check, ...made.place };
  await writeVaultRecord(options.home, record);
  return { sealer, source: record.source, record };
}

type KeyPlace = { source: KeySource } | { source: 'passphrase'; salt: string };

async function makeKey(
  options: VaultOptions,
  id: string,
): Promise<{ key: Buffer; place: KeyPlace }> {
  if (options.passphrase !== null) {
    const salt = randomBytes(16);
    const key = await keyFromPassphrase(options.passphrase, salt);
    return { key, place: { source: 'passphrase', salt: salt.toString('base64') } };
  }
  const supplied = await findSuppliedKey(options);
  if (supplied !== null) return { key: supplied.key, place: { source: supplied.source } };
  const key = randomBytes(KEY_BYTES);
  if (options.keyFile === null) {
    const kept = await keepInKeyring(await keyringOf(options), id, encode(key));
    if (kept) return { key, place: { source: 'keyring' } };
  }
  const file = keyFileOf(options, id);
  refuseInside(options.home, file);
  const given = await readKeyFile(file);
  if (given === null) await writeKeyFile(file, encode(key));
  return { key: given === null ? key : decode(given), place: { source: 'file' } };
}

/** The bytes are not needed once OpenSSL holds the key in its own memory. */
function sealerFrom(bytes: Buffer): Sealer | null {
  if (bytes.length !== KEY_BYTES) return null;
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return aesSealer(key);
}

function isRightKey(sealer: Sealer, { id, check }: VaultRecord): boolean {
  try {
    const opened = sealer.open(checkName(id), Buffer.from(check, 'base64'));
    return Buffer.from(opened).toString() === CHECK;
  } catch {
    return false;
  }
}

function wrongKey(options: VaultOptions, source: FoundKey['source'], id: string): RelayError {
  if (source === 'passphrase') return new RelayError('vault_passphrase_wrong');
  const places = {
    file: keyFileOf(options, id),
    keyring: `"${id}" in the system's keyring`,
    command: 'the output of RELAY_KEY_COMMAND',
    environment: 'RELAY_KEY',
  };
  return new RelayError('vault_key_wrong', { where: places[source] });
}

function unreadableKey(options: VaultOptions, source: FoundKey['source'], id: string): RelayError {
  if (source === 'command') {
    return new RelayError('vault_command_output', { program: options.keyCommand?.[0] ?? '' });
  }
  if (source === 'environment') return new RelayError('vault_key_invalid');
  return new RelayError('vault_key_unreadable', { file: keyFileOf(options, id) });
}

const keyFileOf = (options: VaultOptions, id: string): string =>
  options.keyFile ?? join(options.keyDirectory, `${id}.key`);

const keyringOf = (options: VaultOptions): Promise<Keyring | null> =>
  options.keyring === undefined ? systemKeyring() : Promise.resolve(options.keyring);

const encode = (key: Buffer): string => key.toString('base64url');
const decode = (text: string): Buffer => Buffer.from(text, 'base64url');

/** Key services print base64 or hex. The result has another length if the text is neither. */
const decodeAny = (text: string): Buffer =>
  /^[\da-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : decode(/\s/.test(text) ? '' : text);

// `<home>/vault.json`: which key encrypts this home and where it is stored. It contains no secret: `check` is a
// constant sealed with the key, so that a wrong key is detected before it is used.

const KEY_SOURCES = ['keyring', 'file', 'command', 'environment'] as const;
type KeySource = (typeof KEY_SOURCES)[number];

const shared = { version: z.literal(1), id: z.guid(), check: z.base64() };

export const vaultRecordSchema = z.discriminatedUnion('source', [
  z.object({ ...shared, source: z.enum(KEY_SOURCES) }),
  z.object({ ...shared, source: z.literal('passphrase'), salt: z.base64() }),
]);

export type VaultRecord = z.infer<typeof vaultRecordSchema>;

const vaultRecordPath = (home: string): string => join(home, 'vault.json');

/** Null only if there is none: an unreadable record must never lead to a new key. */
async function readVaultRecord(home: string): Promise<VaultRecord | null> {
  const file = vaultRecordPath(home);
  try {
    return vaultRecordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new RelayError('vault_damaged', { file }, { cause });
  }
}

async function writeVaultRecord(home: string, record: VaultRecord): Promise<void> {
  await writePrivate(vaultRecordPath(home), `${JSON.stringify(record)}\n`);
}

// The key in a file that only its owner may read, outside the home: a copy of the home does not include it.

/** Null when there is no such file. */
async function readKeyFile(file: string): Promise<string | null> {
  try {
    const key = (await readFile(file, 'utf8')).trim();
    // A mounted secret may not be ours to change; its mode was chosen by whoever mounted it.
    await chmod(file, 0o600).catch(() => {});
    return key;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new RelayError('vault_key_unreadable', { file }, { cause });
  }
}

async function writeKeyFile(file: string, key: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writePrivate(file, `${key}\n`);
  } catch (cause) {
    throw new RelayError('vault_key_unwritable', { file }, { cause });
  }
}

function refuseInside(home: string, file: string): void {
  const path = relative(resolve(home), resolve(file));
  if (path.startsWith('..') || isAbsolute(path)) return;
  throw new RelayError('vault_key_inside', { file });
}

// The key in the operating system's keyring. A keyring that is missing, locked or failing is skipped when a home is
// created; a home whose key is in it needs it.

export interface Keyring {
  /** Null if the keyring answers and has no such key. */
  get(id: string): Promise<string | null>;
  set(id: string, key: string): Promise<void>;
}

const SERVICE = 'relay-agent';
/** A locked keyring may wait for somebody who is not there. */
const PATIENCE_MS = 10_000;

/** Null if the optional package has no build for this machine. */
async function systemKeyring(): Promise<Keyring | null> {
  const found = await import('@napi-rs/keyring').catch(() => null);
  if (found === null) return null;
  // Fixed: otherwise Linux falls back to a store in kernel memory, which is lost at the next boot.
  const entry = (id: string) =>
    new found.AsyncEntry(SERVICE, id, { linux: { store: 'secret-service' } });
  return {
    get: async (id) => inTime(entry(id).getPassword()),
    set: async (id, key) => inTime(entry(id).setPassword(key)),
  };
}

/** A call into the keyring cannot be cancelled, only abandoned. */
const inTime = <T>(answer: Promise<T>): Promise<T> =>
  Promise.race([
    answer,
    sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
      throw new Error('the keyring does not answer');
    }),
  ]);

/** True if the key is stored and can be read back. */
async function keepInKeyring(keyring: Keyring | null, id: string, key: string): Promise<boolean> {
  if (keyring === null) return false;
  try {
    await keyring.set(id, key);
    return (await keyring.get(id)) === key;
  } catch {
    return false;
  }
}

async function readFromKeyring(keyring: Keyring | null, id: string): Promise<string> {
  if (keyring === null) throw new RelayError('vault_keyring_away');
  const key = await keyring.get(id).catch((cause: unknown) => {
    throw new RelayError('vault_keyring_away', {}, { cause });
  });
  if (key === null) {
    throw new RelayError('vault_key_missing', { where: `"${id}" in the system's keyring` });
  }
  return key;
}

// A key derived from a passphrase: stored nowhere, needed at every start.

const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

/** 128 MB and about half a second for each guess. Changing it needs a new version of the record. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 << 20 };

function keyFromPassphrase(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  // Another keyboard may compose the same letters differently.
  return derive(passphrase.normalize('NFKC'), salt, 32, COST);
}

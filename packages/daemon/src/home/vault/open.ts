// The key that seals what this home keeps of WhatsApp: found where it was put, or made with the home.
// Invariant: a home that has a vault never gets another key; without its own it does not open.
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { RelayError } from '@relay/core/errors';
import type { Sealer } from '@relay/core/ports/sealer';
import { readKeyFile, refuseInside, writeKeyFile } from './key-file.ts';
import { fromKeyring, type Keyring, keepInKeyring, systemKeyring } from './keyring.ts';
import { keyFromPassphrase } from './passphrase.ts';
import { readRecord, type VaultRecord, writeRecord } from './record.ts';
import { aesSealer } from './sealer.ts';

export interface VaultOptions {
  readonly home: string;
  /** Where a key file lies when nobody names one; outside the home. */
  readonly keyDirectory: string;
  /** A key file of the owner's choice. A new home then uses it and no keyring. */
  readonly keyFile: string | null;
  /** A new home is then sealed with it and with nothing else. */
  readonly passphrase: string | null;
  readonly keyring?: Keyring | null;
}

export interface Vault {
  readonly sealer: Sealer;
  readonly source: VaultRecord['source'];
}

const KEY_BYTES = 32;
const CHECK = 'relay';
const checkName = (id: string): string => `vault/${id}`;

export async function openVault(options: VaultOptions): Promise<Vault> {
  const record = await readRecord(options.home);
  return record === null ? makeVault(options) : unlock(options, record);
}

async function unlock(options: VaultOptions, record: VaultRecord): Promise<Vault> {
  const sealer = sealerFrom(await findKey(options, record));
  if (sealer === null || !opens(sealer, record)) throw wrongKey(options, record);
  return { sealer, source: record.source };
}

async function findKey(options: VaultOptions, record: VaultRecord): Promise<Buffer> {
  switch (record.source) {
    case 'keyring':
      return decode(await fromKeyring(await keyringOf(options), record.id));
    case 'file': {
      const file = keyFileOf(options, record.id);
      const key = await readKeyFile(file);
      if (key === null) throw new RelayError('vault_key_missing', { where: file });
      return decode(key);
    }
    case 'passphrase':
      if (options.passphrase === null) throw new RelayError('vault_passphrase_needed');
      return keyFromPassphrase(options.passphrase, Buffer.from(record.salt, 'base64'));
  }
}

/** The key is kept before the record says so: a start that is cut short here begins anew. */
async function makeVault(options: VaultOptions): Promise<Vault> {
  const id = randomUUID();
  const made = await makeKey(options, id);
  const sealer = sealerFrom(made.key);
  if (sealer === null) {
    throw new RelayError('vault_key_unreadable', { file: keyFileOf(options, id) });
  }
  const check = Buffer.from(sealer.seal(checkName(id), Buffer.from(CHECK))).toString('base64');
  await writeRecord(options.home, { version: 1, id, check, ...made.place });
  return { sealer, source: made.place.source };
}

type Place = { source: 'keyring' | 'file' } | { source: 'passphrase'; salt: string };

async function makeKey(options: VaultOptions, id: string): Promise<{ key: Buffer; place: Place }> {
  if (options.passphrase !== null) {
    const salt = randomBytes(16);
    const key = await keyFromPassphrase(options.passphrase, salt);
    return { key, place: { source: 'passphrase', salt: salt.toString('base64') } };
  }
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

/** The bytes are not needed once the key stands in OpenSSL's own memory. */
function sealerFrom(bytes: Buffer): Sealer | null {
  if (bytes.length !== KEY_BYTES) return null;
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return aesSealer(key);
}

function opens(sealer: Sealer, { id, check }: VaultRecord): boolean {
  try {
    const opened = sealer.open(checkName(id), Buffer.from(check, 'base64'));
    return Buffer.from(opened).toString() === CHECK;
  } catch {
    return false;
  }
}

function wrongKey(options: VaultOptions, { source, id }: VaultRecord): RelayError {
  if (source === 'passphrase') return new RelayError('vault_passphrase_wrong');
  const where = source === 'file' ? keyFileOf(options, id) : `"${id}" in the system's keyring`;
  return new RelayError('vault_key_wrong', { where });
}

const keyFileOf = (options: VaultOptions, id: string): string =>
  options.keyFile ?? join(options.keyDirectory, `${id}.key`);

const keyringOf = (options: VaultOptions): Promise<Keyring | null> =>
  options.keyring === undefined ? systemKeyring() : Promise.resolve(options.keyring);

const encode = (key: Buffer): string => key.toString('base64url');
const decode = (text: string): Buffer => Buffer.from(text, 'base64url');

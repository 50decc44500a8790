// The keys that make this daemon a device of its owner, read from the encrypted store, and a search for them outside of
// it. Decrypted with the key file, as only a user of this machine could. Invariant: read once, after linking; never
// printed.
import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AccountId } from '@relay/contract/ids';
import {
  openSealedRecord,
  sealedCredentialsName,
} from '@relay/daemon/platform/db/transport-store/sealed';
import { aesSealer } from '@relay/daemon/platform/home/vault/sealer';
import type { AttackHarness } from './harness.ts';

const SECRET = new Set(['private', 'advSecretKey']);
const SHORTEST = 32;

export class LinkKeys {
  readonly count: number;
  readonly #forms: readonly string[];

  constructor(keys: readonly Buffer[]) {
    this.count = keys.length;
    this.#forms = keys.flatMap((key) => [
      key.toString('latin1'),
      key.toString('hex'),
      key.toString('base64').replace(/=+$/, ''),
      key.toString('base64url'),
      // As a list of numbers, which is how an object is printed.
      key.join(','),
    ]);
  }

  static async of(harness: AttackHarness): Promise<LinkKeys> {
    const key = Buffer.from(readFileSync(`${harness.demo.home}.key`, 'utf8').trim(), 'base64url');
    const sealer = aesSealer(createSecretKey(key));
    const rows = await harness.query<{ account_id: AccountId; value: Uint8Array }>(
      'SELECT account_id, value FROM relay.whatsapp_credentials',
    );
    const keys = rows.flatMap(({ account_id, value }) =>
      secretsOf(
        JSON.parse(
          Buffer.from(
            openSealedRecord(
              sealer.forAccount(account_id),
              sealedCredentialsName(account_id),
              value,
            ),
          ).toString(),
        ),
      ),
    );
    if (keys.length === 0) throw new Error('the sealed store holds no link key');
    return new LinkKeys(keys);
  }

  in(text: string): boolean {
    return this.#forms.some((form) => text.includes(form));
  }
}

function secretsOf(value: unknown, name = ''): Buffer[] {
  if (typeof value === 'string') return SECRET.has(name) ? [Buffer.from(value, 'base64')] : [];
  if (typeof value !== 'object' || value === null) return [];
  if ('type' in value && value.type === 'Buffer' && 'data' in value) {
    const key = Buffer.from(String(value.data), 'base64');
    return SECRET.has(name) && key.length >= SHORTEST ? [key] : [];
  }
  return Object.entries(value).flatMap(([inner, held]) => secretsOf(held, inner));
}

// A key made from a passphrase: kept nowhere, asked for at every start.
import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

/** 128 MB and about half a second for each guess. Changing it needs a new version of the record. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 << 20 };

export function keyFromPassphrase(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  // The same letters typed on another keyboard may come composed differently.
  return derive(passphrase.normalize('NFKC'), salt, 32, COST);
}

// Encrypts archives with a passphrase, in the format of age, so that `age -d` opens them without Relay. The key is
// derived by Node's scrypt: that of the package blocks the event loop for seconds.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { promisify } from 'node:util';
import { RelayError } from '@relay/contract/errors';
import { Decrypter, Encrypter, type Identity, type Recipient, Stanza } from 'age-encryption';
import { toWebStream } from './web-stream.ts';

const AGE_MAGIC = Buffer.from('age-encryption.org/');
const LABEL = Buffer.from('age-encryption.org/v1/scrypt');
/** N = 2^17: 128 MB and about half a second for each guess, as for the vault. */
const LOG_N = 17;
/** Of a file from elsewhere: 1 GB. */
const MAX_LOG_N = 20;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const CIPHER = 'chacha20-poly1305';
/** As age requires: a derived key encrypts one file key. */
const NONCE = Buffer.alloc(12);

const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

const deriveKey = (passphrase: string, salt: Uint8Array, logN: number): Promise<Buffer> =>
  derive(passphrase.normalize('NFKC'), Buffer.concat([LABEL, salt]), 32, {
    N: 2 ** logN,
    r: 8,
    p: 1,
    maxmem: 2 ** (logN + 11),
  });

const encode = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('base64').replace(/=+$/, '');

const recipientOf = (passphrase: string): Recipient => ({
  async wrapFileKey(fileKey) {
    const salt = randomBytes(SALT_BYTES);
    const key = await deriveKey(passphrase, salt, LOG_N);
    const cipher = createCipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES });
    const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
    return [new Stanza(['scrypt', encode(salt), String(LOG_N)], body)];
  },
});

const identityOf = (passphrase: string): Identity => ({
  async unwrapFileKey([stanza]) {
    const [kind, salt, logN] = stanza?.args ?? [];
    const n = Number(logN);
    if (stanza === undefined || kind !== 'scrypt' || salt === undefined) return null;
    if (!Number.isInteger(n) || n < 1 || n > MAX_LOG_N) return null;
    try {
      const key = await deriveKey(passphrase, Buffer.from(salt, 'base64'), n);
      const { body } = stanza;
      const decipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(body.subarray(body.length - TAG_BYTES));
      return Buffer.concat([
        decipher.update(body.subarray(0, body.length - TAG_BYTES)),
        decipher.final(),
      ]);
    } catch {
      return null;
    }
  },
});

export async function encryptArchive(archive: Readable, passphrase: string): Promise<Readable> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipientOf(passphrase));
  const encrypted = await encrypter.encrypt(toWebStream(archive) as never);
  return Readable.fromWeb(encrypted as unknown as ReadableStream);
}

/** Decrypts an archive if it is encrypted, with the first passphrase that opens it. */
export async function decryptArchive(
  file: Readable,
  passphrases: readonly string[],
): Promise<Readable> {
  const { first, all } = await peek(file, AGE_MAGIC.length);
  if (!first.equals(AGE_MAGIC)) return all;
  try {
    if (passphrases.length === 0) throw new RelayError('archive_passphrase_needed');
    const decrypter = new Decrypter();
    for (const passphrase of new Set(passphrases)) decrypter.addIdentity(identityOf(passphrase));
    const opened = await decrypter.decrypt(toWebStream(all) as never);
    return Readable.fromWeb(opened as unknown as ReadableStream);
  } catch (cause) {
    all.destroy();
    if (cause instanceof RelayError) throw cause;
    throw new RelayError('archive_passphrase_wrong', {}, { cause });
  }
}

/** The beginning of a stream, and the whole stream. */
async function peek(source: Readable, bytes: number): Promise<{ first: Buffer; all: Readable }> {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  let length = 0;
  while (length < bytes) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    read.push(value);
    length += value.length;
  }
  async function* rest(): AsyncGenerator<Buffer> {
    try {
      yield* read;
      for (;;) {
        const { done, value } = await chunks.next();
        if (done === true) return;
        yield value;
      }
    } finally {
      source.destroy();
    }
  }
  const all = Readable.from(rest(), { objectMode: false });
  return { first: Buffer.concat(read).subarray(0, bytes), all };
}

// `<home>/vault.json`: which key seals this home and where it is kept. It holds no secret: `check` is a
// constant sealed with the key, so that a wrong key is known before anything is read with it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@relay/core/errors';
import { z } from 'zod';
import { writePrivate } from '../files.ts';

const shared = { version: z.literal(1), id: z.guid(), check: z.base64() };

const recordSchema = z.discriminatedUnion('source', [
  z.object({ ...shared, source: z.enum(['keyring', 'file']) }),
  z.object({ ...shared, source: z.literal('passphrase'), salt: z.base64() }),
]);

export type VaultRecord = z.infer<typeof recordSchema>;

const fileOf = (home: string): string => join(home, 'vault.json');

/** Null only when there is none: one that cannot be read must never lead to a new key. */
export async function readRecord(home: string): Promise<VaultRecord | null> {
  const file = fileOf(home);
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new RelayError('vault_damaged', { file }, { cause });
  }
}

export async function writeRecord(home: string, record: VaultRecord): Promise<void> {
  await writePrivate(fileOf(home), `${JSON.stringify(record)}\n`);
}

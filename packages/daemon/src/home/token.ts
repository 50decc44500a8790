// The owner's token: made at the first start, kept in `<home>/token`, shown by `relay token`.
// 256 random bits; the prefix lets a secret scanner and our own log recognise it.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivate } from './files.ts';

export async function ownerToken(home: string): Promise<string> {
  const kept = await readFile(join(home, 'token'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return /^relay_[\w-]{43}$/.test(kept.trim()) ? kept.trim() : rotateToken(home);
}

/** The old token is worth nothing as soon as the caller takes the returned one. */
export async function rotateToken(home: string): Promise<string> {
  const token = `relay_${randomBytes(32).toString('base64url')}`;
  await writePrivate(join(home, 'token'), `${token}\n`);
  return token;
}

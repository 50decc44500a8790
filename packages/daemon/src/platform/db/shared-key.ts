// Checks that the processes of a database have the same key. The first one stores a sealed word; a process that cannot
// open it would find every message and session unreadable.
import { RelayError } from '@relay/contract/errors';
import type { Sealer } from '@relay/core/ports/sealer';
import type pg from 'pg';

const NAME = 'shared key';
const WORD = Buffer.from('relay');

/** `isRefused`: throws if the key is another one. Otherwise the home's own checks say so where it matters. */
export async function checkSharedKey(
  pool: pg.Pool,
  sealer: Sealer,
  { isRefused }: { readonly isRefused: boolean },
): Promise<void> {
  await pool.query('INSERT INTO relay.shared_key (word) VALUES ($1) ON CONFLICT (one) DO NOTHING', [
    Buffer.from(sealer.seal(NAME, WORD)),
  ]);
  if (!isRefused) return;
  const { rows } = await pool.query<{ word: Buffer }>('SELECT word FROM relay.shared_key');
  const [row] = rows;
  if (row === undefined || !opens(sealer, row.word)) throw new RelayError('worker_key_differs');
}

function opens(sealer: Sealer, word: Buffer): boolean {
  try {
    return WORD.equals(sealer.open(NAME, word));
  } catch {
    return false;
  }
}

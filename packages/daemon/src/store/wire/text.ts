// Ids that came over the wire, as PostgreSQL can keep and index them. Whoever sends chooses them, so they
// may hold NUL or lone surrogates, or be longer than an index takes: one such id must not stop a batch.
import { createHash } from 'node:crypto';

/** Three of these at their longest still fit one index entry. */
const LONGEST = 200;

/** The same for the same id, different for different ones. */
export function storable(id: string): string {
  const plain =
    id.length <= LONGEST && !id.startsWith('~') && !id.includes('\0') && id.isWellFormed();
  if (plain) return id;
  return `~${createHash('sha256').update(id, 'utf16le').digest('base64url')}`;
}

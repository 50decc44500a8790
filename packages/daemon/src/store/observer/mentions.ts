// Who is meant by the digits that a mention has on the wire: a phone number or a LID, whichever the group uses.
import type { AccountId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';

/** By their digits; who is not known is not in it. */
export async function mentionNames(
  db: Reader,
  account: AccountId,
  digits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (digits.length === 0) return new Map();
  const { rows } = await sql<{ digits: string; name: string }>`
    SELECT a.value AS digits, coalesce(g.display_name, p.display_name, p.push_name) AS name
    FROM contact_aliases a JOIN contacts p ON p.account_id = a.account_id AND p.id = a.contact_id
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
    WHERE a.account_id = ${account} AND a.value = ANY(${digits}::text[])
      AND coalesce(g.display_name, p.display_name, p.push_name) IS NOT NULL`.execute(db);
  return new Map(rows.map((row) => [row.digits, row.name]));
}

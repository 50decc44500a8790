// The token of notification forwarders: one at a time, known by its hash alone. A new one ends the one
// before it in the same statement.
import type { AccountId } from '@relay/core/ids';
import type { ForwarderTokens } from '@relay/core/ports/ingest';
import { sql } from 'kysely';
import type { Reader } from './database.ts';

const SCOPE = 'notifications';

export function postgresForwarderTokens(db: Reader, account: AccountId): ForwarderTokens {
  const bytes = (hash: string) => Buffer.from(hash, 'utf8');
  const current = sql`account_id = ${account} AND ${SCOPE} = ANY(scopes) AND revoked_at IS NULL`;
  return {
    async knows(hash) {
      const { numAffectedRows } = await sql`UPDATE tokens SET last_used_at = now()
        WHERE ${current} AND hash = ${bytes(hash)}`.execute(db);
      return numAffectedRows === 1n;
    },
    async replace(hash) {
      await db.transaction().execute(async (tx) => {
        // Two at a time wait for each other here, so that one of them is the last.
        await sql`SELECT 1 FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`.execute(tx);
        await sql`UPDATE tokens SET revoked_at = now() WHERE ${current}`.execute(tx);
        await sql`INSERT INTO tokens (account_id, name, hash, scopes)
          VALUES (${account}, 'notification forwarders', ${bytes(hash)}, ${[SCOPE]}::text[])`.execute(
          tx,
        );
      });
    },
    async revoke() {
      const { numAffectedRows } =
        await sql`UPDATE tokens SET revoked_at = now() WHERE ${current}`.execute(db);
      return numAffectedRows === 1n;
    },
    async state() {
      const { rows } = await sql<{ created_at: Date; last_used_at: Date | null }>`
        SELECT created_at, last_used_at FROM tokens WHERE ${current}`.execute(db);
      const [token] = rows;
      return {
        exists: token !== undefined,
        created_at: token?.created_at.toISOString() ?? null,
        last_used_at: token?.last_used_at?.toISOString() ?? null,
      };
    },
  };
}

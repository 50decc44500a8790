// Stores the tokens of clients, by the hash of their secret only, and what each has read. Invariant: a revoked,
// suspended or expired token identifies no client, and what a client reads is recorded before it is returned.

import type {
  ClientTokens,
  HostedClientTokens,
  TokenClient,
} from '@relay/contract/api/credentials';
import type { ForwarderTokens } from '@relay/contract/api/ingest';
import type { AccountId, ChatId, TokenId } from '@relay/contract/ids';
import { SCOPES, type Scope } from '@relay/contract/policy/scopes';
import type { Taint } from '@relay/core/policy/facts';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from './database.ts';
import { type LeasedDb, transaction } from './transaction.ts';

/** The notification forwarders' token is in the same table and is excluded. */
export const IS_CLIENT_TOKEN_SQL = sql`NOT 'notifications' = ANY(t.scopes)`;
const IS_CURRENT_SQL = sql`t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`;
export const IS_VALID_TOKEN_SQL = sql`${IS_CURRENT_SQL} AND t.suspended_at IS NULL`;

/** The last use is stored to the minute, so that a busy client does not cause a write at every call. */
const LAST_USED_PRECISION = sql`interval '1 minute'`;

type TokenRow = Omit<TokenClient, 'scopes'> & {
  readonly scopes: readonly string[];
  readonly stale: boolean;
};

export const tokenHashBytes = (hash: string): Buffer => Buffer.from(hash, 'utf8');

/** Only scopes that this version knows; those of another version have no meaning here. */
const knownScopes = (scopes: readonly string[]): Scope[] =>
  SCOPES.filter((scope) => scopes.includes(scope));

export function createClientTokens(db: Db, account: AccountId): ClientTokens {
  return {
    isValid: async (hash) => (await byHash(db, account, hash)) !== null,
    async findClient(hash) {
      const row = await byHash(db, account, hash);
      if (row === null) return null;
      if (row.stale) {
        await sql`UPDATE tokens SET last_used_at = now() WHERE account_id = ${account} AND id = ${row.id}`.execute(
          db,
        );
      }
      return toTokenClient(row);
    },
  };
}

/** Over all accounts: the guard knows a token before it knows which account is asked for. */
export function createHostedClientTokens(db: Db): HostedClientTokens {
  const accountsOf = async (hash: string): Promise<AccountId[]> => {
    const { rows } = await sql<{ account_id: AccountId }>`
      SELECT t.account_id FROM tokens t WHERE t.hash = ${tokenHashBytes(hash)}
        AND ${IS_CLIENT_TOKEN_SQL} AND ${IS_VALID_TOKEN_SQL} ORDER BY t.account_id`.execute(db);
    return rows.map(({ account_id }) => account_id);
  };
  return {
    isValid: async (hash) => (await accountsOf(hash)).length > 0,
    async findClient(hash) {
      const accounts = await accountsOf(hash);
      const [first] = accounts;
      const client =
        first === undefined ? null : await createClientTokens(db, first).findClient(hash);
      return client === null ? null : { ...client, accounts };
    },
  };
}

const byHash = (db: Db, account: AccountId, hash: string): Promise<TokenRow | null> =>
  findRow(db, account, sql`t.hash = ${tokenHashBytes(hash)}`);

/** The client with its current rights; null if its token is no longer valid. */
export async function readTokenClient(
  db: Db,
  account: AccountId,
  id: TokenId,
): Promise<TokenClient | null> {
  const row = await findRow(db, account, sql`t.id = ${id}`);
  return row === null ? null : toTokenClient(row);
}

async function findRow(
  db: Db,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<TokenRow | null> {
  const { rows } = await sql<TokenRow>`SELECT t.id, t.name, t.scopes, t.contacts, t.confirm,
      coalesce(t.last_used_at < now() - ${LAST_USED_PRECISION}, true) AS stale
    FROM tokens t WHERE t.account_id = ${account} AND ${IS_CLIENT_TOKEN_SQL} AND ${IS_VALID_TOKEN_SQL} AND ${which}`.execute(
    db,
  );
  return rows[0] ?? null;
}

const toTokenClient = ({ id, name, scopes, contacts, confirm }: TokenRow): TokenClient => ({
  id,
  name,
  scopes: knownScopes(scopes),
  contacts,
  confirm,
});

/** Call it before the client sees text of these chats. */
export async function noteTokenReads(
  tx: Db,
  account: AccountId,
  token: TokenId,
  chats: readonly ChatId[],
): Promise<void> {
  if (chats.length === 0) return;
  await sql`INSERT INTO token_reads (account_id, token_id, chat_id)
    SELECT ${account}, ${token}, unnest(${[...new Set(chats)]}::uuid[])
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** Everything it has ever read: we cannot know how long a client remembers. */
export async function taintOfToken(
  tx: Transaction,
  account: AccountId,
  token: TokenId,
): Promise<Taint> {
  const { rows } = await sql<{ chat_id: ChatId }>`SELECT chat_id FROM token_reads
    WHERE account_id = ${account} AND token_id = ${token}`.execute(tx);
  return { chats: rows.map(({ chat_id }) => chat_id), outside: false };
}

/**
 * A restored database does not know which tokens were revoked or rotated since its backup. So no restored secret is
 * valid until the owner says so. Returns the names of the clients.
 */
export async function suspendTokens(tx: Transaction, account: AccountId): Promise<string[]> {
  await sql`UPDATE tokens t SET revoked_at = now()
    WHERE t.account_id = ${account} AND NOT ${IS_CLIENT_TOKEN_SQL} AND t.revoked_at IS NULL`.execute(
    tx,
  );
  const { rows } = await sql<{ name: string }>`UPDATE tokens t SET suspended_at = now()
    WHERE t.account_id = ${account} AND ${IS_CURRENT_SQL} RETURNING t.name`.execute(tx);
  return rows.map(({ name }) => name).sort();
}

/** Makes a suspended token valid again. False if it has expired. */
export async function resumeToken(
  tx: Transaction,
  account: AccountId,
  id: string,
  newHash: string | null,
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE tokens t SET suspended_at = NULL,
      hash = ${newHash === null ? sql`hash` : tokenHashBytes(newHash)},
      rotated_at = ${newHash === null ? sql`rotated_at` : sql`now()`}
    WHERE t.account_id = ${account} AND t.id = ${id} AND ${IS_CURRENT_SQL}`.execute(tx);
  return numAffectedRows === 1n;
}

// The token of notification forwarders: one at a time, stored by its hash only. A new one revokes the previous one in
// the same statement.

const FORWARDER_SCOPE = 'notifications';

/** Over all accounts: the account whose forwarders have this token; records the use. */
export async function findForwardedAccount(db: Db, hash: string): Promise<AccountId | null> {
  const { rows } = await sql<{ account_id: AccountId }>`UPDATE tokens SET last_used_at = now()
    WHERE hash = ${Buffer.from(hash, 'utf8')} AND ${FORWARDER_SCOPE} = ANY(scopes) AND revoked_at IS NULL
    RETURNING account_id`.execute(db);
  return rows[0]?.account_id ?? null;
}

export function createForwarderTokens(leased: LeasedDb): ForwarderTokens {
  const { db } = leased;
  const { account } = leased.lease;
  const bytes = (hash: string) => Buffer.from(hash, 'utf8');
  const current = sql`account_id = ${account} AND ${FORWARDER_SCOPE} = ANY(scopes) AND revoked_at IS NULL`;
  return {
    async isValid(hash) {
      const { numAffectedRows } = await sql`UPDATE tokens SET last_used_at = now()
        WHERE ${current} AND hash = ${bytes(hash)}`.execute(db);
      return numAffectedRows === 1n;
    },
    async replace(hash) {
      await transaction(leased, async ({ tx }) => {
        // Two concurrent calls wait for each other here, so that one of them is the last.
        await sql`SELECT 1 FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`.execute(tx);
        await sql`UPDATE tokens SET revoked_at = now() WHERE ${current}`.execute(tx);
        await sql`INSERT INTO tokens (account_id, name, hash, scopes)
          VALUES (${account}, 'notification forwarders', ${bytes(hash)}, ${[FORWARDER_SCOPE]}::text[])`.execute(
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

// Tokens of programs, known by the hash of their secret alone, and what each has read.
// Invariant: a token that is revoked or out of date is nobody's, and what was read is written down before it
// is handed out.
import type { AccountId, ChatId, TokenId } from '@relay/core/ids';
import { SCOPES, type Scope } from '@relay/core/policy/actors';
import type { Taint } from '@relay/core/policy/facts';
import type { Program, ProgramTokens } from '@relay/core/ports/tokens';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';

/** The forwarders' token lies in the same table and is none of these. */
export const isProgram = sql`NOT 'notifications' = ANY(t.scopes)`;
export const isGood = sql`t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`;

/** Last used is kept to the minute: a busy program does not write at every call. */
const FRESH = sql`interval '1 minute'`;

type Row = Omit<Program, 'scopes'> & {
  readonly scopes: readonly string[];
  readonly stale: boolean;
};

export const hashBytes = (hash: string): Buffer => Buffer.from(hash, 'utf8');

/** Those this version knows; what another one granted means nothing here. */
const knownScopes = (scopes: readonly string[]): Scope[] =>
  SCOPES.filter((scope) => scopes.includes(scope));

export function programTokens(db: Reader, account: AccountId): ProgramTokens {
  return {
    holds: async (hash) => (await byHash(db, account, hash)) !== null,
    async known(hash) {
      const row = await byHash(db, account, hash);
      if (row === null) return null;
      if (row.stale) {
        await sql`UPDATE tokens SET last_used_at = now() WHERE account_id = ${account} AND id = ${row.id}`.execute(
          db,
        );
      }
      return programOf(row);
    },
  };
}

const byHash = (db: Reader, account: AccountId, hash: string): Promise<Row | null> =>
  findRow(db, account, sql`t.hash = ${hashBytes(hash)}`);

/** The program as it may act now; null for one whose token is no longer good. */
export async function readProgram(
  db: Reader,
  account: AccountId,
  id: TokenId,
): Promise<Program | null> {
  const row = await findRow(db, account, sql`t.id = ${id}`);
  return row === null ? null : programOf(row);
}

async function findRow(
  db: Reader,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<Row | null> {
  const { rows } = await sql<Row>`SELECT t.id, t.name, t.scopes, t.contacts, t.confirm,
      coalesce(t.last_used_at < now() - ${FRESH}, true) AS stale
    FROM tokens t WHERE t.account_id = ${account} AND ${isProgram} AND ${isGood} AND ${which}`.execute(
    db,
  );
  return rows[0] ?? null;
}

const programOf = ({ id, name, scopes, contacts, confirm }: Row): Program => ({
  id,
  name,
  scopes: knownScopes(scopes),
  contacts,
  confirm,
});

/** Before the program sees words of these chats. */
export async function noteTokenReads(
  tx: Reader,
  account: AccountId,
  token: TokenId,
  chats: readonly ChatId[],
): Promise<void> {
  if (chats.length === 0) return;
  await sql`INSERT INTO token_reads (account_id, token_id, chat_id)
    SELECT ${account}, ${token}, unnest(${[...new Set(chats)]}::uuid[])
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** All that it has ever read: how long a program remembers is not for us to say. */
export async function tokenTaint(
  tx: Transaction,
  account: AccountId,
  token: TokenId,
): Promise<Taint> {
  const { rows } = await sql<{ chat_id: ChatId }>`SELECT chat_id FROM token_reads
    WHERE account_id = ${account} AND token_id = ${token}`.execute(tx);
  return { chats: rows.map(({ chat_id }) => chat_id), outside: false };
}

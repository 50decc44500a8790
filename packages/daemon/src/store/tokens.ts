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

type Row = Omit<Program, 'scopes'> & { readonly scopes: readonly string[] };

export const hashBytes = (hash: string): Buffer => Buffer.from(hash, 'utf8');

/** Those this version knows; what another one granted means nothing here. */
const knownScopes = (scopes: readonly string[]): Scope[] =>
  SCOPES.filter((scope) => scopes.includes(scope));

export function programTokens(db: Reader, account: AccountId): ProgramTokens {
  return {
    holds: async (hash) => (await byHash(db, account, hash)) !== null,
    async known(hash) {
      const program = await byHash(db, account, hash);
      if (program !== null) {
        await sql`UPDATE tokens SET last_used_at = now() WHERE account_id = ${account} AND id = ${program.id}
          AND (last_used_at IS NULL OR last_used_at < now() - ${FRESH})`.execute(db);
      }
      return program;
    },
  };
}

const byHash = (db: Reader, account: AccountId, hash: string): Promise<Program | null> =>
  findProgram(db, account, sql`t.hash = ${hashBytes(hash)}`);

/** The program as it may act now; null for one whose token is no longer good. */
export const readProgram = (db: Reader, account: AccountId, id: TokenId): Promise<Program | null> =>
  findProgram(db, account, sql`t.id = ${id}`);

async function findProgram(
  db: Reader,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<Program | null> {
  const { rows } = await sql<Row>`SELECT t.id, t.name, t.scopes, t.contacts, t.confirm FROM tokens t
    WHERE t.account_id = ${account} AND ${isProgram} AND ${isGood} AND ${which}`.execute(db);
  const [row] = rows;
  return row === undefined ? null : { ...row, scopes: knownScopes(row.scopes) };
}

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

// The chats that may be read in a search, as SQL. Every search statement starts from it, so that what may not be read
// is never looked at, let alone ranked.
import type { AccountId, ChatId, ContactId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { ownContactsSql } from '../../platform/db/names-and-addresses.ts';

export type SearchScope =
  /** The owner: everything. */
  | { readonly kind: 'owner' }
  /** The assistant: what the owner's grants allow to be read, and the owner's own chats. */
  | { readonly kind: 'assistant' }
  /** A client: what grants allow it to read, limited to the contacts of its token. */
  | { readonly kind: 'token'; readonly contacts: readonly ContactId[] | null }
  /** A session that is bound to one chat. */
  | { readonly kind: 'chat'; readonly chat: ChatId };

/** A subquery of chat ids. `admins` are the owner's other numbers, in digits. */
export function readableChats(
  account: AccountId,
  scope: SearchScope,
  admins: readonly string[],
): RawBuilder<unknown> {
  const chats = sql`SELECT c.id FROM chats c WHERE c.account_id = ${account}`;
  switch (scope.kind) {
    case 'owner':
      return chats;
    case 'chat':
      return sql`${chats} AND c.id = ${scope.chat}`;
    case 'token':
      // A list of contacts contains no groups.
      return sql`${chats} AND (
        c.contact_id IN (SELECT g.contact_id FROM grants g WHERE g.account_id = ${account} AND g.can_read)
        OR c.id IN (SELECT g.chat_id FROM grants g WHERE g.account_id = ${account} AND g.can_read))
        AND NOT EXISTS (SELECT FROM (${ownContactsSql(account, admins)}) own WHERE own.contact_id = c.contact_id)
        AND (${scope.contacts === null}::boolean OR c.contact_id = ANY(${scope.contacts ?? []}::uuid[]))`;
    case 'assistant':
      return sql`${chats} AND (
        c.contact_id IN (SELECT g.contact_id FROM grants g WHERE g.account_id = ${account} AND g.can_read)
        OR c.id IN (SELECT g.chat_id FROM grants g WHERE g.account_id = ${account} AND g.can_read)
        OR c.contact_id IN (${ownContactsSql(account, admins)}))`;
  }
}

/** The chat ids themselves, for queries outside of SQL; `all` means everything. With a chosen chat, only that one. */
export async function findReadableChats(
  { db, account, admins }: { db: Db; account: AccountId; admins: readonly string[] },
  scope: SearchScope,
  chosen?: ChatId,
): Promise<readonly ChatId[] | 'all'> {
  if (scope.kind === 'owner') return chosen === undefined ? 'all' : [chosen];
  const { rows } = await sql<{ id: ChatId }>`${readableChats(account, scope, admins)}`.execute(db);
  return rows.map(({ id }) => id).filter((id) => chosen === undefined || id === chosen);
}

// What people and chats are called, read when a question comes, so that a name that was given today is
// known today. Names only move messages up that the asker may read anyway.
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { type Called, whoIsMeant } from '@relay/core/search/names';
import { sql } from 'kysely';
import type { Reader } from '../store/database.ts';
import type { Named } from './candidates.ts';

interface Somebody {
  readonly contact: ContactId | null;
  readonly chat: ChatId | null;
}

export async function findNamed(
  db: Reader,
  account: AccountId,
  words: readonly string[],
): Promise<Named> {
  const meant = whoIsMeant(words, await everybody(db, account));
  return {
    contacts: meant.ids.flatMap(({ contact }) => contact ?? []),
    chats: meant.ids.flatMap(({ chat }) => chat ?? []),
    words: meant.words,
  };
}

async function everybody(db: Reader, account: AccountId): Promise<readonly Called<Somebody>[]> {
  const { rows } = await sql<Somebody & { names: string[] }>`
    SELECT p.id AS contact, c.id AS chat,
      array_remove(ARRAY[g.display_name, p.display_name, p.push_name], NULL) AS names
    FROM contacts p LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
      LEFT JOIN chats c ON c.account_id = p.account_id AND c.contact_id = p.id
    WHERE p.account_id = ${account}
    UNION ALL SELECT NULL, c.id, array_remove(ARRAY[g.display_name, c.subject], NULL)
    FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
    WHERE c.account_id = ${account} AND c.kind = 'group'`.execute(db);
  return rows.map(({ contact, chat, names }) => ({ id: { contact, chat }, names }));
}

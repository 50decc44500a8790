// What people and chats are called, read when a question comes, so that a name that was given today is
// known today. Names only move messages up that the asker may read anyway.
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { type Called, whoIsMeant } from '@relay/core/search/names';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../store/database.ts';
import type { Named } from './candidates.ts';

/** A person, a group, or both of a person and the chat with them. */
export interface Somebody {
  readonly contact: ContactId | null;
  readonly chat: ChatId | null;
}

export interface Known extends Called<Somebody> {
  /** Phone numbers, LIDs, and addresses of groups. */
  readonly addresses: readonly string[];
}

export async function findNamed(
  db: Reader,
  account: AccountId,
  words: readonly string[],
): Promise<Named> {
  if (words.length === 0) return { contacts: [], chats: [], words: new Set() };
  const meant = whoIsMeant(words, await read(db, account, sql`'[]'::json`));
  return {
    contacts: meant.ids.flatMap(({ contact }) => contact ?? []),
    chats: meant.ids.flatMap(({ chat }) => chat ?? []),
    words: meant.words,
  };
}

export const findEverybody = (db: Reader, account: AccountId): Promise<readonly Known[]> =>
  read(
    db,
    account,
    sql`coalesce((SELECT json_agg(a.value) FROM contact_aliases a
      WHERE a.account_id = p.account_id AND a.contact_id = p.id), '[]')`,
  );

/** In one value, because thousands of rows would take longer to take apart than to find. */
async function read(
  db: Reader,
  account: AccountId,
  addresses: RawBuilder<unknown>,
): Promise<readonly Known[]> {
  const { rows } = await sql<{ everybody: Known[] | null }>`
    SELECT json_agg(json_build_object('id', json_build_object('contact', contact, 'chat', chat),
      'names', array_remove(names, NULL), 'addresses', addresses)) AS everybody
    FROM (
      SELECT p.id AS contact, c.id AS chat, ${addresses} AS addresses,
        ARRAY[g.display_name, p.display_name, p.push_name] AS names
      FROM contacts p LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
        LEFT JOIN chats c ON c.account_id = p.account_id AND c.contact_id = p.id
      WHERE p.account_id = ${account}
      UNION ALL SELECT NULL, c.id, json_build_array(c.group_address), ARRAY[g.display_name, c.subject]
      FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
      WHERE c.account_id = ${account} AND c.kind = 'group'
    ) called`.execute(db);
  return rows[0]?.everybody ?? [];
}

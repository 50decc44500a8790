// Whom an address means: a number as people write it, or an address of a person or a group as WhatsApp
// does. Contact and chat are found or made in the caller's transaction; two at once make one.
import { randomUUID } from 'node:crypto';
import { type Alias, aliasOfJid, phoneAlias } from '@relay/core/contacts/alias';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { contactId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';

const GROUP = /^\d+(-\d+)?@g\.us$/;

export async function findOrMakeChat(
  tx: Transaction,
  account: AccountId,
  to: string,
): Promise<ChatId> {
  const address = to.trim();
  if (GROUP.test(address)) return chatWhere(tx, account, { group: address });
  const alias = aliasOfJid(address) ?? phoneAlias(address);
  if (alias === null) throw new RelayError('invalid_phone');
  return chatWhere(tx, account, { contact: await contactWith(tx, account, alias) });
}

async function contactWith(
  tx: Transaction,
  account: AccountId,
  { kind, value }: Alias,
): Promise<ContactId> {
  const find = () =>
    tx
      .selectFrom('contact_aliases')
      .select('contact_id')
      .where('account_id', '=', account)
      .where('kind', '=', kind)
      .where('value', '=', value)
      .executeTakeFirst();
  const known = await find();
  if (known !== undefined) return known.contact_id;
  // The alias decides whose contact it is, so a contact is made only together with it.
  const fresh = contactId(randomUUID());
  await sql`WITH made AS (INSERT INTO contacts (account_id, id) VALUES (${account}, ${fresh}))
    INSERT INTO contact_aliases (account_id, kind, value, contact_id)
    VALUES (${account}, ${kind}, ${value}, ${fresh}) ON CONFLICT DO NOTHING`.execute(tx);
  const owner = await find();
  if (owner === undefined) throw new Error('an address without a contact');
  if (owner.contact_id !== fresh) {
    await tx
      .deleteFrom('contacts')
      .where('account_id', '=', account)
      .where('id', '=', fresh)
      .execute();
  }
  return owner.contact_id;
}

async function chatWhere(
  tx: Transaction,
  account: AccountId,
  place: { readonly contact: ContactId } | { readonly group: string },
): Promise<ChatId> {
  const [kind, contact, group] =
    'group' in place ? ['group', null, place.group] : ['direct', place.contact, null];
  const find = () =>
    sql<{ id: ChatId }>`SELECT id FROM chats WHERE account_id = ${account}
    AND (contact_id = ${contact} OR group_address = ${group})`.execute(tx);
  const known = (await find()).rows[0];
  if (known !== undefined) return known.id;
  await sql`INSERT INTO chats (account_id, kind, contact_id, group_address)
    VALUES (${account}, ${kind}, ${contact}, ${group}) ON CONFLICT DO NOTHING`.execute(tx);
  const made = (await find()).rows[0];
  if (made === undefined) throw new Error('a chat that was made is not there');
  return made.id;
}

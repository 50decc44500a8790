// Which chat an exported one is: what the owner says, else the one that is called like its file. One that is
// not known here becomes a chat that holds nothing but what is imported.
import { randomUUID } from 'node:crypto';
import { phoneAlias } from '@relay/core/contacts/alias';
import { RelayError } from '@relay/core/errors';
import { type AccountId, type ChatId, type ContactId, chatId, contactId } from '@relay/core/ids';
import { titleOf } from '@relay/core/import/title';
import { storable } from '@relay/core/messages/text';
import { sql } from 'kysely';
import { findOrMakeChats } from '../../store/chats.ts';
import { meet, waitForLearners } from '../../store/contacts.ts';
import type { Reader, Transaction } from '../../store/database.ts';
import { type MatchedContact, matchPeople } from '../../store/people.ts';

export interface ExportPlace {
  readonly chat: ChatId;
  readonly name: string;
  readonly isNew: boolean;
  /** The one at the other end; null of a group. */
  readonly contact: ContactId | null;
}

/** Found before anything is written. */
export type Found =
  | { readonly known: MatchedContact['of'] }
  | { readonly number: string; readonly name: string }
  | { readonly name: string };

export interface Asked {
  readonly given: string | null;
  /** Names of the file and of the text in it. */
  readonly files: readonly string[];
}

export async function findPlace(
  db: Reader,
  account: AccountId,
  { given, files }: Asked,
): Promise<Found> {
  const title = files.map(titleOf).find((name) => name !== null) ?? null;
  const query = given?.trim() || title;
  if (query === null) throw new RelayError('export_chat');
  const found = await matchPeople(db, account, { query, kind: 'all', limit: 6 });
  const exact = found.meant.filter(({ rank }) => rank === 0);
  // By the name of a file only whoever is called exactly so.
  const meant = exact.length > 0 || given === null ? exact : found.meant;
  const [first, ...others] = meant;
  if (others.length > 0) {
    const candidates = meant.map(({ of }) => of.name ?? of.jid ?? of.id).join(', ');
    throw new RelayError('contact_ambiguous', { who: query, candidates });
  }
  if (first !== undefined) return { known: first.of };
  return found.number === null ? { name: query } : { number: found.number, name: query };
}

/** `several`: more than two wrote in it. */
export async function makePlace(
  tx: Transaction,
  account: AccountId,
  found: Found,
  several: boolean,
): Promise<ExportPlace> {
  if ('known' in found) {
    const { id, kind, name } = found.known;
    const shown = name ?? found.known.jid ?? id;
    if (kind === 'group') return { chat: chatId(id), name: shown, isNew: false, contact: null };
    return direct(tx, account, contactId(id), { name: shown, isNew: false });
  }
  if ('number' in found) {
    const alias = phoneAlias(found.number);
    const [contact] = alias === null ? [] : await meet(tx, account, [[alias]]);
    if (contact !== undefined)
      return direct(tx, account, contact, { name: found.name, isNew: true });
  }
  const name = storable(found.name);
  await waitForLearners(tx, account);
  return several ? newGroup(tx, account, name) : newPerson(tx, account, name);
}

async function direct(
  tx: Transaction,
  account: AccountId,
  contact: ContactId,
  shown: Pick<ExportPlace, 'name' | 'isNew'>,
): Promise<ExportPlace> {
  const { ofContact } = await findOrMakeChats(tx, account, { contacts: [contact], groups: [] });
  const chat = ofContact.get(contact);
  if (chat === undefined) throw new Error('a contact without a chat');
  return { ...shown, chat, contact };
}

async function newPerson(tx: Transaction, account: AccountId, name: string): Promise<ExportPlace> {
  const contact = contactId(randomUUID());
  await sql`INSERT INTO contacts (account_id, id, display_name) VALUES (${account}, ${contact}, ${name})`.execute(
    tx,
  );
  return direct(tx, account, contact, { name, isNew: true });
}

/** WhatsApp knows no such address, so nothing can be sent there and nothing comes from there. */
async function newGroup(tx: Transaction, account: AccountId, name: string): Promise<ExportPlace> {
  const chat = chatId(randomUUID());
  await sql`INSERT INTO chats (account_id, id, kind, group_address, subject)
    VALUES (${account}, ${chat}, 'group', ${`${chat}@export`}, ${name})`.execute(tx);
  return { chat, name, isNew: true, contact: null };
}

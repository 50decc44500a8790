// Finds out what must be known about an exported chat before it is stored: its date format, which chat it is, and which
// author is the owner. It reads the whole file; what is ambiguous is refused with a question.

import { randomUUID } from 'node:crypto';
import type { DateOrder, ImportQuery, ImportSkip } from '@relay/contract/api/imports';
import { RelayError } from '@relay/contract/errors';
import {
  type AccountId,
  type ChatId,
  type ContactId,
  chatId,
  contactId,
} from '@relay/contract/ids';
import { phoneAlias } from '@relay/core/contacts/alias';
import { foldName } from '@relay/core/contacts/match';
import { chatTitleFromFile, DateOrderFinder, findOwnNames } from '@relay/core/import/inference';
import { type ExportedMessage, ExportReader } from '@relay/core/import/whatsapp-export';
import type { NameResolver } from '@relay/core/ingest/names';
import { toStorableText } from '@relay/core/messages/text';
import { findZone, type Zone } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import {
  ambiguousContactError,
  type MatchedContact,
  matchContacts,
} from '../../platform/db/contact-directory.ts';
import { lockContactCreation, resolveSightings } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { loadChatMemberNames } from '../../platform/db/notification-dedupe.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { ExportFile } from './export-file.ts';

export interface ImportDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly now: () => Date;
  /** The owner's time zone. */
  readonly zone: string;
  readonly home: string;
  /** Throws while the disk is nearly full. */
  readonly assertDiskSpace?: () => void;
  /** Called after a commit that stored messages. */
  readonly onStored: () => void;
}

const MOST_NAMES = 5_000;
const SHOWN_NAMES = 12;

interface ExportScan {
  readonly order: DateOrder | null;
  readonly senders: ReadonlySet<string>;
  readonly lines: number;
}

async function scanExport(file: ExportFile, now: number): Promise<ExportScan> {
  const finder = new DateOrderFinder(now);
  const senders = new Set<string>();
  const reader = new ExportReader();
  let lines = 0;
  for await (const reading of readExport(file, reader)) {
    lines += reading.lines;
    if (reading.message === null) continue;
    finder.add({ ...reading.message.head, rest: '' });
    if (senders.size < MOST_NAMES) senders.add(reading.message.sender);
  }
  if (!reader.hasMessages)
    throw new RelayError('export_invalid', { what: 'no line starts with a date' });
  return { order: finder.found(), senders, lines };
}

interface ExportStep {
  readonly lines: number;
  readonly message: ExportedMessage | null;
  readonly skipped: ImportSkip | null;
}

export async function* readExport(
  file: ExportFile,
  reader: ExportReader,
  read?: (share: number) => void,
): AsyncGenerator<ExportStep> {
  const step = (lines: number, reading: ReturnType<ExportReader['push']>): ExportStep => ({
    lines,
    message: reading === null || 'skipped' in reading ? null : reading,
    skipped: reading !== null && 'skipped' in reading ? reading.skipped : null,
  });
  for await (const line of file.lines(read)) yield step(1, reader.push(line));
  yield step(0, reader.end());
}

export interface PreparedImport {
  readonly target: ImportTarget;
  readonly order: DateOrder;
  readonly me: ReadonlySet<string>;
  readonly who: NameResolver;
  readonly zone: Zone;
  readonly lines: number;
  readonly latest: number;
}

/** All questions about an import are asked here. */
export async function prepareImport(
  deps: ImportDeps,
  file: ExportFile,
  { file: name, chat, me: given, date_order, zone: named }: ImportQuery,
): Promise<PreparedImport> {
  const { db, lease } = deps;
  const { account } = lease;
  const zone = findZone(named ?? deps.zone) ?? (findZone('UTC') as Zone);
  const latest = zone.localAt(+deps.now());
  const { order: found, senders, lines } = await scanExport(file, latest);
  const order = date_order ?? found;
  if (order === null) throw new RelayError('export_date_order');
  const files = [name, file.name ?? ''];
  const where = await findImportTarget(db, account, { given: chat ?? null, files });
  const several =
    'known' in where ? where.known.kind === 'group' : !('number' in where) && senders.size > 2;
  const called = 'known' in where ? where.known.name : where.name;
  const me = findOwnNames({
    senders: [...senders],
    given: given ?? null,
    own: await ownNames(db, account),
    isOther: several ? null : (one) => foldName(one) === foldName(called ?? ''),
  });
  if (me === null) {
    const shown = [...senders].slice(0, SHOWN_NAMES).join(', ');
    throw new RelayError('export_me', {
      names: senders.size > SHOWN_NAMES ? `${shown}, …` : shown,
    });
  }
  return transaction(deps, async ({ tx }) => {
    const target = await createImportTarget(tx, account, where, several);
    const who = await loadChatMemberNames(tx, account, target.chat);
    return { target, order, me, who, zone, lines, latest };
  });
}

async function ownNames(db: Db, account: AccountId): Promise<readonly string[]> {
  const { rows } = await sql<{ names: string[] }>`
    SELECT array_remove(ARRAY[p.display_name, p.push_name], NULL) AS names FROM accounts o
      JOIN contact_aliases s ON s.account_id = o.id AND s.value = CASE s.kind WHEN 'phone' THEN o.phone ELSE o.lid END
      JOIN contacts p ON p.account_id = o.id AND p.id = s.contact_id
    WHERE o.id = ${account}`.execute(db);
  return rows.flatMap(({ names }) => names);
}

// Finds the chat to import into: the one that the owner names, otherwise the one with the file's name. An unknown chat
// becomes a new one that contains only imported messages.

interface ImportTarget {
  readonly chat: ChatId;
  readonly name: string;
  readonly isNew: boolean;
  /** The contact of a direct chat; null for a group. */
  readonly contact: ContactId | null;
}

/** Found before anything is written. */
type TargetMatch =
  | { readonly known: MatchedContact['contact'] }
  | { readonly number: string; readonly name: string }
  | { readonly name: string };

interface TargetQuery {
  readonly given: string | null;
  /** Names of the file and of the text file in it. */
  readonly files: readonly string[];
}

async function findImportTarget(
  db: Db,
  account: AccountId,
  { given, files }: TargetQuery,
): Promise<TargetMatch> {
  const title = files.map(chatTitleFromFile).find((name) => name !== null) ?? null;
  const query = given?.trim() || title;
  if (query === null) throw new RelayError('export_chat');
  const found = await matchContacts(db, account, { query, kind: 'all', limit: 6 });
  const exact = found.likely.filter(({ rank }) => rank === 0);
  const byOwner = exact.filter(({ byProfile }) => !byProfile);
  // The name of a file must match a name exactly.
  const likely = exact.length > 0 || given === null ? exact : found.likely;
  const meant = (byOwner.length > 0 ? byOwner : likely).map(({ contact }) => contact);
  const [first, other] = meant;
  if (other !== undefined) throw ambiguousContactError(query, meant);
  if (first !== undefined) return { known: first };
  return found.number === null ? { name: query } : { number: found.number, name: query };
}

/** `several`: more than two people wrote in it. */
async function createImportTarget(
  tx: Transaction,
  account: AccountId,
  found: TargetMatch,
  several: boolean,
): Promise<ImportTarget> {
  if ('known' in found) {
    const { id, kind, name } = found.known;
    const shown = name ?? found.known.jid ?? id;
    if (kind === 'group') return { chat: chatId(id), name: shown, isNew: false, contact: null };
    return directTarget(tx, account, contactId(id), { name: shown, isNew: false });
  }
  if ('number' in found) {
    const alias = phoneAlias(found.number);
    const [contact] = alias === null ? [] : await resolveSightings(tx, account, [[alias]]);
    if (contact !== undefined)
      return directTarget(tx, account, contact, { name: found.name, isNew: true });
  }
  const name = toStorableText(found.name);
  await lockContactCreation(tx, account);
  return several ? newGroup(tx, account, name) : newPerson(tx, account, name);
}

async function directTarget(
  tx: Transaction,
  account: AccountId,
  contact: ContactId,
  shown: Pick<ImportTarget, 'name' | 'isNew'>,
): Promise<ImportTarget> {
  const { byContact } = await findOrMakeChats(tx, account, { contacts: [contact], groups: [] });
  const chat = byContact.get(contact);
  if (chat === undefined) throw new Error('a contact without a chat');
  return { ...shown, chat, contact };
}

async function newPerson(tx: Transaction, account: AccountId, name: string): Promise<ImportTarget> {
  const contact = contactId(randomUUID());
  await sql`INSERT INTO contacts (account_id, id, display_name) VALUES (${account}, ${contact}, ${name})`.execute(
    tx,
  );
  return directTarget(tx, account, contact, { name, isNew: true });
}

/** WhatsApp has no such address, so nothing can be sent to this group or received from it. */
async function newGroup(tx: Transaction, account: AccountId, name: string): Promise<ImportTarget> {
  const chat = chatId(randomUUID());
  await sql`INSERT INTO chats (account_id, id, kind, group_address, subject)
    VALUES (${account}, ${chat}, 'group', ${`${chat}@export`}, ${name})`.execute(tx);
  return { chat, name, isNew: true, contact: null };
}

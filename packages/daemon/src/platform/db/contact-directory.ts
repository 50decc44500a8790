// Finds contacts by a name, a number or an address. Names are compared here and not in SQL: core decides which names
// are the same (case, accents, spaces), and an account has thousands of them, not millions.
import type {
  ContactCounts,
  ContactDetail,
  ContactFilter,
  ContactQuery,
  ListedContact,
} from '@relay/contract/api/contacts';
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import {
  addressParts,
  chooseMatch,
  type Findable,
  type MatchChoice,
  type MatchRank,
  rankMatch,
} from '@relay/core/contacts/match';
import { readPhoneNumber } from '@relay/core/contacts/phone-number';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';
import { contactJid, newestAliasSql } from './grants.ts';
import { LEDGER_COLUMNS, type StoredLedgerRow, toLedgerLines } from './ledger-lines.ts';
import { IS_CLIENT_TOKEN_SQL, IS_VALID_TOKEN_SQL } from './tokens.ts';

export interface MatchedContact {
  readonly rank: MatchRank;
  readonly contact: ListedContact;
  /** Nothing matches but the name that the contact chose. */
  readonly byProfile: boolean;
}

interface ContactMatches {
  /** One page, best match first. */
  readonly matches: readonly MatchedContact[];
  readonly total: number;
  /** Contacts that the query may mean. For a whole number: only the contact that has it. */
  readonly likely: readonly MatchedContact[];
  readonly choice: MatchChoice<ListedContact>;
  /** The query as an international number in digits, if it is one. */
  readonly number: string | null;
}

type ContactKind = ContactQuery['kind'];
type ContactListQuery = Pick<ContactQuery, 'kind' | 'limit'> &
  Partial<Pick<ContactQuery, 'knocks' | 'show' | 'sort' | 'offset'>>;

/** A single letter matches half of all contacts; among this many the ones who wrote last are found. */
const MAX_RANKED = 1_000;

export async function matchContacts(
  db: Db,
  account: AccountId,
  { query, kind, limit, offset = 0, knocks, show }: ContactListQuery & { readonly query: string },
): Promise<ContactMatches> {
  const number = readPhoneNumber(query, await linkedNumber(db, account));
  const ranks = new Map<string, MatchOrder>();
  for (const person of await findCandidates(db, account, { query, number, kind })) {
    const sure =
      number !== null && person.addresses.includes(number) ? 0 : rankMatch(query, person);
    const rank = sure ?? rankMatch(query, { ...person, names: person.profile_names });
    if (rank !== null) ranks.set(person.id, { rank, byProfile: sure === null });
  }
  const ranked = [...ranks].sort(([, a], [, b]) => byOrder(a, b));
  const best = ranked.slice(0, MAX_RANKED).map(([id]) => id);
  const which = sql`id = ANY(${best}::uuid[]) AND ${messageRequestFilter(knocks)} AND ${isShown(show)}`;
  const { contacts: found } = await readDirectory(db, account, { which, limit: best.length });
  const all = found
    .flatMap((contact) => {
      const order = ranks.get(contact.id);
      return order === undefined ? [] : [{ ...order, contact }];
    })
    .sort(byOrder);
  const likely =
    number === null ? all : all.filter(({ rank, byProfile }) => rank === 0 && !byProfile);
  const choice = chooseMatch(likely.map(({ contact, ...match }) => ({ ...match, of: contact })));
  return { matches: all.slice(offset, offset + limit), total: all.length, likely, choice, number };
}

const MAX_CANDIDATES = 5;

/** The number distinguishes contacts with one name. */
export function ambiguousContactError(who: string, of: readonly ListedContact[]): RelayError {
  const shown = of.slice(0, MAX_CANDIDATES).map(({ name, phone_number: phone, jid }) => {
    const address = phone === null ? (jid ?? '') : `+${phone}`;
    return name === null ? address : `${name} (${address})`;
  });
  const candidates = [...shown, ...(of.length > MAX_CANDIDATES ? ['…'] : [])].join(', ');
  return new RelayError('contact_ambiguous', { who, candidates });
}

type MatchOrder = Omit<MatchedContact, 'contact'>;

const byOrder = (a: MatchOrder, b: MatchOrder): number =>
  a.rank - b.rank || Number(a.byProfile) - Number(b.byProfile);

/** Everyone who wrote or was written to, has a grant or sent a message request; whoever wrote last comes first. */
export const readContactPage = (
  db: Db,
  account: AccountId,
  { kind, knocks, show, ...page }: ContactListQuery,
): Promise<DirectoryPage> =>
  readDirectory(db, account, {
    which: sql`${ofKind(kind)} AND ${MET} AND ${messageRequestFilter(knocks)} AND ${isShown(show)}`,
    ...page,
  });

/** By the contact's id, or for a group by the chat's id. */
export async function findContact(
  db: Db,
  account: AccountId,
  id: string,
): Promise<ListedContact | null> {
  const { contacts } = await readDirectory(db, account, { which: sql`id = ${id}::uuid`, limit: 1 });
  return contacts[0] ?? null;
}

const messageRequestFilter = (knocks: ContactListQuery['knocks']): RawBuilder<unknown> =>
  knocks === 'only' ? sql`knocks IS NOT NULL` : sql`true`;

/** For a row of `everybody`, like the ones that follow. */
const MET = sql`(met OR conversation IS NOT NULL)`;
const READ = sql`coalesce(can_read, false)`;
const REPLY = sql`(${READ} AND can_reply)`;
const AUTO = sql`(${REPLY} AND reply_mode = 'auto')`;
const START = sql`coalesce(can_initiate, false)`;
const OPEN = sql`(${READ} OR coalesce(can_reply, false) OR ${START} OR conversation IS NOT NULL)`;

const SHOWN: Readonly<Record<ContactFilter, RawBuilder<unknown>>> = {
  all: sql`true`,
  open: OPEN,
  closed: sql`NOT ${OPEN}`,
  recorded: sql`"grant" IS NOT NULL`,
  read: READ,
  reply: REPLY,
  auto: AUTO,
  start: START,
  conversation: sql`conversation IS NOT NULL`,
};
const isShown = (show: ContactFilter = 'all'): RawBuilder<unknown> => SHOWN[show];

const ofKind = (kind: ContactKind): RawBuilder<unknown> =>
  kind === 'all' ? sql`true` : sql`kind = ${kind}`;

async function linkedNumber(db: Db, account: AccountId): Promise<string | null> {
  const { rows } = await sql<{ phone: string | null }>`
    SELECT phone FROM accounts WHERE id = ${account}`.execute(db);
  return rows[0]?.phone ?? null;
}

/** For `contacts p`: anybody but the linked number itself. */
const isSomebodyElse = (account: AccountId) => sql<boolean>`p.id NOT IN (
  SELECT s.contact_id FROM accounts o JOIN contact_aliases s ON s.account_id = o.id
    AND s.value = CASE s.kind WHEN 'phone' THEN o.phone ELSE o.lid END
  WHERE o.id = ${account})`;

interface Candidate extends Findable {
  /** Names that they chose. */
  readonly profile_names: readonly string[];
}

/** Everybody with a name, and those with an address that may contain the query. */
async function findCandidates(
  db: Db,
  account: AccountId,
  { query, number, kind }: { query: string; number: string | null; kind: ContactKind },
): Promise<Candidate[]> {
  const parts = [number, ...addressParts(query)].filter((part) => part !== null);
  const patterns = parts.map((part) => `%${part.replace(/[\\%_]/g, '\\$&')}%`);
  const { rows } = await sql<Candidate>`
    WITH addressed AS MATERIALIZED (
      SELECT contact_id AS id, array_agg(value || '@' || CASE kind WHEN 'phone' THEN 's.whatsapp.net' ELSE 'lid' END)
        || array_agg(value) AS addresses
      FROM contact_aliases WHERE account_id = ${account} AND value LIKE ANY(${patterns}) GROUP BY contact_id)
    SELECT * FROM (
      SELECT p.id, 'person' AS kind, array_remove(ARRAY[g.display_name, p.display_name], NULL) AS names,
        array_remove(ARRAY[p.push_name], NULL) AS profile_names, coalesce(a.addresses, '{}') AS addresses
      FROM contacts p LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
        LEFT JOIN addressed a ON a.id = p.id
      WHERE p.account_id = ${account} AND ${isSomebodyElse(account)}
        AND (coalesce(g.display_name, p.display_name, p.push_name) IS NOT NULL OR a.id IS NOT NULL
          OR p.id::text = ${query})
      UNION ALL
      SELECT c.id, 'group', array_remove(ARRAY[g.display_name, c.subject], NULL), '{}', ARRAY[c.group_address]
      FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
      WHERE c.account_id = ${account} AND c.kind = 'group'
    ) everybody WHERE ${ofKind(kind)}`.execute(db);
  return rows;
}

interface DirectoryRow {
  id: string;
  kind: ListedContact['kind'];
  name: string | null;
  phone: string | null;
  lid: string | null;
  group_address: string | null;
  grant: ListedContact['grant'];
  conversation: ListedContact['conversation'];
  last_message_at: Date | null;
  resting_until: Date | null;
  knocks: number | null;
  first_at: Date;
  last_at: Date;
  total: number;
}

/** For `grants g`. */
export const GRANT_SQL = sql`CASE WHEN g.id IS NOT NULL THEN json_build_object('id', g.id, 'can_read', g.can_read,
  'can_reply', g.can_reply, 'reply_mode', g.reply_mode, 'can_initiate', g.can_initiate) END`;

/** The single columns too, for counting and filtering. */
const GRANTED = sql`g.can_read, g.can_reply, g.reply_mode, g.can_initiate, ${GRANT_SQL} AS "grant"`;

/** For `contacts p`. */
const RESTING = sql`(SELECT s.resting_until FROM sessions s WHERE s.account_id = p.account_id
  AND s.kind = 'auto_reply' AND s.key = p.id::text AND s.resting_until > now())`;

/** The open conversation with the contact; conversations queued behind it do not count. */
const CONVERSATION = sql`(SELECT json_build_object('id', i.id, 'objective', i.objective, 'state', i.state)
  FROM instances i WHERE i.account_id = p.account_id AND i.contact_id = p.id
    AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED')
    AND i.previous_state IS DISTINCT FROM 'QUEUED')`;

const everybody = (account: AccountId): RawBuilder<unknown> => sql`(
  SELECT p.account_id, p.id, 'person' AS kind, coalesce(g.display_name, p.display_name, p.push_name) AS name,
    NULL AS group_address, ${GRANTED}, ${CONVERSATION} AS conversation, c.last_message_at, ${RESTING} AS resting_until,
    k.count AS knocks, k.first_at, k.last_at,
    g.id IS NOT NULL OR k.count IS NOT NULL OR c.last_message_at IS NOT NULL AS met
  FROM contacts p
    LEFT JOIN chats c ON c.account_id = p.account_id AND c.contact_id = p.id
    LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
    LEFT JOIN knocks k ON k.account_id = p.account_id AND k.contact_id = p.id AND k.dismissed_at IS NULL
  WHERE p.account_id = ${account} AND ${isSomebodyElse(account)}
  UNION ALL
  SELECT c.account_id, c.id, 'group', coalesce(g.display_name, c.subject), c.group_address, ${GRANTED},
    NULL, c.last_message_at, NULL, NULL, NULL, NULL, true
  FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
  WHERE c.account_id = ${account} AND c.kind = 'group'
) everybody`;

interface DirectoryQuery {
  readonly which: RawBuilder<unknown>;
  readonly limit: number;
  readonly sort?: ContactQuery['sort'] | undefined;
  readonly offset?: number | undefined;
}

interface DirectoryPage {
  readonly contacts: ListedContact[];
  readonly total: number;
}

const ORDERS = {
  recent: sql`last_message_at DESC NULLS LAST, lower(name), id`,
  name: sql`lower(name) NULLS LAST, id`,
} as const;

async function readDirectory(
  db: Db,
  account: AccountId,
  { which, limit, sort = 'recent', offset = 0 }: DirectoryQuery,
): Promise<DirectoryPage> {
  const { rows } = await sql<DirectoryRow>`
    SELECT d.*, ${newestAliasSql('phone', sql.ref('d'))} AS phone, ${newestAliasSql('lid', sql.ref('d'))} AS lid
    FROM (SELECT *, count(*) OVER ()::int AS total FROM ${everybody(account)} WHERE ${which}
      ORDER BY ${ORDERS[sort]} LIMIT ${limit} OFFSET ${offset}) d
    ORDER BY ${ORDERS[sort]}`.execute(db);
  return { contacts: rows.map(toListedContact), total: rows[0]?.total ?? 0 };
}

/** How many known contacts have which kind of grant. */
export async function countContacts(db: Db, account: AccountId): Promise<ContactCounts> {
  const rungs = (kind: ListedContact['kind']) =>
    sql`json_build_object(${sql.join(
      Object.entries({
        known: sql`true`,
        open: OPEN,
        read: READ,
        reply: REPLY,
        auto: AUTO,
        start: START,
      }).flatMap(([rung, is]) => [
        sql.lit(rung),
        sql`count(*) FILTER (WHERE kind = ${sql.lit(kind)} AND ${is})`,
      ]),
    )})`;
  const { rows } = await sql<ContactCounts>`
    SELECT ${rungs('person')} AS people, ${rungs('group')} AS groups,
      count(*) FILTER (WHERE conversation IS NOT NULL AND NOT (${READ} OR coalesce(can_reply, false) OR ${START}))::int
        AS in_conversations_only,
      count(*) FILTER (WHERE knocks IS NOT NULL)::int AS knocking
    FROM ${everybody(account)} WHERE ${MET}`.execute(db);
  const [counts] = rows;
  if (counts === undefined) throw new Error('a count without a row');
  return counts;
}

const toListedContact = (row: DirectoryRow): ListedContact => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  phone_number: row.phone,
  lid: row.lid,
  jid: row.group_address ?? contactJid(row),
  grant: row.grant,
  conversation: row.conversation,
  last_message_at: row.last_message_at?.toISOString() ?? null,
  resting_until: row.resting_until?.toISOString() ?? null,
  knocks:
    row.knocks === null
      ? null
      : {
          count: row.knocks,
          first_at: row.first_at.toISOString(),
          last_at: row.last_at.toISOString(),
        },
});

// The owner's view of one person or group: every address, their chats, conversations and clients, and recent decisions
// about them. Contains ids, names and sentences; never the text of a message.

const MAX_CONVERSATIONS = 10;
const MAX_LEDGER_LINES = 8;
/** A ledger row about a message names its chat only inside the row, so only the latest decisions are searched. */
const MAX_ROWS_SEARCHED = 2_000;

export async function readContactDetail(
  db: Db,
  account: AccountId,
  admins: readonly string[],
  id: string,
): Promise<ContactDetail | null> {
  const contact = await findContact(db, account, id);
  if (contact === null) return null;
  const { rows } = await sql<Omit<ContactDetail, 'contact' | 'ledger'>>`
    SELECT coalesce((SELECT push_name FROM contacts WHERE account_id = ${account} AND id = ${id}),
        (SELECT subject FROM chats WHERE account_id = ${account} AND id = ${id})) AS calls_itself,
      (SELECT options->>'photos' FROM grants
        WHERE account_id = ${account} AND (contact_id = ${id} OR chat_id = ${id})) AS photos,
      (SELECT coalesce(json_agg(a), '[]') FROM (
        SELECT kind, value, ${iso(sql`learnt_at`)} AS learnt_at FROM contact_aliases
          WHERE account_id = ${account} AND contact_id = ${id}
        UNION ALL SELECT 'group', group_address, ${iso(sql`created_at`)} FROM chats
          WHERE account_id = ${account} AND id = ${id} AND kind = 'group'
        ORDER BY kind DESC, learnt_at DESC) a) AS addresses,
      (SELECT coalesce(json_agg(c), '[]') FROM (
        SELECT c.id, c.kind, CASE c.kind WHEN 'group' THEN coalesce(g.display_name, c.subject) END AS name,
          ${iso(sql`c.last_message_at`)} AS last_message_at
        FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
        WHERE c.account_id = ${account} AND (c.contact_id = ${id} OR c.id = ${id} OR c.id IN (
          SELECT chat_id FROM chat_members WHERE account_id = ${account} AND contact_id = ${id}))
        ORDER BY c.kind, c.last_message_at DESC NULLS LAST LIMIT 20) c) AS chats,
      (SELECT coalesce(json_agg(i), '[]') FROM (
        SELECT id, objective, state, failure_reason, ${iso(sql`updated_at`)} AS updated_at FROM instances
        WHERE account_id = ${account} AND contact_id = ${id}
        ORDER BY queue_seq DESC LIMIT ${MAX_CONVERSATIONS}) i) AS conversations,
      (SELECT coalesce(json_agg(t), '[]') FROM (
        SELECT t.id, t.name, t.scopes, t.contacts IS NOT NULL AS by_name FROM tokens t
        WHERE t.account_id = ${account} AND ${IS_CLIENT_TOKEN_SQL} AND ${IS_VALID_TOKEN_SQL}
          AND (t.contacts IS NULL OR ${id}::uuid = ANY(t.contacts))
        ORDER BY t.name) t) AS tokens`.execute(db);
  const [found] = rows;
  if (found === undefined) return null;
  const chats = found.chats.filter(({ id: chat, kind }) => kind === 'direct' || chat === id);
  const about = [id, ...chats.map((chat) => chat.id)];
  return { contact, ...found, ledger: await readLatestDecisions(db, account, admins, about) };
}

const iso = (at: ReturnType<typeof sql>) =>
  sql`to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

async function readLatestDecisions(
  db: Db,
  account: AccountId,
  admins: readonly string[],
  about: readonly string[],
): Promise<ContactDetail['ledger']> {
  const { rows } = await sql<StoredLedgerRow>`
    SELECT * FROM (
      (SELECT ${LEDGER_COLUMNS} FROM ledger l WHERE l.account_id = ${account}
        AND l.subject_kind IN ('contact', 'chat') AND l.subject_id = ANY(${about}::text[])
        ORDER BY l.seq DESC LIMIT ${MAX_LEDGER_LINES})
      UNION
      (SELECT ${LEDGER_COLUMNS} FROM (SELECT * FROM ledger WHERE account_id = ${account}
          ORDER BY seq DESC LIMIT ${MAX_ROWS_SEARCHED}) l
        WHERE l.detail->>'chat' = ANY(${about}::text[]) OR l.detail->>'contact' = ANY(${about}::text[])
        ORDER BY l.seq DESC LIMIT ${MAX_LEDGER_LINES})) l
    ORDER BY l.seq DESC LIMIT ${MAX_LEDGER_LINES}`.execute(db);
  return toLedgerLines(db, account, admins, rows);
}

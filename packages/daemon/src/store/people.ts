// Whom Relay knows, found by a name, a number or an address. Names are compared here and not in SQL: what is
// the same name (case, accents, spaces) is core's to say, and an account has thousands of them, not millions.
import type {
  ContactCounts,
  ContactQuery,
  ContactsShown,
  ListedContact,
} from '@relay/core/api/contacts';
import { addressParts, type Findable, type Rank, rankOf } from '@relay/core/contacts/find';
import { readNumber } from '@relay/core/contacts/number';
import type { AccountId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from './database.ts';
import { jidOf, newestAlias } from './permissions.ts';

export interface MatchedContact {
  readonly rank: Rank;
  readonly of: ListedContact;
}

export interface Matches {
  /** One page of them, the best first. */
  readonly matches: readonly MatchedContact[];
  readonly total: number;
  /** Those that may be meant: by a whole number, nobody but who has it. */
  readonly meant: readonly MatchedContact[];
  /** The query as an international number in digits, if it is one. */
  readonly number: string | null;
}

type Kind = ContactQuery['kind'];
type Asked = Pick<ContactQuery, 'kind' | 'limit'> &
  Partial<Pick<ContactQuery, 'knocks' | 'show' | 'sort' | 'offset'>>;

/** A single letter fits half of everybody; who wrote last is told among so many of them. */
const MOST_LOOKED_AT = 1_000;

export async function matchPeople(
  db: Reader,
  account: AccountId,
  { query, kind, limit, offset = 0, knocks, show }: Asked & { readonly query: string },
): Promise<Matches> {
  const number = readNumber(query, await linkedNumber(db, account));
  const ranks = new Map<string, Rank>();
  for (const person of await candidates(db, account, { query, number, kind })) {
    const rank = number !== null && person.addresses.includes(number) ? 0 : rankOf(query, person);
    if (rank !== null) ranks.set(person.id, rank);
  }
  const ranked = [...ranks].sort(([, a], [, b]) => a - b);
  const best = ranked.slice(0, MOST_LOOKED_AT).map(([id]) => id);
  const which = sql`id = ANY(${best}::uuid[]) AND ${atTheDoor(knocks)} AND ${isShown(show)}`;
  const { contacts: found } = await describe(db, account, { which, limit: best.length });
  const all = found
    .map((of) => ({ rank: ranks.get(of.id) ?? 3, of }))
    .sort((a, b) => a.rank - b.rank);
  const meant = number === null ? all : all.filter(({ rank }) => rank === 0);
  return { matches: all.slice(offset, offset + limit), total: all.length, meant, number };
}

/** Who wrote or was written to, was granted something or knocked; whoever wrote last comes first. */
export const listPeople = (
  db: Reader,
  account: AccountId,
  { kind, knocks, show, ...page }: Asked,
): Promise<Described> =>
  describe(db, account, {
    which: sql`${ofKind(kind)} AND ${MET} AND ${atTheDoor(knocks)} AND ${isShown(show)}`,
    ...page,
  });

/** By the contact's id, or of a group by the chat's. */
export async function findPerson(
  db: Reader,
  account: AccountId,
  id: string,
): Promise<ListedContact | null> {
  const { contacts } = await describe(db, account, { which: sql`id = ${id}::uuid`, limit: 1 });
  return contacts[0] ?? null;
}

const atTheDoor = (knocks: Asked['knocks']): RawBuilder<unknown> =>
  knocks === 'only' ? sql`knocks IS NOT NULL` : sql`true`;

/** Of a row of `everybody`, as all that follow. */
const MET = sql`(met OR conversation IS NOT NULL)`;
const READ = sql`coalesce(can_read, false)`;
const REPLY = sql`(${READ} AND can_reply)`;
const AUTO = sql`(${REPLY} AND reply_mode = 'auto')`;
const START = sql`coalesce(can_initiate, false)`;
const OPEN = sql`(${READ} OR coalesce(can_reply, false) OR ${START} OR conversation IS NOT NULL)`;

const SHOWN: Readonly<Record<ContactsShown, RawBuilder<unknown>>> = {
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
const isShown = (show: ContactsShown = 'all'): RawBuilder<unknown> => SHOWN[show];

const ofKind = (kind: Kind): RawBuilder<unknown> =>
  kind === 'all' ? sql`true` : sql`kind = ${kind}`;

async function linkedNumber(db: Reader, account: AccountId): Promise<string | null> {
  const { rows } = await sql<{ phone: string | null }>`
    SELECT phone FROM accounts WHERE id = ${account}`.execute(db);
  return rows[0]?.phone ?? null;
}

/** Of `contacts p`: anybody but the linked number itself. */
const isSomebodyElse = (account: AccountId) => sql<boolean>`p.id NOT IN (
  SELECT s.contact_id FROM accounts o JOIN contact_aliases s ON s.account_id = o.id
    AND s.value = CASE s.kind WHEN 'phone' THEN o.phone ELSE o.lid END
  WHERE o.id = ${account})`;

/** Everybody with a name, and those with an address that the query may be a part of. */
async function candidates(
  db: Reader,
  account: AccountId,
  { query, number, kind }: { query: string; number: string | null; kind: Kind },
): Promise<Findable[]> {
  const parts = [number, ...addressParts(query)].filter((part) => part !== null);
  const patterns = parts.map((part) => `%${part.replace(/[\\%_]/g, '\\$&')}%`);
  const { rows } = await sql<Findable>`
    WITH addressed AS MATERIALIZED (
      SELECT contact_id AS id, array_agg(value || '@' || CASE kind WHEN 'phone' THEN 's.whatsapp.net' ELSE 'lid' END)
        || array_agg(value) AS addresses
      FROM contact_aliases WHERE account_id = ${account} AND value LIKE ANY(${patterns}) GROUP BY contact_id)
    SELECT * FROM (
      SELECT p.id, 'person' AS kind, array_remove(ARRAY[g.display_name, p.display_name, p.push_name], NULL) AS names,
        coalesce(a.addresses, '{}') AS addresses
      FROM contacts p LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
        LEFT JOIN addressed a ON a.id = p.id
      WHERE p.account_id = ${account} AND ${isSomebodyElse(account)}
        AND (coalesce(g.display_name, p.display_name, p.push_name) IS NOT NULL OR a.id IS NOT NULL
          OR p.id::text = ${query})
      UNION ALL
      SELECT c.id, 'group', array_remove(ARRAY[g.display_name, c.subject], NULL), ARRAY[c.group_address]
      FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
      WHERE c.account_id = ${account} AND c.kind = 'group'
    ) everybody WHERE ${ofKind(kind)}`.execute(db);
  return rows;
}

interface Row {
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

/** Of `grants g`. */
export const GRANT = sql`CASE WHEN g.id IS NOT NULL THEN json_build_object('id', g.id, 'can_read', g.can_read,
  'can_reply', g.can_reply, 'reply_mode', g.reply_mode, 'can_initiate', g.can_initiate) END`;

/** The parts too, to be counted and filtered by. */
const GRANTED = sql`g.can_read, g.can_reply, g.reply_mode, g.can_initiate, ${GRANT} AS "grant"`;

/** Of `contacts p`. */
const RESTING = sql`(SELECT s.resting_until FROM sessions s WHERE s.account_id = p.account_id
  AND s.kind = 'auto_reply' AND s.key = p.id::text AND s.resting_until > now())`;

/** The one that is open with somebody; those in line behind it open nothing yet. */
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

interface Which {
  readonly which: RawBuilder<unknown>;
  readonly limit: number;
  readonly sort?: ContactQuery['sort'] | undefined;
  readonly offset?: number | undefined;
}

interface Described {
  readonly contacts: ListedContact[];
  readonly total: number;
}

const ORDERS = {
  recent: sql`last_message_at DESC NULLS LAST, lower(name), id`,
  name: sql`lower(name) NULLS LAST, id`,
} as const;

async function describe(
  db: Reader,
  account: AccountId,
  { which, limit, sort = 'recent', offset = 0 }: Which,
): Promise<Described> {
  const { rows } = await sql<Row>`
    SELECT d.*, ${newestAlias('phone', sql.ref('d'))} AS phone, ${newestAlias('lid', sql.ref('d'))} AS lid
    FROM (SELECT *, count(*) OVER ()::int AS total FROM ${everybody(account)} WHERE ${which}
      ORDER BY ${ORDERS[sort]} LIMIT ${limit} OFFSET ${offset}) d
    ORDER BY ${ORDERS[sort]}`.execute(db);
  return { contacts: rows.map(toApi), total: rows[0]?.total ?? 0 };
}

/** How far it is open, for how many of those who were met. */
export async function countPeople(db: Reader, account: AccountId): Promise<ContactCounts> {
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

const toApi = (row: Row): ListedContact => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  phone_number: row.phone,
  lid: row.lid,
  jid: row.group_address ?? jidOf(row),
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

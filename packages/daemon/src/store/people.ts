// Whom Relay knows, found by a name, a number or an address. Names are compared here and not in SQL: what is
// the same name (case, accents, spaces) is core's to say, and an account has thousands of them, not millions.
import type { ContactQuery, ListedContact } from '@relay/core/api/contacts';
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
  /** The best first. */
  readonly matches: readonly MatchedContact[];
  /** Those that may be meant: by a whole number, nobody but who has it. */
  readonly meant: readonly MatchedContact[];
  /** The query as an international number in digits, if it is one. */
  readonly number: string | null;
}

type Kind = ContactQuery['kind'];
type Asked = Omit<ContactQuery, 'query'>;

/** A single letter fits half of everybody; who wrote last is told among so many of them. */
const MOST_LOOKED_AT = 1_000;

export async function matchPeople(
  db: Reader,
  account: AccountId,
  { query, kind, limit, knocks }: Asked & { readonly query: string },
): Promise<Matches> {
  const number = readNumber(query, await linkedNumber(db, account));
  const ranks = new Map<string, Rank>();
  for (const person of await candidates(db, account, { query, number, kind })) {
    const rank = number !== null && person.addresses.includes(number) ? 0 : rankOf(query, person);
    if (rank !== null) ranks.set(person.id, rank);
  }
  const ranked = [...ranks].sort(([, a], [, b]) => a - b);
  const best = ranked.slice(0, MOST_LOOKED_AT).map(([id]) => id);
  const which = sql`id = ANY(${best}::uuid[]) AND ${atTheDoor(knocks)}`;
  const found = await describe(db, account, which, best.length);
  const all = found
    .map((of) => ({ rank: ranks.get(of.id) ?? 3, of }))
    .sort((a, b) => a.rank - b.rank);
  const meant = number === null ? all : all.filter(({ rank }) => rank === 0);
  return { matches: all.slice(0, limit), meant, number };
}

/** Who wrote or was written to, was granted something or knocked; whoever wrote last comes first. */
export const listPeople = (
  db: Reader,
  account: AccountId,
  { kind, limit, knocks }: Asked,
): Promise<ListedContact[]> =>
  describe(db, account, sql`${ofKind(kind)} AND met AND ${atTheDoor(knocks)}`, limit);

const atTheDoor = (knocks: Asked['knocks']): RawBuilder<unknown> =>
  knocks === 'only' ? sql`knocks IS NOT NULL` : sql`true`;

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
  last_message_at: Date | null;
  resting_until: Date | null;
  knocks: number | null;
  first_at: Date;
  last_at: Date;
}

const GRANT = sql`CASE WHEN g.id IS NOT NULL THEN json_build_object('id', g.id, 'can_read', g.can_read,
  'can_reply', g.can_reply, 'reply_mode', g.reply_mode, 'can_initiate', g.can_initiate) END`;

/** Of `contacts p`. */
const RESTING = sql`(SELECT s.resting_until FROM sessions s WHERE s.account_id = p.account_id
  AND s.kind = 'auto_reply' AND s.key = p.id::text AND s.resting_until > now())`;

async function describe(
  db: Reader,
  account: AccountId,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<ListedContact[]> {
  const { rows } = await sql<Row>`
    SELECT d.*, ${newestAlias('phone', sql.ref('d'))} AS phone, ${newestAlias('lid', sql.ref('d'))} AS lid
    FROM (SELECT * FROM (
      SELECT p.account_id, p.id, 'person' AS kind, coalesce(g.display_name, p.display_name, p.push_name) AS name,
        NULL AS group_address, ${GRANT} AS "grant", c.last_message_at, ${RESTING} AS resting_until,
        k.count AS knocks, k.first_at, k.last_at,
        g.id IS NOT NULL OR k.count IS NOT NULL OR c.last_message_at IS NOT NULL AS met
      FROM contacts p
        LEFT JOIN chats c ON c.account_id = p.account_id AND c.contact_id = p.id
        LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
        LEFT JOIN knocks k ON k.account_id = p.account_id AND k.contact_id = p.id AND k.dismissed_at IS NULL
      WHERE p.account_id = ${account} AND ${isSomebodyElse(account)}
      UNION ALL
      SELECT c.account_id, c.id, 'group', coalesce(g.display_name, c.subject), c.group_address, ${GRANT},
        c.last_message_at, NULL, NULL, NULL, NULL, true
      FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
      WHERE c.account_id = ${account} AND c.kind = 'group'
    ) everybody WHERE ${which} ORDER BY last_message_at DESC NULLS LAST, lower(name), id LIMIT ${limit}) d
    ORDER BY d.last_message_at DESC NULLS LAST, lower(d.name), d.id`.execute(db);
  return rows.map(toApi);
}

const toApi = (row: Row): ListedContact => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  phone_number: row.phone,
  lid: row.lid,
  jid: row.group_address ?? jidOf(row),
  grant: row.grant,
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

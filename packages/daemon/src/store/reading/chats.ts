// The chats in which something was said, each with its last words and what is granted there; the newest first, a
// page at a time. One whose words were all forgotten stays in the list with nothing in it.
import type { Chat, ChatDetail, ChatsPage, ChatsQuery } from '@relay/core/api/chats';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import type { Place } from '@relay/core/ledger/story';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { peopleNamed, placesOf } from '../names.ts';
import { GRANT, matchPeople } from '../people.ts';
import { OUT, SAID, type SaidRow, sendersOf, toSaid } from './said.ts';

export interface Reading {
  readonly db: Reader;
  readonly account: AccountId;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
}

interface Row {
  id: ChatId;
  contact_id: ContactId | null;
  phone: string | null;
  grant: Chat['grant'];
  observed: boolean;
  last_message_at: Date | null;
  cursor: string;
  last: SaidRow | null;
}

const MOST_MATCHES = 1_000;
const LAST_WORDS = 160;

export async function listChats(
  reading: Reading,
  { q = '', limit, cursor }: ChatsQuery,
): Promise<ChatsPage> {
  const rows = await readChats(
    reading,
    sql`c.last_message_at IS NOT NULL AND ${await named(reading, q)} AND ${behind(cursor)}`,
    limit + 1,
  );
  const page = rows.slice(0, limit);
  return {
    chats: await toChats(reading, page),
    cursor: rows.length > limit ? (page.at(-1)?.cursor ?? null) : null,
  };
}

export async function oneChat(reading: Reading, id: ChatId): Promise<ChatDetail> {
  const [chat] = await toChats(reading, await readChats(reading, sql`c.id = ${id}`, 1));
  if (chat === undefined) throw new RelayError('chat_gone');
  return { ...chat, conversations: await conversationsIn(reading, id) };
}

/** Whose name or number fits; what fits is core's to say. */
async function named({ db, account }: Reading, q: string): Promise<RawBuilder<unknown>> {
  if (q === '') return sql`true`;
  const query = { query: q, kind: 'all', limit: MOST_MATCHES } as const;
  const { matches } = await matchPeople(db, account, query);
  const ids = matches.map(({ of }) => of.id);
  return sql`(c.contact_id = ANY(${ids}::uuid[]) OR (c.kind = 'group' AND c.id = ANY(${ids}::uuid[])))`;
}

function behind(cursor: string | undefined): RawBuilder<unknown> {
  if (cursor === undefined) return sql`true`;
  const [micros = '', id = ''] = cursor.split('_');
  const at = sql`'epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond'`;
  return sql`(c.last_message_at < ${at} OR (c.last_message_at = ${at} AND c.id > ${id}::uuid))`;
}

async function readChats(
  { db, account }: Reading,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    SELECT c.id, c.contact_id, c.last_message_at,
      (extract(epoch FROM c.last_message_at) * 1000000)::bigint || '_' || c.id AS cursor,
      ${GRANT} AS "grant", EXISTS (SELECT FROM observed_groups w
        WHERE w.account_id = c.account_id AND w.chat_id = c.id) AS observed,
      (SELECT s.value FROM contact_aliases s WHERE s.account_id = c.account_id AND s.contact_id = c.contact_id
        AND s.kind = 'phone' ORDER BY s.learnt_at DESC, s.value LIMIT 1) AS phone,
      (SELECT to_json(said) FROM (SELECT ${SAID} FROM (
          SELECT * FROM messages WHERE account_id = c.account_id AND chat_id = c.id
          ORDER BY sent_at DESC, id DESC LIMIT 1) m ${OUT}) said) AS last
    FROM (SELECT * FROM chats c WHERE c.account_id = ${account} AND ${which}
        ORDER BY c.last_message_at DESC NULLS LAST, c.id LIMIT ${limit}) c
      LEFT JOIN grants g ON g.account_id = c.account_id AND (g.contact_id = c.contact_id OR g.chat_id = c.id)
    ORDER BY c.last_message_at DESC NULLS LAST, c.id`.execute(db);
  return rows;
}

async function toChats({ db, account, admins }: Reading, rows: readonly Row[]): Promise<Chat[]> {
  const [places, names] = await Promise.all([
    placesOf(
      db,
      account,
      admins,
      rows.map(({ id }) => id),
    ),
    peopleNamed(db, account, sendersOf(rows.flatMap(({ last }) => last ?? []))),
  ]);
  return rows.map((row) => toChat(row, places.get(row.id), names));
}

function toChat(
  row: Row,
  place: Place = { kind: 'direct', name: 'somebody' },
  names: ReadonlyMap<ContactId, string>,
): Chat {
  const last = row.last === null ? null : toSaid(row.last, names);
  return {
    id: row.id,
    kind: place.kind,
    name: place.name,
    contact_id: row.contact_id,
    phone_number: row.phone,
    grant: row.grant,
    observed: row.observed,
    last_message_at: row.last_message_at?.toISOString() ?? null,
    last: last === null ? null : { ...last, text: last.text.slice(0, LAST_WORDS) },
  };
}

async function conversationsIn(
  { db, account }: Reading,
  chat: ChatId,
): Promise<ChatDetail['conversations']> {
  const rows = await db
    .selectFrom('instances')
    .select(['id', 'objective', 'state', 'failure_reason', 'updated_at'])
    .where('account_id', '=', account)
    .where('chat_id', '=', chat)
    .orderBy('queue_seq', 'desc')
    .limit(20)
    .execute();
  return rows.map((row) => ({ ...row, updated_at: row.updated_at.toISOString() }));
}

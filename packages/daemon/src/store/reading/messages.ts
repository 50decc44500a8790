// What was said in one chat, a page at a time by its key: the place is the time and number of a message, so a page
// costs the same at the end of a chat as a hundred thousand messages above it, and nothing shifts when others come.
import type { ChatMessage, ChatMessages, ChatMessagesQuery } from '@relay/core/api/chats';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ChatId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { peopleNamed } from '../names.ts';
import { OUT, SAID, type SaidRow, sendersOf, toSaid } from './said.ts';

interface Row extends SaidRow {
  at: Date;
  cursor: string;
  message_id: string;
  delivery: ChatMessage['delivery'];
  quoted: SaidRow | null;
}

interface Place {
  readonly micros: string;
  readonly id: string;
}

export async function chatMessages(
  db: Reader,
  account: AccountId,
  chat: ChatId,
  { before, after, message, limit }: ChatMessagesQuery,
): Promise<ChatMessages> {
  const page = (way: Way, place: Place | null, most: number) =>
    readPage(db, account, chat, { way, place, limit: most });
  if (message !== undefined) {
    const place = await placeOf(db, account, chat, message);
    const half = Math.ceil(limit / 2);
    const [up, down] = await Promise.all([
      page('before', place, half),
      page('from', place, limit - half + 1),
    ]);
    return { messages: [...up.messages, ...down.messages], older: up.more, newer: down.more };
  }
  if (after !== undefined) {
    const { messages, more } = await page('after', placeIn(after), limit);
    return { messages, older: true, newer: more };
  }
  const { messages, more } = await page('before', before ? placeIn(before) : null, limit);
  return { messages, older: more, newer: before !== undefined };
}

/** `from` begins with the place itself. */
type Way = 'before' | 'after' | 'from';

interface Asked {
  readonly way: Way;
  /** Null: from the end. */
  readonly place: Place | null;
  readonly limit: number;
}

async function readPage(db: Reader, account: AccountId, chat: ChatId, asked: Asked) {
  const { rows } = await sql<Row>`
    WITH page AS MATERIALIZED (${keys(account, chat, asked)})
    SELECT ${SAID}, m.sent_at AS at, ${CURSOR} AS cursor, m.message_id, o.state AS delivery,
      (${quoted(account)}) AS quoted
    FROM page JOIN messages m ON m.account_id = ${account} AND m.sent_at = page.sent_at AND m.id = page.id ${OUT}
    ORDER BY m.sent_at, m.id`.execute(db);
  const more = rows.length > asked.limit;
  // One more than was asked for says that there are more; it stands at the far end.
  const kept = !more ? rows : asked.way === 'before' ? rows.slice(1) : rows.slice(0, -1);
  const all = kept.flatMap((row) => (row.quoted === null ? [row] : [row, row.quoted]));
  const names = await peopleNamed(db, account, sendersOf(all));
  return { messages: kept.map((row) => toMessage(row, names)), more };
}

const CURSOR = sql<string>`(extract(epoch FROM m.sent_at) * 1000000)::bigint || '_' || m.id`;

const keys = (account: AccountId, chat: ChatId, { way, place, limit }: Asked) => {
  const order = way === 'before' ? sql`DESC` : sql`ASC`;
  return sql`SELECT sent_at, id FROM messages WHERE account_id = ${account} AND chat_id = ${chat} ${beyond(way, place)}
    ORDER BY sent_at ${order}, id ${order} LIMIT ${limit + 1}`;
};

const COMPARED = { before: sql`<`, after: sql`>`, from: sql`>=` };

const beyond = (way: Way, place: Place | null): RawBuilder<unknown> =>
  place === null
    ? sql``
    : sql`AND (sent_at, id) ${COMPARED[way]}
        ('epoch'::timestamptz + ${place.micros}::bigint * interval '1 microsecond', ${place.id}::bigint)`;

/** Of `messages m`: the one it names, as far as it is kept. */
const quoted = (account: AccountId) => sql`
  SELECT json_build_object('kind', q.kind, 'body', left(q.body, 300), 'media', q.media, 'details', q.details,
    'from_me', q.from_me, 'sender_id', q.sender_id, 'sender_name', q.sender_name, 'actor', null, 'program', null)
  FROM message_keys k JOIN messages q ON q.account_id = ${account} AND q.sent_at = k.sent_at AND q.id = k.id
  WHERE k.account_id = ${account} AND k.message_id = m.quoted_id AND k.chat_id = m.chat_id LIMIT 1`;

function placeIn(cursor: string): Place {
  const [micros = '', id = ''] = cursor.split('_');
  return { micros, id };
}

async function placeOf(
  db: Reader,
  account: AccountId,
  chat: ChatId,
  message: string,
): Promise<Place> {
  const { rows } = await sql<Place>`
    SELECT (extract(epoch FROM k.sent_at) * 1000000)::bigint::text AS micros, k.id::text AS id
    FROM message_keys k WHERE k.account_id = ${account} AND k.message_id = ${message} AND k.chat_id = ${chat}
    ORDER BY k.sent_at LIMIT 1`.execute(db);
  const [place] = rows;
  if (place === undefined) throw new RelayError('message_unknown', { id: message });
  return place;
}

function toMessage(row: Row, names: Parameters<typeof toSaid>[1]): ChatMessage {
  return {
    ...toSaid(row, names),
    cursor: row.cursor,
    message_id: row.message_id,
    at: row.at.toISOString(),
    edits: row.details?.edits === true,
    forwarded: row.details?.forwarded === true,
    quoted: row.quoted === null ? null : toSaid(row.quoted, names),
    delivery: row.delivery,
  };
}

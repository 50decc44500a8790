// Reads chats and messages for the owner. It only reads: nothing is marked as seen, no receipt is sent, and no agent
// can use it.

import type {
  Chat,
  ChatDetail,
  ChatMessage,
  ChatMessageAuthor,
  ChatMessages,
  ChatMessagesQuery,
  ChatReader,
  ChatsPage,
  ChatsQuery,
} from '@relay/contract/api/chats';
import { RelayError } from '@relay/contract/errors';
import { type AccountId, type ChatId, type ContactId, chatId } from '@relay/contract/ids';
import type { StoryChat } from '@relay/core/ledger/story';
import {
  type IncomingMedia,
  MARK_KINDS,
  type MessageDetails,
  toReadableMessage,
} from '@relay/core/messages/message';
import { type RawBuilder, sql } from 'kysely';
import { GRANT_SQL, matchContacts } from '../../platform/db/contact-directory.ts';
import type { Db } from '../../platform/db/database.ts';
import { type MediaRow, readMediaOf, toMediaBody } from '../../platform/db/media.ts';
import {
  CHAT_JID_SQL,
  loadChatNames,
  loadContactNames,
} from '../../platform/db/names-and-addresses.ts';

export function createChatReader(reading: ChatReaderDeps): ChatReader {
  return {
    list: (query) => listChats(reading, query),
    get: async (id) => readChatDetail(reading, parseChatId(id)),
    async messages(id, query) {
      const chat = parseChatId(id);
      const page = await chatMessages(reading.db, reading.account, chat, query);
      // An empty page is correct for a chat without stored messages, but not for a chat that does not exist.
      if (page.messages.length === 0) await readChatDetail(reading, chat);
      return page;
    },
  };
}

/** A string that is not an id is answered like an unknown chat. */
function parseChatId(id: string): ChatId {
  try {
    return chatId(id);
  } catch {
    throw new RelayError('chat_gone');
  }
}

// Lists the chats that have messages, with the last message and the grants of each, newest first, in pages. A chat
// whose messages were all deleted stays in the list without one.

interface ChatReaderDeps {
  readonly db: Db;
  readonly account: AccountId;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
}

interface ChatListRow {
  id: ChatId;
  contact_id: ContactId | null;
  phone: string | null;
  grant: Chat['grant'];
  observed: boolean;
  last_message_at: Date | null;
  cursor: string;
  last: MessageTextRow | null;
}

const MAX_NAME_MATCHES = 1_000;
const LAST_MESSAGE_LENGTH = 160;

async function listChats(
  reading: ChatReaderDeps,
  { q = '', limit, cursor }: ChatsQuery,
): Promise<ChatsPage> {
  const rows = await readChats(
    reading,
    sql`c.last_message_at IS NOT NULL AND ${await matchesName(reading, q)} AND ${afterCursor(cursor)}`,
    limit + 1,
  );
  const page = rows.slice(0, limit);
  return {
    chats: await toChats(reading, page),
    cursor: rows.length > limit ? (page.at(-1)?.cursor ?? null) : null,
  };
}

async function readChatDetail(reading: ChatReaderDeps, id: ChatId): Promise<ChatDetail> {
  const [chat] = await toChats(reading, await readChats(reading, sql`c.id = ${id}`, 1));
  if (chat === undefined) throw new RelayError('chat_gone');
  return {
    ...chat,
    conversations: await conversationsIn(reading, id),
    ...(await readComposerFacts(reading, id)),
  };
}

/** Matches names and numbers; `core` decides what matches. */
async function matchesName(
  { db, account }: ChatReaderDeps,
  q: string,
): Promise<RawBuilder<unknown>> {
  if (q === '') return sql`true`;
  const query = { query: q, kind: 'all', limit: MAX_NAME_MATCHES } as const;
  const { matches } = await matchContacts(db, account, query);
  const ids = matches.map(({ contact }) => contact.id);
  return sql`(c.contact_id = ANY(${ids}::uuid[]) OR (c.kind = 'group' AND c.id = ANY(${ids}::uuid[])))`;
}

function afterCursor(cursor: string | undefined): RawBuilder<unknown> {
  if (cursor === undefined) return sql`true`;
  const [micros = '', id = ''] = cursor.split('_');
  const at = sql`'epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond'`;
  return sql`(c.last_message_at < ${at} OR (c.last_message_at = ${at} AND c.id > ${id}::uuid))`;
}

async function readChats(
  { db, account }: ChatReaderDeps,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<readonly ChatListRow[]> {
  const { rows } = await sql<ChatListRow>`
    SELECT c.id, c.contact_id, c.last_message_at,
      (extract(epoch FROM c.last_message_at) * 1000000)::bigint || '_' || c.id AS cursor,
      ${GRANT_SQL} AS "grant", EXISTS (SELECT FROM observed_groups w
        WHERE w.account_id = c.account_id AND w.chat_id = c.id) AS observed,
      (SELECT s.value FROM contact_aliases s WHERE s.account_id = c.account_id AND s.contact_id = c.contact_id
        AND s.kind = 'phone' ORDER BY s.learnt_at DESC, s.value LIMIT 1) AS phone,
      (SELECT to_json(said) FROM (SELECT ${MESSAGE_TEXT_COLUMNS} FROM (
          SELECT * FROM messages WHERE account_id = c.account_id AND chat_id = c.id
          ORDER BY sent_at DESC, id DESC LIMIT 1) m ${OUTBOX_JOINS}) said) AS last
    FROM (SELECT * FROM chats c WHERE c.account_id = ${account} AND ${which}
        ORDER BY c.last_message_at DESC NULLS LAST, c.id LIMIT ${limit}) c
      LEFT JOIN grants g ON g.account_id = c.account_id AND (g.contact_id = c.contact_id OR g.chat_id = c.id)
    ORDER BY c.last_message_at DESC NULLS LAST, c.id`.execute(db);
  return rows;
}

async function toChats(
  { db, account, admins }: ChatReaderDeps,
  rows: readonly ChatListRow[],
): Promise<Chat[]> {
  const [places, names] = await Promise.all([
    loadChatNames(
      db,
      account,
      admins,
      rows.map(({ id }) => id),
    ),
    loadContactNames(db, account, sendersOf(rows.flatMap(({ last }) => last ?? []))),
  ]);
  return rows.map((row) => toChat(row, places.get(row.id), names));
}

function toChat(
  row: ChatListRow,
  place: StoryChat = { kind: 'direct', name: 'somebody' },
  names: ReadonlyMap<ContactId, string>,
): Chat {
  const last = row.last === null ? null : toReadableText(row.last, names);
  return {
    id: row.id,
    kind: place.kind,
    name: place.name,
    contact_id: row.contact_id,
    phone_number: row.phone,
    grant: row.grant,
    observed: row.observed,
    last_message_at: row.last_message_at?.toISOString() ?? null,
    last: last === null ? null : { ...last, text: last.text.slice(0, LAST_MESSAGE_LENGTH) },
  };
}

async function conversationsIn(
  { db, account }: ChatReaderDeps,
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

interface ComposerRow {
  address: string | null;
  suggests: boolean;
  suggestion: { readonly text: string; readonly at: string; readonly message_id: string } | null;
}

/** A suggestion is overtaken by any message after the one that it answers, and by any that waits to be sent. */
async function readComposerFacts(
  { db, account }: ChatReaderDeps,
  chat: ChatId,
): Promise<Pick<ChatDetail, 'address' | 'suggests' | 'suggestion'>> {
  const { rows } = await sql<ComposerRow>`
    SELECT ${CHAT_JID_SQL} AS address,
      EXISTS (SELECT FROM grants g WHERE g.account_id = c.account_id AND g.contact_id = c.contact_id
        AND g.can_read AND NOT g.can_reply AND (g.options->>'suggest')::boolean) AS suggests, (
      SELECT json_build_object('text', m.content, 'at', m.at, 'message_id', a.message_id)
      FROM sessions s
        JOIN session_messages m ON m.account_id = s.account_id AND m.session_id = s.id AND m.suggested
        JOIN session_messages a ON a.account_id = m.account_id AND a.session_id = m.session_id AND a.id = m.answers
      WHERE s.account_id = c.account_id AND s.kind = 'auto_reply' AND s.chat_id = c.id
        AND NOT EXISTS (SELECT FROM messages n WHERE n.account_id = c.account_id AND n.chat_id = c.id
          AND n.sent_at >= a.at AND n.message_id <> a.message_id AND n.kind <> ALL(${[...MARK_KINDS]}::text[]))
        AND NOT EXISTS (SELECT FROM outbox o WHERE o.account_id = c.account_id AND o.chat_id = c.id
          AND o.created_at > m.at AND o.state <> 'failed')
      ORDER BY m.id DESC LIMIT 1) AS suggestion
    FROM chats c WHERE c.account_id = ${account} AND c.id = ${chat}`.execute(db);
  const { address = null, suggests = false, suggestion = null } = rows[0] ?? {};
  return {
    address,
    suggests,
    suggestion: suggestion && { ...suggestion, at: new Date(suggestion.at).toISOString() },
  };
}

// Reads the messages of one chat in pages by key: a position is the time and number of a message. So a page costs the
// same at the end of a chat as 100,000 messages earlier, and new messages do not shift pages.

interface ChatMessageRow extends MessageTextRow {
  /** Its number; null for a message that is not sent yet. */
  id: number | null;
  at: Date;
  cursor: string;
  message_id: string;
  delivery: ChatMessage['delivery'];
  failure: string | null;
  quoted: MessageTextRow | null;
}

interface PagePosition {
  readonly micros: string;
  readonly id: string;
}

async function chatMessages(
  db: Db,
  account: AccountId,
  chat: ChatId,
  { before, after, message, limit }: ChatMessagesQuery,
): Promise<ChatMessages> {
  const page = (way: PageDirection, place: PagePosition | null, most: number) =>
    readPage(db, account, chat, { way, place, limit: most });
  if (message !== undefined) {
    const place = await findPosition(db, account, chat, message);
    const half = Math.ceil(limit / 2);
    const [up, down] = await Promise.all([
      page('before', place, half),
      page('from', place, limit - half + 1),
    ]);
    return { messages: [...up.messages, ...down.messages], older: up.more, newer: down.more };
  }
  if (after !== undefined) {
    const { messages, more } = await page('after', parsePosition(after), limit);
    return { messages, older: true, newer: more };
  }
  const { messages, more } = await page('before', before ? parsePosition(before) : null, limit);
  return { messages, older: more, newer: before !== undefined };
}

/** `from` includes the message at the position. */
type PageDirection = 'before' | 'after' | 'from';

interface PageQuery {
  readonly way: PageDirection;
  /** Null: from the end. */
  readonly place: PagePosition | null;
  readonly limit: number;
}

async function readPage(db: Db, account: AccountId, chat: ChatId, asked: PageQuery) {
  const { rows } = await sql<ChatMessageRow>`
    WITH page AS MATERIALIZED (${pageKeys(account, chat, asked)})
    SELECT ${MESSAGE_TEXT_COLUMNS}, m.id, m.sent_at AS at, ${CURSOR_SQL} AS cursor, m.message_id, o.state AS delivery,
      NULL AS failure, (${quotedMessageSql(account)}) AS quoted
    FROM page JOIN messages m ON m.account_id = ${account} AND m.sent_at = page.sent_at AND m.id = page.id ${OUTBOX_JOINS}
    ORDER BY m.sent_at, m.id`.execute(db);
  const more = rows.length > asked.limit;
  // One extra row shows that there are more; it is at the far end and is dropped.
  const stored = !more ? rows : asked.way === 'before' ? rows.slice(1) : rows.slice(0, -1);
  const beyond = asked.place === null ? null : placeTime(asked.place);
  const unsent = await readUnsent(
    db,
    account,
    chat,
    asked.way === 'before'
      ? { from: more ? (stored[0]?.at ?? null) : null, until: beyond }
      : { from: beyond, until: more ? (stored.at(-1)?.at ?? null) : null },
  );
  const kept =
    unsent.length === 0
      ? stored
      : [...stored, ...unsent].sort((a, b) => a.at.getTime() - b.at.getTime());
  const [media, marks] = await Promise.all([
    readMediaOf(
      db,
      account,
      stored.flatMap(({ id }) => id ?? []),
    ),
    readMarks(db, account, chat, stored),
  ]);
  const all = [...kept, ...kept.flatMap(({ quoted }) => quoted ?? []), ...marks];
  const names = await loadContactNames(db, account, sendersOf(all));
  const marksOf = Map.groupBy(marks, ({ target }) => target);
  return {
    messages: kept.map((row) =>
      toMessage(row, names, {
        media: row.id === null ? undefined : media.get(row.id),
        marks: (row.id !== null && marksOf.get(row.id)) || [],
      }),
    ),
    more,
  };
}

// Reactions, edits and deletions are shown with the message they belong to. Only its author edits or deletes it: an edit
// from another sender stays a line of its own, as does one of a message that is not stored.

interface MarkRow extends MessageTextRow {
  /** The number of the message it belongs to. */
  target: number;
}

/** The sender of a message as `message_keys` has it. */
const keySender = (row: RawBuilder<unknown>) =>
  sql`coalesce(${row}.sender_id::text, CASE WHEN ${row}.from_me THEN 'me' ELSE 'name:' || ${row}.sender_name END)`;

const IS_MARKING = (row: RawBuilder<unknown>) =>
  sql`${row}.quoted_id IS NOT NULL AND (${row}.kind IN ('reactionMessage', 'protocolMessage') OR ${row}.details ? 'edits')`;

/** For `messages m`: a line of its own, not shown with another message. Null without details, so `NOT` would drop it. */
const IS_LINE = sql`(${IS_MARKING(sql`m`)} AND EXISTS (SELECT FROM message_keys t
  WHERE t.account_id = m.account_id AND t.chat_id = m.chat_id AND t.message_id = m.quoted_id
    AND (m.kind = 'reactionMessage' OR t.sender = ${keySender(sql`m`)}))) IS NOT TRUE`;

async function readMarks(
  db: Db,
  account: AccountId,
  chat: ChatId,
  rows: readonly ChatMessageRow[],
): Promise<readonly MarkRow[]> {
  const ids = rows.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return [];
  const { rows: marks } = await sql<MarkRow>`
    SELECT ${MESSAGE_TEXT_COLUMNS}, t.id AS target
    FROM message_keys t JOIN messages m ON m.account_id = ${account} AND m.chat_id = ${chat}
        AND m.quoted_id = t.message_id AND ${IS_MARKING(sql`m`)}
        AND (m.kind = 'reactionMessage' OR t.sender = ${keySender(sql`m`)}) ${OUTBOX_JOINS}
    WHERE t.account_id = ${account} AND t.chat_id = ${chat} AND t.id = ANY(${ids}::bigint[])
      AND t.message_id = ANY(${rows.map(({ message_id }) => message_id)}::text[])
    ORDER BY m.sent_at, m.id`.execute(db);
  return marks;
}

/** Messages of Relay that WhatsApp has not accepted, and the owner's own that failed, at the time of their request. */
async function readUnsent(
  db: Db,
  account: AccountId,
  chat: ChatId,
  { from, until }: { readonly from: Date | null; readonly until: Date | null },
): Promise<ChatMessageRow[]> {
  const { rows } = await sql<ChatMessageRow>`
    SELECT 'conversation' AS kind, NULL AS id, o.body, NULL AS media, NULL AS details, true AS from_me, NULL AS sender_id,
      NULL AS sender_name, permit.actor, token.name AS program, o.created_at AS at,
      (extract(epoch FROM o.created_at) * 1000000)::bigint || '_' || o.seq AS cursor, o.message_id,
      o.state AS delivery, o.failure, (SELECT json_build_object('kind', q.kind, 'body', left(q.body, 300),
        'media', q.media, 'details', q.details, 'from_me', q.from_me, 'sender_id', q.sender_id,
        'sender_name', q.sender_name, 'actor', null, 'program', null)
      FROM message_keys k JOIN messages q ON q.account_id = k.account_id AND q.sent_at = k.sent_at AND q.id = k.id
      WHERE k.account_id = o.account_id AND k.message_id = o.quotes AND k.chat_id = o.chat_id LIMIT 1) AS quoted
    FROM outbox o JOIN permits permit ON permit.account_id = o.account_id AND permit.id = o.permit_id
      LEFT JOIN tokens token ON token.account_id = permit.account_id AND permit.actor = 'token:' || token.id
    WHERE o.account_id = ${account} AND o.chat_id = ${chat}
      AND (o.state IN ('pending', 'unknown') OR (o.state = 'failed' AND permit.actor = 'owner'))
      AND o.created_at >= coalesce(${from}::timestamptz, '-infinity')
      AND o.created_at < coalesce(${until}::timestamptz, 'infinity')
      AND NOT EXISTS (SELECT FROM message_keys s
        WHERE s.account_id = o.account_id AND s.message_id = o.message_id AND s.chat_id = o.chat_id)
    ORDER BY o.seq DESC LIMIT ${MAX_UNSENT}`.execute(db);
  return rows.reverse();
}

const MAX_UNSENT = 200;

const placeTime = ({ micros }: PagePosition): Date => new Date(Math.floor(Number(micros) / 1_000));

const CURSOR_SQL = sql<string>`(extract(epoch FROM m.sent_at) * 1000000)::bigint || '_' || m.id`;

const pageKeys = (account: AccountId, chat: ChatId, { way, place, limit }: PageQuery) => {
  const order = way === 'before' ? sql`DESC` : sql`ASC`;
  return sql`SELECT sent_at, id FROM messages m
    WHERE account_id = ${account} AND chat_id = ${chat} ${beyondPosition(way, place)} AND ${IS_LINE}
    ORDER BY sent_at ${order}, id ${order} LIMIT ${limit + 1}`;
};

const COMPARISONS = { before: sql`<`, after: sql`>`, from: sql`>=` };

const beyondPosition = (way: PageDirection, place: PagePosition | null): RawBuilder<unknown> =>
  place === null
    ? sql``
    : sql`AND (sent_at, id) ${COMPARISONS[way]}
        ('epoch'::timestamptz + ${place.micros}::bigint * interval '1 microsecond', ${place.id}::bigint)`;

/** For `messages m`: the quoted message, as far as it is stored. */
const quotedMessageSql = (account: AccountId) => sql`
  SELECT json_build_object('kind', q.kind, 'body', left(q.body, 300), 'media', q.media, 'details', q.details,
    'from_me', q.from_me, 'sender_id', q.sender_id, 'sender_name', q.sender_name, 'actor', null, 'program', null)
  FROM message_keys k JOIN messages q ON q.account_id = ${account} AND q.sent_at = k.sent_at AND q.id = k.id
  WHERE k.account_id = ${account} AND k.message_id = m.quoted_id AND k.chat_id = m.chat_id LIMIT 1`;

function parsePosition(cursor: string): PagePosition {
  const [micros = '', id = ''] = cursor.split('_');
  return { micros, id };
}

async function findPosition(
  db: Db,
  account: AccountId,
  chat: ChatId,
  message: string,
): Promise<PagePosition> {
  const { rows } = await sql<PagePosition>`
    SELECT (extract(epoch FROM k.sent_at) * 1000000)::bigint::text AS micros, k.id::text AS id
    FROM message_keys k WHERE k.account_id = ${account} AND k.message_id = ${message} AND k.chat_id = ${chat}
    ORDER BY k.sent_at LIMIT 1`.execute(db);
  const [place] = rows;
  if (place === undefined) throw new RelayError('message_unknown', { id: message });
  return place;
}

interface BelongingToMessage {
  readonly media: MediaRow | undefined;
  /** Oldest first. */
  readonly marks: readonly MarkRow[];
}

function toMessage(
  row: ChatMessageRow,
  names: Names,
  { media, marks }: BelongingToMessage,
): ChatMessage {
  const edit = marks.findLast(({ details }) => details?.edits === true);
  const deleted = marks.some(({ kind }) => kind === 'protocolMessage');
  const { text, ...said } = toReadableText(row, names);
  return {
    ...said,
    text: deleted ? '' : edit === undefined ? text : toReadableText(edit, names).text,
    cursor: row.cursor,
    message_id: row.message_id,
    at: row.at.toISOString(),
    edits: row.details?.edits === true,
    forwarded: row.details?.forwarded === true,
    quoted: row.quoted === null ? null : toReadableText(row.quoted, names),
    media: deleted || media === undefined ? null : toMediaBody(media),
    content: deleted ? null : (row.details?.content ?? null),
    reactions: deleted ? [] : newestReactions(marks, names),
    edited: edit !== undefined,
    deleted,
    delivery: row.delivery,
    ...(row.failure === null ? {} : { failure: row.failure }),
  };
}

/** The newest of each person; an empty one takes it back. */
function newestReactions(marks: readonly MarkRow[], names: Names): ChatMessage['reactions'] {
  const newest = new Map<string, ChatMessage['reactions'][number]>();
  for (const mark of marks) {
    if (mark.kind !== 'reactionMessage') continue;
    const whose = mark.from_me ? 'me' : (mark.sender_id ?? `name:${mark.sender_name}`);
    const { author, name } = toReadableText(mark, names);
    newest.delete(whose);
    const emoji = mark.details?.words ?? '';
    if (emoji !== '') newest.set(whose, { emoji, author, name });
  }
  return [...newest.values()];
}

// Formats a stored message for the owner: author, name and text. The columns are of `messages m`; the author of a sent
// message is the actor of its permit.

type ReadableText = Pick<ChatMessage, 'author' | 'name' | 'label' | 'text'>;

interface MessageTextRow {
  kind: string;
  body: string;
  media: IncomingMedia | null;
  details: MessageDetails | null;
  from_me: boolean;
  sender_id: ContactId | null;
  sender_name: string | null;
  /** The actor of the permit; null for a message that Relay did not send. */
  actor: string | null;
  program: string | null;
}

/** For `messages m` with `OUTBOX_JOINS`. */
const MESSAGE_TEXT_COLUMNS = sql`m.kind, m.body, m.media, m.details, m.from_me, m.sender_id, m.sender_name,
  permit.actor, token.name AS program`;

/** For `messages m` that Relay sent: the outbox row, the permit's actor, and the name if it is a client. */
const OUTBOX_JOINS = sql`
  LEFT JOIN outbox o ON o.account_id = m.account_id AND o.message_id = m.message_id AND m.from_me
  LEFT JOIN permits permit ON permit.account_id = o.account_id AND permit.id = o.permit_id
  LEFT JOIN tokens token ON token.account_id = permit.account_id AND permit.actor = 'token:' || token.id`;

const AUTHOR_OF_ACTOR: Readonly<Record<string, ChatMessageAuthor>> = {
  owner: 'owner',
  conversation: 'conversation',
  auto_reply: 'auto_reply',
  observer: 'auto_reply',
  assistant: 'assistant',
  token: 'program',
  scheduler: 'schedule',
  notifier: 'relay',
};

type Names = ReadonlyMap<ContactId, string>;

function toReadableText(row: MessageTextRow, names: Names): ReadableText {
  const author = authorOf(row);
  const person = row.sender_id === null ? undefined : names.get(row.sender_id);
  const named = author === 'contact' ? (person ?? row.sender_name ?? 'somebody') : row.program;
  return { author, name: named, ...toReadableMessage(row) };
}

function authorOf({ from_me, actor }: MessageTextRow): ChatMessageAuthor {
  if (!from_me) return 'contact';
  return AUTHOR_OF_ACTOR[actor?.split(':', 1)[0] ?? ''] ?? 'phone';
}

const sendersOf = (rows: readonly Pick<MessageTextRow, 'sender_id'>[]): ContactId[] =>
  rows.flatMap(({ sender_id }) => (sender_id === null ? [] : [sender_id]));

// The messages of a group as the observer reads them, with what the noise filter said of each. Names are as
// the owner knows people; who is the owner and who the assistant is told by the rows, never by a name.
import { estimateTokens } from '@relay/core/agent/tokens';
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import type { MessageDetails } from '@relay/core/messages/message';
import type { GroupMessage } from '@relay/core/observer/message';
import { tellApart } from '@relay/core/observer/names';
import type { Category, Verdict } from '@relay/core/observer/verdict';
import { groupReading } from '@relay/core/observer/words';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { ownContacts } from '../own.ts';

/** Whose groups, and which numbers besides the linked one are the owner's, in digits. */
export interface GroupReader {
  readonly account: AccountId;
  readonly admins: readonly string[];
}

export interface ReadMessage {
  /** Its own in `messages`, where the id is only its sender's. */
  readonly number: number;
  readonly message: GroupMessage;
  /** Of a deletion or an edit: the number of the message that is gone. */
  readonly replaces: number | null;
  /**
   * Null when nobody judged it: it is from before the group was observed, or gone again. What Relay sent
   * there was meant for the group, so it is content.
   */
  readonly verdict: (Verdict & { readonly tokens: number }) | null;
}

export interface Period {
  readonly chat: ChatId;
  readonly from: Date;
  /** Not included. */
  readonly to: Date;
  /** The last so many of them. */
  readonly limit?: number;
}

/**
 * Others choose how long a message is. Of a long one both ends are read: there people say what it is about and whom they
 * call. Of noise the beginning is enough.
 */
const LONGEST_END = 8_000;
const LONGEST_NOISE = 2_000;
/** Of a whole period the newest are read, up to this many bytes: far more than any model is shown of it. */
const MOST_BYTES = 1_000_000;
const LONGEST_NOISE_IN_PERIOD = 200;

const readBytes = sql`least(octet_length(m.body),
  CASE WHEN v.noise THEN ${LONGEST_NOISE_IN_PERIOD}::int ELSE ${2 * LONGEST_END}::int END)`;

const bodyUpTo = (noise: number) => sql<string>`CASE WHEN v.noise THEN left(m.body, ${noise}::int)
  WHEN length(m.body) <= ${2 * LONGEST_END}::int THEN m.body
  ELSE left(m.body, ${LONGEST_END}::int) || ' … ' || right(m.body, ${LONGEST_END}::int) END`;

/** Oldest first, as are all of these. */
export const messagesBetween = (
  db: Reader,
  reader: GroupReader,
  { chat, from, to, limit }: Period,
): Promise<ReadMessage[]> =>
  read(
    db,
    reader,
    sql`SELECT sent_at, id FROM (
        SELECT m.sent_at, m.id, sum(${readBytes}) OVER (ORDER BY m.sent_at DESC, m.id DESC) AS bytes
        FROM messages m LEFT JOIN observed_messages v
          ON v.account_id = m.account_id AND v.chat_id = m.chat_id AND v.message = m.id
        WHERE m.account_id = ${reader.account} AND m.chat_id = ${chat}
          AND m.sent_at >= ${from} AND m.sent_at < ${to}
        ORDER BY m.sent_at DESC, m.id DESC LIMIT ${limit ?? null}) newest
      WHERE bytes <= ${MOST_BYTES}`,
    LONGEST_NOISE_IN_PERIOD,
  );

/** Where a message stands. */
export interface Place {
  readonly chat: ChatId;
  readonly number: number;
  readonly sentAt: Date;
}

/** The last `count` before it. */
export const messagesBefore = (
  db: Reader,
  reader: GroupReader,
  { chat, number, sentAt }: Place,
  count: number,
): Promise<ReadMessage[]> =>
  read(
    db,
    reader,
    sql`SELECT sent_at, id FROM messages WHERE account_id = ${reader.account} AND chat_id = ${chat}
      AND (sent_at, id) < (${sentAt}::timestamptz, ${number}::bigint)
      ORDER BY sent_at DESC, id DESC LIMIT ${count}`,
  );

/** Null when it is gone. */
export async function messageAt(
  db: Reader,
  reader: GroupReader,
  { chat, number, sentAt }: Place,
): Promise<ReadMessage | null> {
  const found = await read(
    db,
    reader,
    sql`SELECT sent_at, id FROM messages WHERE account_id = ${reader.account} AND chat_id = ${chat}
      AND sent_at = ${sentAt} AND id = ${number}`,
  );
  return found[0] ?? null;
}

/** By the id it has as a message of the group. */
export async function messageNamed(
  db: Reader,
  reader: GroupReader,
  chat: ChatId,
  id: string,
): Promise<ReadMessage | null> {
  const found = await read(
    db,
    reader,
    sql`SELECT sent_at, id FROM message_keys WHERE account_id = ${reader.account} AND chat_id = ${chat}
      AND message_id = ${id} ORDER BY id LIMIT 1`,
  );
  return found[0] ?? null;
}

interface Row {
  number: number;
  id: string;
  sent_at: Date;
  kind: string;
  body: string;
  quoted_id: string | null;
  replaced: string | null;
  replaced_number: number | null;
  details: MessageDetails | null;
  sender_id: ContactId | null;
  author: 'owner' | 'assistant' | 'member';
  relay: boolean;
  /** Only of those who have no contact. */
  sender_name: string | null;
  name: string | null;
  address: string | null;
  owner_name: string | null;
  category: Category | null;
  noise: boolean;
  tokens: number;
}

/** Who permitted a message that Relay sent: what the owner sent with it is the owner's. */
const SENT_BY = sql`(SELECT p.actor FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
  WHERE o.account_id = m.account_id AND o.message_id = m.message_id)`;

const BY_RELAY = sql`(m.source = 'relay' OR ${SENT_BY} IS NOT NULL)`;

const ADDRESS = sql`(SELECT CASE s.kind WHEN 'phone' THEN '+' || s.value ELSE s.value || '@lid' END
  FROM contact_aliases s WHERE s.account_id = p.account_id AND s.contact_id = p.id
  ORDER BY s.kind DESC, s.learnt_at DESC, s.value LIMIT 1)`;

/**
 * Senders choose their ids, so a second message of the same id gets another: nobody's words are hidden
 * behind those of somebody else.
 */
const idOf = (of: RawBuilder<unknown>) => sql<string>`CASE WHEN EXISTS (SELECT FROM message_keys e
    WHERE e.account_id = ${of}.account_id AND e.chat_id = ${of}.chat_id AND e.message_id = ${of}.message_id
      AND e.id < ${of}.id)
  THEN ${of}.message_id || '#' || ${of}.id ELSE ${of}.message_id END`;

const BY_THE_SAME = sql`k.sender = coalesce(m.sender_id::text,
  CASE WHEN m.sender_name IS NULL THEN 'me' ELSE 'name:' || m.sender_name END)`;

/** Only its sender changes a message; the owner and the group's admins may take one away. */
const REPLACED = sql`LATERAL (SELECT k.account_id, k.chat_id, k.message_id, k.id FROM message_keys k
  WHERE k.account_id = m.account_id AND k.chat_id = m.chat_id AND k.message_id = m.quoted_id AND k.id <> m.id
    AND (m.kind = 'protocolMessage' OR m.details ? 'edits')
    AND (${BY_THE_SAME} OR (m.kind = 'protocolMessage' AND (m.from_me OR EXISTS (SELECT FROM chat_members a
      WHERE a.account_id = m.account_id AND a.chat_id = m.chat_id AND a.contact_id = m.sender_id AND a.role = 'admin'))))
  ORDER BY ${BY_THE_SAME} DESC, k.id LIMIT 1)`;

interface MemberRow {
  id: ContactId;
  name: string | null;
  address: string | null;
  role: 'member' | 'admin';
  owner_name: string;
}

/** Who took part of late counts too: members may not be known yet. */
const OF_LATE = 500;
const MOST_MEMBERS = 1_000;

/** Who is in a group besides the owner, by the names their messages have; those without a name are only counted. */
export async function membersOf(
  db: Reader,
  { account, admins }: GroupReader,
  chat: ChatId,
): Promise<readonly string[]> {
  const { rows } = await sql<MemberRow>`
    WITH own AS MATERIALIZED (${ownContacts(account, admins)}), ${ownerNamed(account)},
      ids AS (SELECT contact_id AS id FROM chat_members WHERE account_id = ${account} AND chat_id = ${chat}
        UNION (SELECT sender_id FROM (SELECT sender_id FROM messages
          WHERE account_id = ${account} AND chat_id = ${chat}
          ORDER BY sent_at DESC, id DESC LIMIT ${OF_LATE}) late WHERE sender_id IS NOT NULL))
    SELECT p.id, coalesce(g.display_name, p.display_name, p.push_name) AS name, ${ADDRESS} AS address,
      coalesce(m.role, 'member') AS role, coalesce(${ownerName(account)}, 'Owner') AS owner_name
    FROM ids JOIN contacts p ON p.account_id = ${account} AND p.id = ids.id
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
      LEFT JOIN chat_members m ON m.account_id = p.account_id AND m.chat_id = ${chat} AND m.contact_id = p.id
    WHERE p.id NOT IN (SELECT contact_id FROM own)
    ORDER BY name, p.id LIMIT ${MOST_MEMBERS}`.execute(db);
  const named = rows.flatMap(({ name, ...row }) => (name === null ? [] : { ...row, name }));
  const names = tellApart(
    named.map(({ id, name, address }) => ({ sender: id, name, address })),
    new Map([
      ['owner', rows[0]?.owner_name ?? 'Owner'],
      ['assistant', 'Assistant'],
    ]),
  );
  const unnamed = rows.length - named.length;
  return [
    ...named.map(({ id, role }) => `${names.get(id)}${role === 'admin' ? ' (admin)' : ''}`),
    ...(unnamed === 0 ? [] : [`${unnamed} whose name is not known`]),
  ];
}

/** The owner as a row with their name, over the contacts in `own`. */
const ownerNamed = (account: AccountId) => sql`owner AS (
  SELECT coalesce(display_name, push_name) AS name FROM contacts
  WHERE account_id = ${account} AND id IN (SELECT contact_id FROM own)
    AND coalesce(display_name, push_name) IS NOT NULL ORDER BY display_name IS NULL, id LIMIT 1)`;

const ownerName = (account: AccountId) => sql<string | null>`coalesce((SELECT name FROM owner),
  (SELECT nullif(label, 'me') FROM accounts WHERE id = ${account}))`;

async function read(
  db: Reader,
  { account, admins }: GroupReader,
  keys: RawBuilder<unknown>,
  noise = LONGEST_NOISE,
): Promise<ReadMessage[]> {
  const { rows } = await sql<Row>`
    WITH picked AS MATERIALIZED (${keys}), own AS MATERIALIZED (${ownContacts(account, admins)}),
      ${ownerNamed(account)}
    SELECT m.id AS number, ${idOf(sql.ref('m'))} AS id, m.sent_at, ${idOf(sql.ref('r'))} AS replaced, r.id AS replaced_number, m.kind, ${bodyUpTo(noise)} AS body, m.quoted_id, m.details, m.sender_id,
      -- Of what only a name tells who wrote it, nobody can prove that it is the owner.
      CASE WHEN NOT m.from_me THEN CASE WHEN m.source = 'whatsapp' AND m.sender_id IN (SELECT contact_id FROM own)
          THEN 'owner' ELSE 'member' END
        WHEN ${BY_RELAY} THEN CASE ${SENT_BY} WHEN 'owner' THEN 'owner' ELSE 'assistant' END
        ELSE 'owner' END AS author,
      m.from_me AND ${BY_RELAY} AS relay,
      m.sender_name, coalesce(g.display_name, p.display_name, p.push_name, m.sender_name) AS name,
      ${ADDRESS} AS address, ${ownerName(account)} AS owner_name,
      v.category, v.noise, v.tokens
    FROM picked JOIN messages m ON m.account_id = ${account} AND m.sent_at = picked.sent_at AND m.id = picked.id
      LEFT JOIN ${REPLACED} r ON true
      LEFT JOIN contacts p ON p.account_id = m.account_id AND p.id = m.sender_id
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
      LEFT JOIN observed_messages v ON v.account_id = m.account_id AND v.chat_id = m.chat_id AND v.message = m.id
    ORDER BY m.sent_at, m.id`.execute(db);
  const names = namesOf(rows);
  return rows.map((row) => {
    const message = toMessage(row, names);
    const verdict = verdictOf(row, message);
    return { number: row.number, message, replaces: row.replaced_number, verdict };
  });
}

function verdictOf(
  { category, noise, tokens, relay }: Row,
  { text }: GroupMessage,
): ReadMessage['verdict'] {
  if (category !== null) return { category, noise, tokens };
  return relay ? { category: 'content', noise: false, tokens: estimateTokens(text) } : null;
}

const senderOf = ({ author, sender_id, sender_name }: Row): string =>
  author === 'member' ? (sender_id ?? `name:${sender_name ?? ''}`) : author;

const namesOf = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  tellApart(
    rows.map((row) => ({
      sender: senderOf(row),
      name: row.name ?? row.address ?? 'Somebody',
      address: row.address,
    })),
    new Map([
      ['owner', rows[0]?.owner_name ?? 'Owner'],
      ['assistant', 'Assistant'],
    ]),
  );

function toMessage(row: Row, names: ReadonlyMap<string, string>): GroupMessage {
  const { details, quoted_id: about } = row;
  const { kind, text } = groupReading(row);
  const sender = senderOf(row);
  const changes = kind === 'deleted' || details?.edits === true;
  return {
    id: row.id,
    at: row.sent_at,
    sender,
    senderName: names.get(sender) ?? 'Somebody',
    fromOwner: row.author === 'owner',
    fromAssistant: row.author === 'assistant',
    kind,
    text,
    quotedId: changes || kind === 'reaction' ? null : about,
    forwarded: details?.forwarded === true,
    reactionTo: kind === 'reaction' ? about : null,
    replaces: row.replaced,
    mentions: details?.mentions ?? [],
  };
}

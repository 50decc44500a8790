// The messages of a group as the observer reads them, with what the noise filter said of each. Names are as
// the owner knows people; who is the owner and who the assistant is told by the rows, never by a name.
import type { AccountId, ChatId, ContactId, MessageId } from '@relay/core/ids';
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
  /** Null when nobody judged it: from before the group was observed, sent by Relay, or gone again. */
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

/** Oldest first, as are all of these. */
export const messagesBetween = (
  db: Reader,
  reader: GroupReader,
  { chat, from, to, limit }: Period,
): Promise<ReadMessage[]> =>
  read(
    db,
    reader,
    sql`SELECT sent_at, id FROM messages WHERE account_id = ${reader.account} AND chat_id = ${chat}
      AND sent_at >= ${from} AND sent_at < ${to}
      ORDER BY sent_at DESC, id DESC LIMIT ${limit ?? null}`,
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

/** The newest that WhatsApp knows by this id; senders choose their ids, so there may be several. */
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
      AND message_id = ${id}`,
  );
  return found.at(-1) ?? null;
}

interface Row {
  number: number;
  message_id: MessageId;
  sent_at: Date;
  kind: string;
  body: string;
  quoted_id: string | null;
  details: MessageDetails | null;
  sender_id: ContactId | null;
  author: 'owner' | 'assistant' | 'member';
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

const ADDRESS = sql`(SELECT CASE s.kind WHEN 'phone' THEN '+' || s.value ELSE s.value || '@lid' END
  FROM contact_aliases s WHERE s.account_id = p.account_id AND s.contact_id = p.id
  ORDER BY s.kind DESC, s.learnt_at DESC, s.value LIMIT 1)`;

async function read(
  db: Reader,
  { account, admins }: GroupReader,
  keys: RawBuilder<unknown>,
): Promise<ReadMessage[]> {
  const { rows } = await sql<Row>`
    WITH picked AS MATERIALIZED (${keys}), own AS MATERIALIZED (${ownContacts(account, admins)}),
      owner AS (SELECT coalesce(display_name, push_name) AS name FROM contacts
        WHERE account_id = ${account} AND id IN (SELECT contact_id FROM own)
          AND coalesce(display_name, push_name) IS NOT NULL ORDER BY display_name IS NULL, id LIMIT 1)
    SELECT m.id AS number, m.message_id, m.sent_at, m.kind, m.body, m.quoted_id, m.details, m.sender_id,
      CASE WHEN NOT m.from_me THEN CASE WHEN m.sender_id IN (SELECT contact_id FROM own) THEN 'owner' ELSE 'member' END
        WHEN m.source = 'relay' OR ${SENT_BY} IS NOT NULL THEN CASE ${SENT_BY} WHEN 'owner' THEN 'owner' ELSE 'assistant' END
        ELSE 'owner' END AS author,
      m.sender_name, coalesce(nullif(g.display_name, ''), p.display_name, p.push_name, m.sender_name) AS name,
      ${ADDRESS} AS address, (SELECT name FROM owner) AS owner_name,
      v.category, v.noise, v.tokens
    FROM picked JOIN messages m ON m.account_id = ${account} AND m.sent_at = picked.sent_at AND m.id = picked.id
      LEFT JOIN contacts p ON p.account_id = m.account_id AND p.id = m.sender_id
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
      LEFT JOIN observed_messages v ON v.account_id = m.account_id AND v.chat_id = m.chat_id AND v.message = m.id
    ORDER BY m.sent_at, m.id`.execute(db);
  const names = namesOf(rows);
  return rows.map((row) => ({
    number: row.number,
    message: toMessage(row, names),
    verdict:
      row.category === null
        ? null
        : { category: row.category, noise: row.noise, tokens: row.tokens },
  }));
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
  const replaces = kind === 'deleted' || details?.edits === true;
  return {
    id: row.message_id,
    at: row.sent_at,
    sender,
    senderName: names.get(sender) ?? 'Somebody',
    fromOwner: row.author === 'owner',
    fromAssistant: row.author === 'assistant',
    kind,
    text,
    quotedId: replaces || kind === 'reaction' ? null : about,
    forwarded: details?.forwarded === true,
    reactionTo: kind === 'reaction' ? about : null,
    replaces: replaces ? about : null,
    mentions: details?.mentions ?? [],
  };
}

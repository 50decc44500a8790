// Reads a group's messages for the observer, with the noise filter's verdict on each. Names are the ones the owner
// uses; whether a sender is the owner or the assistant comes from the rows, never from a name.

import type { AccountId, ChatId, ContactId } from '@relay/contract/ids';
import { estimateTokens } from '@relay/core/agent/context-window';
import type { MessageDetails } from '@relay/core/messages/message';
import {
  distinguishNames,
  type GroupMessage,
  type NoiseCategory,
  type NoiseVerdict,
  readGroupMessage,
} from '@relay/core/observer/message';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from '../database.ts';
import { messageTextSql } from '../message-text.ts';
import { ownContactsSql } from '../names-and-addresses.ts';

/** The account, and the owner's numbers besides the linked one, in digits. */
export interface GroupScope {
  readonly account: AccountId;
  readonly admins: readonly string[];
}

export interface ObservedMessage {
  /** Its number in `messages`; the id is unique only for its sender. */
  readonly number: number;
  readonly message: GroupMessage;
  /** For a deletion or an edit: the number of the message it replaces. */
  readonly replacesNumber: number | null;
  /**
   * Null if it was not judged: it is older than the observation, or was deleted. What Relay sent there was meant for
   * the group, so it is content.
   */
  readonly verdict: (NoiseVerdict & { readonly tokens: number }) | null;
}

interface MessagePeriod {
  readonly chat: ChatId;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  /** At most this many, the last ones. */
  readonly limit?: number;
}

/**
 * Others choose how long a message is. Both ends of a long one are read: that is where people say what it is about and
 * whom they address. For noise the beginning is enough.
 */
const LONGEST_END = 8_000;
const LONGEST_NOISE = 2_000;
/** Of a whole period the newest messages are read, up to this many bytes: far more than any model is shown. */
const MAX_PERIOD_BYTES = 1_000_000;
const LONGEST_NOISE_IN_PERIOD = 200;

/** With what was understood of its media: a short part of a document, because many people may send one. */
const TEXT = messageTextSql(sql.ref('m'), 1_500);

const readBytes = sql`least(octet_length(m.body) + CASE WHEN m.media IS NULL THEN 0 ELSE 1500 END,
  CASE WHEN v.noise THEN ${LONGEST_NOISE_IN_PERIOD}::int ELSE ${2 * LONGEST_END}::int END)`;

const bodyUpTo = (noise: number) => sql<string>`CASE WHEN v.noise THEN left(m.body, ${noise}::int)
  WHEN length(m.body) <= ${2 * LONGEST_END}::int THEN ${TEXT}
  ELSE left(m.body, ${LONGEST_END}::int) || ' … ' || right(m.body, ${LONGEST_END}::int) END`;

/** Oldest first, like all of these. */
export const observedMessagesBetween = (
  db: Db,
  reader: GroupScope,
  { chat, from, to, limit }: MessagePeriod,
): Promise<ObservedMessage[]> =>
  readObservedMessages(
    db,
    reader,
    sql`SELECT sent_at, id FROM (
        SELECT m.sent_at, m.id, sum(${readBytes}) OVER (ORDER BY m.sent_at DESC, m.id DESC) AS bytes
        FROM messages m LEFT JOIN observed_messages v
          ON v.account_id = m.account_id AND v.chat_id = m.chat_id AND v.message = m.id
        WHERE m.account_id = ${reader.account} AND m.chat_id = ${chat}
          AND m.sent_at >= ${from} AND m.sent_at < ${to}
        ORDER BY m.sent_at DESC, m.id DESC LIMIT ${limit ?? null}) newest
      WHERE bytes <= ${MAX_PERIOD_BYTES}`,
    LONGEST_NOISE_IN_PERIOD,
  );

/** A message's position in the order. */
export interface MessagePosition {
  readonly chat: ChatId;
  readonly number: number;
  readonly sentAt: Date;
}

/** The last `count` before it. */
export const observedMessagesBefore = (
  db: Db,
  reader: GroupScope,
  { chat, number, sentAt }: MessagePosition,
  count: number,
): Promise<ObservedMessage[]> =>
  readObservedMessages(
    db,
    reader,
    sql`SELECT sent_at, id FROM messages WHERE account_id = ${reader.account} AND chat_id = ${chat}
      AND (sent_at, id) < (${sentAt}::timestamptz, ${number}::bigint)
      ORDER BY sent_at DESC, id DESC LIMIT ${count}`,
  );

/** Null if it is gone. */
export async function observedMessageAt(
  db: Db,
  reader: GroupScope,
  { chat, number, sentAt }: MessagePosition,
): Promise<ObservedMessage | null> {
  const found = await readObservedMessages(
    db,
    reader,
    sql`SELECT sent_at, id FROM messages WHERE account_id = ${reader.account} AND chat_id = ${chat}
      AND sent_at = ${sentAt} AND id = ${number}`,
  );
  return found[0] ?? null;
}

/** By its id as a message of the group. */
export async function observedMessageById(
  db: Db,
  reader: GroupScope,
  chat: ChatId,
  id: string,
): Promise<ObservedMessage | null> {
  const found = await readObservedMessages(
    db,
    reader,
    sql`SELECT sent_at, id FROM message_keys WHERE account_id = ${reader.account} AND chat_id = ${chat}
      AND message_id = ${id} ORDER BY id LIMIT 1`,
  );
  return found[0] ?? null;
}

interface ObservedMessageRow {
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
  /** Only for senders without a contact. */
  sender_name: string | null;
  name: string | null;
  address: string | null;
  owner_name: string | null;
  category: NoiseCategory | null;
  noise: boolean;
  tokens: number;
}

/** Who permitted a message that Relay sent: one that the owner sent counts as the owner's. */
const SENT_BY = sql`(SELECT p.actor FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
  WHERE o.account_id = m.account_id AND o.message_id = m.message_id)`;

const BY_RELAY = sql`(m.source = 'relay' OR ${SENT_BY} IS NOT NULL)`;

const ADDRESS = sql`(SELECT CASE s.kind WHEN 'phone' THEN '+' || s.value ELSE s.value || '@lid' END
  FROM contact_aliases s WHERE s.account_id = p.account_id AND s.contact_id = p.id
  ORDER BY s.kind DESC, s.learnt_at DESC, s.value LIMIT 1)`;

/**
 * Senders choose their ids, so a second message with the same id gets a different one: nobody can hide a message behind
 * somebody else's.
 */
const idOf = (of: RawBuilder<unknown>) => sql<string>`CASE WHEN EXISTS (SELECT FROM message_keys e
    WHERE e.account_id = ${of}.account_id AND e.chat_id = ${of}.chat_id AND e.message_id = ${of}.message_id
      AND e.id < ${of}.id)
  THEN ${of}.message_id || '#' || ${of}.id ELSE ${of}.message_id END`;

const BY_THE_SAME = sql`k.sender = coalesce(m.sender_id::text,
  CASE WHEN m.sender_name IS NULL THEN 'me' ELSE 'name:' || m.sender_name END)`;

/** Only its sender can edit a message; the owner and the group's admins may delete one. */
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

/** Recent senders count too: members may not be known yet. */
const RECENT_MESSAGES = 500;
const MAX_MEMBERS = 1_000;

/**
 * The members of a group besides the owner, by the names on their messages; members without a name are only counted.
 */
export async function readMemberNames(
  db: Db,
  { account, admins }: GroupScope,
  chat: ChatId,
): Promise<readonly string[]> {
  const { rows } = await sql<MemberRow>`
    WITH own AS MATERIALIZED (${ownContactsSql(account, admins)}), ${ownerNamed(account)},
      ids AS (SELECT contact_id AS id FROM chat_members WHERE account_id = ${account} AND chat_id = ${chat}
        UNION (SELECT sender_id FROM (SELECT sender_id FROM messages
          WHERE account_id = ${account} AND chat_id = ${chat}
          ORDER BY sent_at DESC, id DESC LIMIT ${RECENT_MESSAGES}) late WHERE sender_id IS NOT NULL))
    SELECT p.id, coalesce(g.display_name, p.display_name, p.push_name) AS name, ${ADDRESS} AS address,
      coalesce(m.role, 'member') AS role, coalesce(${ownerName(account)}, 'Owner') AS owner_name
    FROM ids JOIN contacts p ON p.account_id = ${account} AND p.id = ids.id
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
      LEFT JOIN chat_members m ON m.account_id = p.account_id AND m.chat_id = ${chat} AND m.contact_id = p.id
    WHERE p.id NOT IN (SELECT contact_id FROM own)
    ORDER BY name, p.id LIMIT ${MAX_MEMBERS}`.execute(db);
  const named = rows.flatMap(({ name, ...row }) => (name === null ? [] : { ...row, name }));
  const names = distinguishNames(
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

async function readObservedMessages(
  db: Db,
  { account, admins }: GroupScope,
  keys: RawBuilder<unknown>,
  noise = LONGEST_NOISE,
): Promise<ObservedMessage[]> {
  const { rows } = await sql<ObservedMessageRow>`
    WITH picked AS MATERIALIZED (${keys}), own AS MATERIALIZED (${ownContactsSql(account, admins)}),
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
    return { number: row.number, message, replacesNumber: row.replaced_number, verdict };
  });
}

function verdictOf(
  { category, noise, tokens, relay }: ObservedMessageRow,
  { text }: GroupMessage,
): ObservedMessage['verdict'] {
  if (category !== null) return { category, noise, tokens };
  return relay ? { category: 'content', noise: false, tokens: estimateTokens(text) } : null;
}

const senderOf = ({ author, sender_id, sender_name }: ObservedMessageRow): string =>
  author === 'member' ? (sender_id ?? `name:${sender_name ?? ''}`) : author;

const namesOf = (rows: readonly ObservedMessageRow[]): ReadonlyMap<string, string> =>
  distinguishNames(
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

function toMessage(row: ObservedMessageRow, names: ReadonlyMap<string, string>): GroupMessage {
  const { details, quoted_id: about } = row;
  const { kind, text } = readGroupMessage(row);
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

// The noise filter's verdicts, as rows: the raw buffer is what it let through and what was not deleted. The text is in
// `messages` only.

interface MessageVerdict extends MessagePosition {
  readonly verdict: NoiseVerdict;
  /** How many tokens the text would cost a model. */
  readonly tokens: number;
}

/** False if it was judged before. */
export async function putVerdict(
  tx: Transaction,
  account: AccountId,
  { chat, number, sentAt, verdict, tokens }: MessageVerdict,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('observed_messages')
    .values({
      account_id: account,
      chat_id: chat,
      message: number,
      sent_at: sentAt,
      category: verdict.category,
      noise: verdict.noise,
      tokens,
    })
    .onConflict((on) => on.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function deleteVerdict(
  tx: Transaction,
  account: AccountId,
  { chat, number }: Pick<MessagePosition, 'chat' | 'number'>,
): Promise<void> {
  await tx
    .deleteFrom('observed_messages')
    .where('account_id', '=', account)
    .where('chat_id', '=', chat)
    .where('message', '=', number)
    .execute();
}

// Resolves the digits in a mention: a phone number or a LID, whichever the group uses.

/** By their digits; unknown people are left out. */
export async function loadMentionNames(
  db: Db,
  account: AccountId,
  digits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (digits.length === 0) return new Map();
  const { rows } = await sql<{ digits: string; name: string }>`
    SELECT a.value AS digits, coalesce(g.display_name, p.display_name, p.push_name) AS name
    FROM contact_aliases a JOIN contacts p ON p.account_id = a.account_id AND p.id = a.contact_id
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
    WHERE a.account_id = ${account} AND a.value = ANY(${digits}::text[])
      AND coalesce(g.display_name, p.display_name, p.push_name) IS NOT NULL`.execute(db);
  return new Map(rows.map((row) => [row.digits, row.name]));
}

// Messages of a group that were deleted or edited since: however they are found, they are never shown again.

export async function findRetractedMessages(
  db: Db,
  account: AccountId,
  chat: ChatId,
  numbers: readonly number[],
): Promise<ReadonlySet<number>> {
  if (numbers.length === 0) return new Set();
  const { rows } = await sql<{ number: number }>`
    SELECT k.id AS number FROM message_keys k WHERE k.account_id = ${account} AND k.chat_id = ${chat}
      AND k.id = ANY(${[...numbers]}::bigint[]) AND EXISTS (SELECT FROM messages m
        WHERE m.account_id = k.account_id AND m.chat_id = k.chat_id AND m.sent_at >= k.sent_at
          AND m.quoted_id = k.message_id AND (m.kind = 'protocolMessage' OR m.details ? 'edits'))`.execute(
    db,
  );
  return new Set(rows.map(({ number }) => number));
}

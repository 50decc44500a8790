// Removes duplicates in observed groups, where a message may arrive over the transport and as a notification, in either
// order. The transport's message stays, and the notification's row is deleted with everything derived from it.
// Invariant: the notifications without a row of their own are as many as the messages they report.
import type { AccountId, ChatId, ContactId } from '@relay/contract/ids';
import { createNameResolver, type NamedPerson, type NameResolver } from '@relay/core/ingest/names';
import {
  haveSameEssence,
  messageEssence,
  PAIRING_SKEW_MS,
  pairMessages,
  type ReceivedMessage,
  type ReportedMessage,
} from '@relay/core/ingest/pairing';
import type { MessageDetails } from '@relay/core/messages/message';
import { sql } from 'kysely';
import type { Transaction } from './database.ts';
import { addObserverUsage } from './observer/runs.ts';

interface DedupeMessage {
  readonly chat: ChatId;
  /** Its number in `messages`. */
  readonly number: number;
  readonly sentAt: Date;
}

/** How far around a message to look for others: pairing it may free one further away. */
const AROUND_MS = 3 * PAIRING_SKEW_MS;

/** Returns the numbers of deleted rows; the message itself may be among them. */
export async function dedupeNotifications(
  tx: Transaction,
  account: AccountId,
  message: DedupeMessage,
): Promise<readonly number[]> {
  if (!(await hasNotifications(tx, account, message))) return [];
  // Transactions that pair messages of this group wait for each other here.
  await sql`SELECT 1 FROM observed_groups WHERE account_id = ${account} AND chat_id = ${message.chat}
    FOR NO KEY UPDATE`.execute(tx);
  const around = await findSameMessages(tx, account, message);
  const told = around.told.toSorted((a, b) => Number(a.own) - Number(b.own));
  const pairs = pairMessages(told, around.heard);
  const gone: number[] = [];
  for (const [n, { id, own, message: stood }] of told.entries()) {
    const place = pairs[n] ?? null;
    const real = place === null ? undefined : around.heard[place];
    if (real === undefined || real.number === stood) continue;
    await sql`UPDATE notifications SET message = ${real.number}
      WHERE account_id = ${account} AND id = ${id}`.execute(tx);
    if (own) gone.push(stood);
  }
  if (gone.length > 0) {
    await subtractUsage(tx, account, message.chat, gone);
    await sql`DELETE FROM messages WHERE account_id = ${account} AND chat_id = ${message.chat}
      AND id = ANY(${gone}::bigint[]) AND source = 'notification'`.execute(tx);
  }
  return gone;
}

interface CountedVerdict {
  at: Date;
  noise: boolean;
  tokens: number;
  zone: string;
}

/** What the noise filter counted for the deleted rows is counted with the transport's message. */
async function subtractUsage(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  gone: readonly number[],
): Promise<void> {
  const { rows } = await sql<CountedVerdict>`
    SELECT v.sent_at AS at, v.noise, v.tokens, g.zone FROM observed_messages v
      JOIN observed_groups g ON g.account_id = v.account_id AND g.chat_id = v.chat_id
    WHERE v.account_id = ${account} AND v.chat_id = ${chat} AND v.message = ANY(${gone}::bigint[])`.execute(
    tx,
  );
  for (const { at, noise, tokens, zone } of rows) {
    const counted = noise ? { cut: -1, saved: -tokens } : { kept: -1 };
    await addObserverUsage(tx, account, { chat, zone, at }, counted);
  }
}

const withinMsOf = ({ sentAt }: DedupeMessage, ms = AROUND_MS) =>
  sql`BETWEEN ${new Date(+sentAt - ms)} AND ${new Date(+sentAt + ms)}`;

async function hasNotifications(
  tx: Transaction,
  account: AccountId,
  message: DedupeMessage,
): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM notifications
    WHERE account_id = ${account} AND chat_id = ${message.chat} AND at ${withinMsOf(message)} LIMIT 1`.execute(
    tx,
  );
  return rows.length > 0;
}

interface NotificationMatch extends ReportedMessage {
  readonly id: number;
  /** The message it stands for, and whether that row was created for the notification. */
  readonly message: number;
  readonly own: boolean;
}

interface TransportMatch extends ReceivedMessage {
  readonly number: number;
}

interface MessageRow {
  number: number;
  sent_at: Date;
  sender_id: ContactId | null;
  from_me: boolean;
  source: string;
  kind: string;
  body: string;
  details: MessageDetails | null;
}

interface NotificationRow extends MessageRow {
  id: number;
  at: Date;
  sender_name: string;
}

/** Messages with the same content, from both sources. */
async function findSameMessages(
  tx: Transaction,
  account: AccountId,
  message: DedupeMessage,
): Promise<{ told: readonly NotificationMatch[]; heard: readonly TransportMatch[] }> {
  const { chat, number } = message;
  const columns = sql`m.id AS number, m.sent_at, m.sender_id, m.from_me, m.source, m.kind, m.body, m.details`;
  const { rows: messages } = await sql<MessageRow>`
    SELECT ${columns} FROM messages m
    WHERE m.account_id = ${account} AND m.chat_id = ${chat} AND m.sent_at ${withinMsOf(message, AROUND_MS + PAIRING_SKEW_MS)}
      AND (m.source IN ('whatsapp', 'relay') OR m.id = ${number})
    ORDER BY m.sent_at, m.id`.execute(tx);
  const { rows: notifications } = await sql<NotificationRow>`
    SELECT n.id, n.at, n.sender_name, ${columns}
    FROM notifications n JOIN messages m ON m.account_id = n.account_id AND m.id = n.message
    WHERE n.account_id = ${account} AND n.chat_id = ${chat} AND n.at ${withinMsOf(message)}
    ORDER BY n.at, n.id`.execute(tx);
  const itself = messages.find((row) => row.number === number);
  if (itself === undefined) return { told: [], heard: [] };
  const wanted = messageEssence(itself);
  const who = await loadChatMemberNames(tx, account, chat);
  return {
    told: notifications.flatMap((row) => {
      const said = messageEssence(row);
      if (!haveSameEssence(wanted, said)) return [];
      const authors = who(row.sender_name);
      return {
        id: row.id,
        at: row.at,
        essence: said,
        authors: authors.size === 0 ? null : authors,
        message: row.number,
        own: row.source === 'notification',
      };
    }),
    heard: messages.flatMap((row) => {
      const said = messageEssence(row);
      if (row.source === 'notification' || !haveSameEssence(wanted, said)) return [];
      return {
        number: row.number,
        at: row.sent_at,
        essence: said,
        author: row.from_me ? 'me' : row.sender_id,
      };
    }),
  };
}

// Who is in a chat and under which names, for messages that only name their sender.

/** Members may not be known yet; whoever wrote recently counts as one. */
const OF_LATE = 500;

export async function loadChatMemberNames(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
): Promise<NameResolver> {
  const { rows } = await sql<NamedPerson>`
    WITH ids AS (
      SELECT contact_id AS id FROM chat_members WHERE account_id = ${account} AND chat_id = ${chat}
      UNION SELECT contact_id FROM chats WHERE account_id = ${account} AND id = ${chat} AND contact_id IS NOT NULL
      UNION (SELECT sender_id FROM (SELECT sender_id FROM messages
        WHERE account_id = ${account} AND chat_id = ${chat}
        ORDER BY sent_at DESC, id DESC LIMIT ${OF_LATE}) late WHERE sender_id IS NOT NULL))
    SELECT p.id, array_remove(ARRAY[g.display_name, p.display_name, p.push_name], NULL) AS names,
      ARRAY(SELECT a.value FROM contact_aliases a
        WHERE a.account_id = p.account_id AND a.contact_id = p.id AND a.kind = 'phone') AS numbers
    FROM ids JOIN contacts p ON p.account_id = ${account} AND p.id = ids.id
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id`.execute(tx);
  const own = await sql<{ phone: string | null }>`
    SELECT phone FROM accounts WHERE id = ${account}`.execute(tx);
  return createNameResolver(rows, own.rows[0]?.phone ?? null);
}

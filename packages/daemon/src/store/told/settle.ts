// A message of an observed group may come over the wire and by a notification, in either order. Here the two
// become one: the one from the wire stays, and what was made of the notification goes with its row.
// Invariant: as many notifications have no row of their own as there are messages that they tell of.
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { type Heard, pair, SKEW_MS, type Told } from '@relay/core/ingest/pair';
import { essence, saysSame } from '@relay/core/ingest/same';
import type { MessageDetails } from '@relay/core/messages/message';
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';
import { addUsage } from '../observer/usage.ts';
import { namedIn } from './people.ts';

export interface SettledMessage {
  readonly chat: ChatId;
  /** Its own in `messages`. */
  readonly number: number;
  readonly sentAt: Date;
}

/** How far around a message others are looked at: what it is paired with may free one further away. */
const AROUND_MS = 3 * SKEW_MS;

/** The numbers of rows that are gone now; the message itself may be among them. */
export async function settleTold(
  tx: Transaction,
  account: AccountId,
  message: SettledMessage,
): Promise<readonly number[]> {
  if (!(await anyTold(tx, account, message))) return [];
  // Whoever pairs messages of this group waits here for whoever is at it.
  await sql`SELECT 1 FROM observed_groups WHERE account_id = ${account} AND chat_id = ${message.chat}
    FOR NO KEY UPDATE`.execute(tx);
  const around = await alike(tx, account, message);
  const told = around.told.toSorted((a, b) => Number(a.own) - Number(b.own));
  const pairs = pair(told, around.heard);
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
    await uncount(tx, account, message.chat, gone);
    await sql`DELETE FROM messages WHERE account_id = ${account} AND chat_id = ${message.chat}
      AND id = ANY(${gone}::bigint[]) AND source = 'notification'`.execute(tx);
  }
  return gone;
}

interface Counted {
  at: Date;
  noise: boolean;
  tokens: number;
  zone: string;
}

/** What the noise filter made of them is counted with the message from the wire. */
async function uncount(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  gone: readonly number[],
): Promise<void> {
  const { rows } = await sql<Counted>`
    SELECT v.sent_at AS at, v.noise, v.tokens, g.zone FROM observed_messages v
      JOIN observed_groups g ON g.account_id = v.account_id AND g.chat_id = v.chat_id
    WHERE v.account_id = ${account} AND v.chat_id = ${chat} AND v.message = ANY(${gone}::bigint[])`.execute(
    tx,
  );
  for (const { at, noise, tokens, zone } of rows) {
    const counted = noise ? { cut: -1, saved: -tokens } : { kept: -1 };
    await addUsage(tx, account, { chat, zone, at }, counted);
  }
}

const within = ({ sentAt }: SettledMessage, ms = AROUND_MS) =>
  sql`BETWEEN ${new Date(+sentAt - ms)} AND ${new Date(+sentAt + ms)}`;

async function anyTold(
  tx: Transaction,
  account: AccountId,
  message: SettledMessage,
): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM notifications
    WHERE account_id = ${account} AND chat_id = ${message.chat} AND at ${within(message)} LIMIT 1`.execute(
    tx,
  );
  return rows.length > 0;
}

interface ToldRow extends Told {
  readonly id: number;
  /** The message it stands for, and whether that is a row of its own. */
  readonly message: number;
  readonly own: boolean;
}

interface HeardRow extends Heard {
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

/** What says the same as the message, by both ways. */
async function alike(
  tx: Transaction,
  account: AccountId,
  message: SettledMessage,
): Promise<{ told: readonly ToldRow[]; heard: readonly HeardRow[] }> {
  const { chat, number } = message;
  const columns = sql`m.id AS number, m.sent_at, m.sender_id, m.from_me, m.source, m.kind, m.body, m.details`;
  const { rows: messages } = await sql<MessageRow>`
    SELECT ${columns} FROM messages m
    WHERE m.account_id = ${account} AND m.chat_id = ${chat} AND m.sent_at ${within(message, AROUND_MS + SKEW_MS)}
      AND (m.source IN ('whatsapp', 'relay') OR m.id = ${number})
    ORDER BY m.sent_at, m.id`.execute(tx);
  const { rows: notifications } = await sql<NotificationRow>`
    SELECT n.id, n.at, n.sender_name, ${columns}
    FROM notifications n JOIN messages m ON m.account_id = n.account_id AND m.id = n.message
    WHERE n.account_id = ${account} AND n.chat_id = ${chat} AND n.at ${within(message)}
    ORDER BY n.at, n.id`.execute(tx);
  const itself = messages.find((row) => row.number === number);
  if (itself === undefined) return { told: [], heard: [] };
  const wanted = essence(itself);
  const who = await namedIn(tx, account, chat);
  return {
    told: notifications.flatMap((row) => {
      const said = essence(row);
      if (!saysSame(wanted, said)) return [];
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
      const said = essence(row);
      if (row.source === 'notification' || !saysSame(wanted, said)) return [];
      return {
        number: row.number,
        at: row.sent_at,
        essence: said,
        author: row.from_me ? 'me' : row.sender_id,
      };
    }),
  };
}

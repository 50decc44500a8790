// Messages of strangers are stored up to a daily budget, per sender and in all; beyond it they are only counted.
// A stranger has no grant, no conversation and no message from the owner, in a chat that nobody observes.
import type { AccountId, ChatId, ContactId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import { recordMessageRequests } from '../../platform/db/message-requests.ts';
import { ownChatKindSql } from '../../platform/db/names-and-addresses.ts';
import type { InboxRow, PlacedMessage } from './inbox-row.ts';

export interface StrangerBudget {
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  /** The present limits in bytes per day. */
  limits(): { readonly perSender: number; readonly inAll: number };
}

/** Keys, index entries and ledger rows of a message, whatever its text. */
const BYTES_BESIDES = 1_000;

interface FromStranger {
  readonly item: PlacedMessage;
  readonly contact: ContactId;
}

/** Returns the messages to store. The others are counted, and their content is removed. */
export async function applyStrangerBudget(
  tx: Transaction,
  account: AccountId,
  budget: StrangerBudget,
  placed: readonly PlacedMessage[],
): Promise<readonly PlacedMessage[]> {
  const strange = await fromStrangers(tx, account, budget.admins, placed);
  if (strange.length === 0) return placed;
  const day = dayOf(placed);
  const used = await usedOn(tx, account, day, strange);
  const { perSender, inAll } = budget.limits();
  let total = used.inAll;
  const dropped: FromStranger[] = [];
  for (const one of strange) {
    const bytes = bytesOf(one.item.row);
    const own = used.bySender.get(one.contact) ?? 0;
    if (own + bytes > perSender || total + bytes > inAll) dropped.push(one);
    else {
      used.bySender.set(one.contact, own + bytes);
      total += bytes;
    }
  }
  await noteUse(tx, account, day, { strange, dropped, bySender: used.bySender });
  if (dropped.length === 0) return placed;
  await removeContent(
    tx,
    account,
    dropped.map(({ item }) => item.row),
  );
  const gone = new Set(dropped.map(({ item }) => item));
  return placed.filter((item) => !gone.has(item));
}

const bytesOf = ({ content, stanza }: InboxRow): number =>
  BYTES_BESIDES + content.length + stanza.length;

const dayOf = (placed: readonly PlacedMessage[]): string =>
  (placed.at(-1)?.row.received_at ?? new Date()).toISOString().slice(0, 10);

async function fromStrangers(
  tx: Transaction,
  account: AccountId,
  admins: readonly string[],
  placed: readonly PlacedMessage[],
): Promise<readonly FromStranger[]> {
  const others = placed.flatMap((item) =>
    item.sender === null ? [] : [{ item, contact: item.sender }],
  );
  if (others.length === 0) return [];
  const pairs = new Map(
    others.map(({ item, contact }) => [`${item.chat} ${contact}`, { chat: item.chat, contact }]),
  );
  const { rows } = await sql<{ chat: ChatId; contact: ContactId }>`
    SELECT p.chat, p.contact
    FROM json_to_recordset(${JSON.stringify([...pairs.values()])}::json) AS p(chat uuid, contact uuid)
      JOIN chats c ON c.account_id = ${account} AND c.id = p.chat
    WHERE ${ownChatKindSql(sql.ref('c'), admins)} IS NULL
      AND NOT EXISTS (SELECT FROM grants g WHERE g.account_id = ${account}
        AND (g.contact_id = p.contact OR g.chat_id = p.chat))
      AND NOT EXISTS (SELECT FROM observed_groups o WHERE o.account_id = ${account} AND o.chat_id = p.chat)
      AND NOT EXISTS (SELECT FROM instances i WHERE i.account_id = ${account} AND i.contact_id = p.contact)
      AND NOT EXISTS (SELECT FROM chats w WHERE w.account_id = ${account}
        AND (w.id = p.chat OR w.contact_id = p.contact) AND (
          EXISTS (SELECT FROM message_keys k WHERE k.account_id = ${account} AND k.chat_id = w.id AND k.sender = 'me')
          OR EXISTS (SELECT FROM outbox o WHERE o.account_id = ${account} AND o.chat_id = w.id)))`.execute(
    tx,
  );
  const strange = new Set(rows.map(({ chat, contact }) => `${chat} ${contact}`));
  return others.filter(({ item, contact }) => strange.has(`${item.chat} ${contact}`));
}

interface StrangerUse {
  readonly bySender: Map<ContactId, number>;
  readonly inAll: number;
}

async function usedOn(
  tx: Transaction,
  account: AccountId,
  day: string,
  strange: readonly FromStranger[],
): Promise<StrangerUse> {
  const contacts = [...new Set(strange.map(({ contact }) => contact))];
  const { rows } = await sql<{ contact_id: ContactId; bytes: number }>`
    SELECT contact_id, bytes FROM stranger_use
    WHERE account_id = ${account} AND day = ${day}::date AND contact_id = ANY(${contacts}::uuid[])`.execute(
    tx,
  );
  const { rows: all } = await sql<{ bytes: number }>`
    SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM stranger_use
    WHERE account_id = ${account} AND day = ${day}::date`.execute(tx);
  return {
    bySender: new Map(rows.map(({ contact_id, bytes }) => [contact_id, bytes])),
    inAll: all[0]?.bytes ?? 0,
  };
}

async function noteUse(
  tx: Transaction,
  account: AccountId,
  day: string,
  {
    strange,
    dropped,
    bySender,
  }: {
    readonly strange: readonly FromStranger[];
    readonly dropped: readonly FromStranger[];
    readonly bySender: ReadonlyMap<ContactId, number>;
  },
): Promise<void> {
  const notStored = countBy(dropped);
  const rows = [...new Set(strange.map(({ contact }) => contact))].map((contact) => ({
    contact,
    bytes: bySender.get(contact) ?? 0,
    not_stored: notStored.get(contact) ?? 0,
  }));
  await sql`
    INSERT INTO stranger_use AS u (account_id, day, contact_id, bytes, not_stored)
    SELECT ${account}::bigint, ${day}::date, n.contact, n.bytes, n.not_stored
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS n(contact uuid, bytes bigint, not_stored int)
    ON CONFLICT (account_id, day, contact_id) DO UPDATE
      SET bytes = excluded.bytes, not_stored = u.not_stored + excluded.not_stored`.execute(tx);
  const direct = countBy(dropped.filter(({ item }) => !item.message.isGroup));
  await recordMessageRequests(tx, account, direct);
}

function countBy(strange: readonly FromStranger[]): ReadonlyMap<ContactId, number> {
  const counts = new Map<ContactId, number>();
  for (const { contact } of strange) counts.set(contact, (counts.get(contact) ?? 0) + 1);
  return counts;
}

/** The row itself stays for a week, so that the same message is recognized if it is delivered again. */
async function removeContent(
  tx: Transaction,
  account: AccountId,
  rows: readonly InboxRow[],
): Promise<void> {
  await sql`UPDATE inbox SET content = '', stanza = '', done_at = now()
    WHERE account_id = ${account} AND done_at IS NULL
      AND seq = ANY(${rows.map(({ seq }) => seq)}::bigint[])`.execute(tx);
}

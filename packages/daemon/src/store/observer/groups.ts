// Which groups are read in silence, since when and on whose terms. A group leaves this table, and nothing
// more of it is heard, judged or answered.
import type { AccountId, ChatId } from '@relay/core/ids';
import { type ObservedOptions, observedOptionsSchema } from '@relay/core/observer/options';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Transaction } from '../database.ts';

export interface ObservedGroup {
  readonly chat: ChatId;
  readonly address: string;
  /** As the owner calls it, else as it calls itself. */
  readonly name: string;
  /** An IANA name: hours and days are cut by it. */
  readonly zone: string;
  readonly options: ObservedOptions;
  readonly since: Date;
  /** When the owner said that the group knows of it. */
  readonly announcedAt: Date | null;
}

/** The longest observed first. */
export const listObserved = (db: Reader, account: AccountId): Promise<ObservedGroup[]> =>
  read(db, account, sql`true`);

export async function observedGroup(
  db: Reader,
  account: AccountId,
  chat: ChatId,
): Promise<ObservedGroup | null> {
  const found = await read(db, account, sql`o.chat_id = ${chat}`);
  return found[0] ?? null;
}

/** By the group's address. */
export async function isObserved(
  db: Reader,
  account: AccountId,
  address: string,
): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM observed_groups o
      JOIN chats c ON c.account_id = o.account_id AND c.id = o.chat_id
    WHERE o.account_id = ${account} AND c.group_address = ${address}`.execute(db);
  return rows.length > 0;
}

export interface NewObserved {
  readonly chat: ChatId;
  readonly zone: string;
  readonly options: ObservedOptions;
  readonly announcedAt: Date | null;
}

/** Observed already: zone and options are brought up to date, and it stays observed since then. */
export async function putObserved(
  tx: Transaction,
  account: AccountId,
  { chat, zone, options, announcedAt }: NewObserved,
): Promise<void> {
  await sql`INSERT INTO observed_groups AS o (account_id, chat_id, zone, options, announced_at)
    VALUES (${account}, ${chat}, ${zone}, ${JSON.stringify(options)}, ${announcedAt})
    ON CONFLICT (account_id, chat_id) DO UPDATE SET zone = excluded.zone, options = excluded.options,
      announced_at = coalesce(o.announced_at, excluded.announced_at)`.execute(tx);
}

/** False when it was not observed. Verdicts and requests go with it. */
export async function removeObserved(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('observed_groups')
    .where('account_id', '=', account)
    .where('chat_id', '=', chat)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

interface Row {
  chat: ChatId;
  address: string;
  name: string;
  zone: string;
  options: unknown;
  since: Date;
  announced_at: Date | null;
}

async function read(
  db: Reader,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<ObservedGroup[]> {
  const { rows } = await sql<Row>`
    SELECT o.chat_id AS chat, c.group_address AS address, o.zone, o.options, o.since, o.announced_at,
      coalesce(g.display_name, nullif(c.subject, ''), c.group_address) AS name
    FROM observed_groups o JOIN chats c ON c.account_id = o.account_id AND c.id = o.chat_id
      LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
    WHERE o.account_id = ${account} AND ${which} ORDER BY o.since, o.chat_id`.execute(db);
  return rows.map(({ options, announced_at, ...group }) => ({
    ...group,
    options: observedOptionsSchema.parse(options),
    announcedAt: announced_at,
  }));
}

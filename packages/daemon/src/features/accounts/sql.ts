// Reads and writes accounts as their owners see them. These statements serve all accounts: they read no content.
import type { AccountId, OwnerId } from '@relay/contract/ids';
import { sql } from 'kysely';
import { type Db, setAccount } from '../../platform/db/database.ts';

export interface AccountRow {
  readonly id: AccountId;
  readonly name: string;
  readonly owner_id: OwnerId;
  readonly owner: string;
  readonly is_default: boolean;
  readonly label: string;
  readonly phone: string | null;
  readonly created_at: Date;
  readonly waiting: number;
  readonly hold: boolean;
  readonly sent: number;
}

/** Of one owner, or of all; the oldest first. */
export async function listAccountRows(db: Db, owner: OwnerId | null): Promise<AccountRow[]> {
  const { rows } = await sql<AccountRow>`
    SELECT a.id, a.name, a.owner_id, o.name AS owner, a.label, a.phone, a.created_at,
      a.id = first_value(a.id) OVER (PARTITION BY a.owner_id ORDER BY a.is_default DESC, a.id) AS is_default,
      f.waiting, f.hold, f.sent
    FROM accounts a JOIN owners o ON o.id = a.owner_id JOIN account_figures(ARRAY(SELECT w.id FROM accounts w
      WHERE ${owner}::bigint IS NULL OR w.owner_id = ${owner})) f ON f.account = a.id
    WHERE ${owner}::bigint IS NULL OR a.owner_id = ${owner} ORDER BY a.id`.execute(db);
  return rows;
}

/** Null if the name is taken. */
export async function insertAccount(
  db: Db,
  { name, owner }: { readonly name: string; readonly owner: OwnerId },
): Promise<AccountId | null> {
  const made = await db
    .insertInto('accounts')
    .values({ name, owner_id: owner, label: 'me' })
    .onConflict((on) => on.column('name').doNothing())
    .returning('id')
    .executeTakeFirst();
  return made?.id ?? null;
}

/** False if the name is taken. */
export async function renameAccount(db: Db, account: AccountId, name: string): Promise<boolean> {
  const { rows } = await sql`UPDATE accounts SET name = ${name} WHERE id = ${account}
    AND NOT EXISTS (SELECT FROM accounts o WHERE o.name = ${name} AND o.id <> ${account}) RETURNING id`.execute(
    db,
  );
  return rows.length > 0;
}

export async function makeDefaultAccount(
  db: Db,
  owner: OwnerId,
  account: AccountId,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`UPDATE accounts SET is_default = false WHERE owner_id = ${owner} AND is_default`.execute(
      tx,
    );
    await sql`UPDATE accounts SET is_default = true WHERE id = ${account} AND owner_id = ${owner}`.execute(
      tx,
    );
  });
}

/** With everything in it: by foreign keys, and where a table has none, such as that of messages, by its account. */
export async function deleteAccount(db: Db, account: AccountId): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await setAccount(tx, account);
    await sql`DELETE FROM relay_jobs.job WHERE (data->>'account')::bigint = ${account}`.execute(tx);
    await sql`DELETE FROM accounts WHERE id = ${account}`.execute(tx);
    const { rows } = await sql<{ name: string }>`
      SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE a.attname = 'account_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relnamespace = 'relay'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f'
          AND k.confdeltype = 'c')`.execute(tx);
    for (const { name } of rows) {
      await sql`DELETE FROM ${sql.table(name)} WHERE account_id = ${account}`.execute(tx);
    }
  });
}

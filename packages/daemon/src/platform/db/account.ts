// Finds the accounts of a database and takes their leases.
import { RelayError } from '@relay/contract/errors';
import { type AccountId, HOME_OWNER, type OwnerId } from '@relay/contract/ids';
import { toStorableText } from '@relay/core/messages/text';
import { sql } from 'kysely';
import { type Db, setAccount, type Transaction } from './database.ts';
import { type Lease, takeLease } from './lease.ts';
import { transaction } from './transaction.ts';

export async function findAccountByName(db: Db, name: string): Promise<AccountId> {
  const row = await db
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirst();
  if (row === undefined) throw new RelayError('account_not_found', { account: name });
  return row.id;
}

/** The accounts of the database, the oldest first. The first is created at the very first start. */
export async function listAccountIds(db: Db): Promise<readonly [AccountId, ...AccountId[]]> {
  const known = await db.selectFrom('accounts').select('id').orderBy('id').execute();
  const [first, ...others] = known.map(({ id }) => id);
  if (first !== undefined) return [first, ...others];
  const made = await db
    .insertInto('accounts')
    .values({ name: 'default', label: 'me' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return [made.id];
}

/** Runs `work` for one account after the other, in a transaction that serves all of them. */
export async function forEachAccount(
  tx: Transaction,
  work: (account: AccountId) => Promise<void>,
): Promise<void> {
  const all = await tx.selectFrom('accounts').select('id').orderBy('id').execute();
  for (const { id } of all) {
    await setAccount(tx, id);
    await work(id);
  }
  await setAccount(tx, '*');
}

/** The tables whose rows belong to an account. */
export async function listAccountTables(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'relay'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attname = 'account_id'`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

export async function readAccountName(db: Db, account: AccountId): Promise<string> {
  const row = await db
    .selectFrom('accounts')
    .select('name')
    .where('id', '=', account)
    .executeTakeFirst();
  return row?.name ?? '';
}

/** Whether it belongs to another person than the one who runs the home. */
export async function isHostedAccount(db: Db, account: AccountId): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('owner_id')
    .where('id', '=', account)
    .executeTakeFirst();
  return row !== undefined && row.owner_id !== HOME_OWNER;
}

export interface AccountIdentity {
  readonly id: AccountId;
  readonly name: string;
  readonly owner_id: OwnerId;
  readonly is_default: boolean;
  /** Differs when the account's settings do. */
  readonly settings_mark: string;
}

/** Each owner's default account first, then the oldest. */
export const readAccountIdentities = (db: Db): Promise<AccountIdentity[]> =>
  db
    .selectFrom('accounts')
    .select(['id', 'name', 'owner_id', 'is_default'])
    .select(sql<string>`md5(settings::text)`.as('settings_mark'))
    .orderBy('is_default', 'desc')
    .orderBy('id')
    .execute();

/**
 * Takes the lease of an account, by default of the oldest. `holder` stays the same for a home, so that a restarted
 * daemon gets its own lease back immediately.
 */
export async function takeAccountLease(
  db: Db,
  holder: string,
  account?: AccountId,
): Promise<Lease> {
  const lease = await takeLease(db, account ?? (await listAccountIds(db))[0], holder);
  if (lease === null) throw new RelayError('account_in_use');
  return lease;
}

export async function noteDaemonStart(db: Db, holder: string, version: string): Promise<void> {
  await db
    .insertInto('daemon_runs')
    .values({ holder, version })
    .onConflict((on) =>
      on.column('holder').doUpdateSet({
        version,
        started_at: new Date(),
        last_seen_at: new Date(),
        stopped_at: null,
      }),
    )
    .execute();
}

/** Every address of the linked account: its number and its LID. */
export async function readOwnAddresses(db: Db, account: AccountId): Promise<string[]> {
  const row = await db
    .selectFrom('accounts')
    .select(['phone', 'lid'])
    .where('id', '=', account)
    .executeTakeFirst();
  const { phone = null, lid = null } = row ?? {};
  return [phone && `${phone}@s.whatsapp.net`, lid && `${lid}@lid`].flatMap((jid) => jid ?? []);
}

export async function noteDaemonStop(db: Db, holder: string): Promise<void> {
  await db
    .updateTable('daemon_runs')
    .set({ stopped_at: new Date() })
    .where('holder', '=', holder)
    .execute();
}

interface LinkedIdentity {
  readonly phone: string | null;
  readonly lid: string | null;
  /** The owner's name on WhatsApp, if known. */
  readonly name?: string | null;
}

/**
 * Stores the number and the LID that the account is linked under, and when: its own messages come from these. A link
 * that is known keeps its time.
 */
export async function noteLinkedIdentity(
  db: Db,
  lease: Lease,
  { phone, lid, name = null }: LinkedIdentity,
  now: Date = new Date(),
): Promise<void> {
  const digits = (address: string | null) => address?.replace(/[:@].*$/, '') ?? null;
  await transaction({ db, lease }, ({ tx }) =>
    tx
      .updateTable('accounts')
      .set({
        phone: digits(phone),
        lid: digits(lid),
        linked_at: sql`CASE WHEN phone = ${digits(phone)} THEN coalesce(linked_at, ${now}) ELSE ${now} END`,
        ...(name ? { label: toStorableText(name) } : {}),
      })
      .where('id', '=', lease.account)
      .execute(),
  );
}

/** A phone has just accepted a new link: the age of the one before no longer counts, also under the same number. */
export async function noteNewLink(db: Db, lease: Lease): Promise<void> {
  await transaction({ db, lease }, ({ tx }) =>
    tx.updateTable('accounts').set({ linked_at: null }).where('id', '=', lease.account).execute(),
  );
}

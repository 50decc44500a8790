// Finds the account this daemon serves and takes its lease.
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import { toStorableText } from '@relay/core/messages/text';
import { sql } from 'kysely';
import type { Db } from './database.ts';
import { type Lease, takeLease } from './lease.ts';
import { transaction } from './transaction.ts';

/** The first account of the database, created at the very first start. */
async function findAccount(db: Db): Promise<AccountId> {
  const known = await db
    .selectFrom('accounts')
    .select('id')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (known !== undefined) return known.id;
  const made = await db
    .insertInto('accounts')
    .values({ label: 'me' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return made.id;
}

/** `holder` stays the same for a home, so that a restarted daemon gets its own lease back immediately. */
export async function takeAccountLease(db: Db, holder: string): Promise<Lease> {
  const lease = await takeLease(db, await findAccount(db), holder);
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

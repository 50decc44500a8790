// What WhatsApp has said about phone numbers: whether anybody has registered them. A yes is kept for good; after a
// no the number is asked about again, because its owner may have joined since.
import { aliasOfJid } from '@relay/core/contacts/alias';
import { type RawBuilder, sql } from 'kysely';
import { aliasesOf, meet } from './contacts.ts';
import type { Reader } from './database.ts';
import { fenced } from './fenced.ts';
import type { Lease } from './lease.ts';

export type Registration = 'registered' | 'unregistered' | 'unknown';

/** How long a no counts. */
const NO_COUNTS_MS = 10 * 60_000;

/**
 * Of the person of a row with `account_id` and `contact_id`. Whoever has a LID or is in a group is known to WhatsApp,
 * which told us so.
 */
export const registrationOf = (of: RawBuilder<unknown>, now: Date): RawBuilder<Registration> => {
  const since = new Date(now.getTime() - NO_COUNTS_MS);
  return sql<Registration>`(SELECT CASE
      WHEN bool_or(n.kind = 'lid' OR n.is_registered IS TRUE) OR EXISTS (SELECT FROM chat_members m
        WHERE m.account_id = ${of}.account_id AND m.contact_id = ${of}.contact_id) THEN 'registered'
      WHEN bool_and(n.is_registered IS FALSE AND n.asked_at > ${since}) THEN 'unregistered'
      ELSE 'unknown' END
    FROM contact_aliases n WHERE n.account_id = ${of}.account_id AND n.contact_id = ${of}.contact_id)`;
};

export interface RegistrationAnswer {
  /** The address that was asked about. */
  readonly asked: string;
  /** The one that WhatsApp knows the person by: the same, another spelling of the number, or a LID; null: nobody. */
  readonly found: string | null;
  readonly at: Date;
}

export async function noteRegistration(
  db: Reader,
  lease: Lease,
  { asked, found, at }: RegistrationAnswer,
): Promise<void> {
  const { account } = lease;
  const known = found === null ? null : aliasOfJid(found);
  const aliases = aliasesOf(found === null ? [asked] : [asked, found]);
  const numbers = aliases.flatMap(({ kind, value }) => (kind === 'phone' ? [value] : []));
  await fenced(db, lease, async (tx) => {
    await meet(tx, account, [aliases]);
    await sql`UPDATE contact_aliases SET asked_at = ${at},
        is_registered = ${known !== null} AND (${known?.kind ?? null}::text = 'lid' OR value = ${known?.value ?? null})
      WHERE account_id = ${account} AND kind = 'phone' AND value = ANY(${numbers}::text[])`.execute(
      tx,
    );
  });
}

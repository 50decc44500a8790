// Which chats are the owner's own: the linked number with itself, and those of the owner's other numbers.
import type { AccountId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';

/** Of a row of `chats`: `self`, `admin`, or null. `admins` are phone numbers in digits. */
export const ownChat = (
  chat: RawBuilder<unknown>,
  admins: readonly string[],
): RawBuilder<'self' | 'admin' | null> => sql<'self' | 'admin' | null>`
  (SELECT CASE WHEN bool_or(s.value = CASE s.kind WHEN 'phone' THEN a.phone ELSE a.lid END) THEN 'self'
      WHEN bool_or(s.kind = 'phone' AND s.value = ANY(${admins}::text[])) THEN 'admin' END
    FROM accounts a JOIN contact_aliases s ON s.account_id = a.id
    WHERE a.id = ${chat}.account_id AND s.contact_id = ${chat}.contact_id)`;

/** The contacts whose chats these are, as a subquery: for whoever looks at many chats at once. */
export const ownContacts = (
  account: AccountId,
  admins: readonly string[],
): RawBuilder<unknown> => sql`
  SELECT s.contact_id FROM contact_aliases s WHERE s.account_id = ${account} AND (
    (s.kind = 'phone' AND s.value = ANY(${admins}::text[]
      || (SELECT a.phone FROM accounts a WHERE a.id = ${account})))
    OR (s.kind = 'lid' AND s.value = (SELECT a.lid FROM accounts a WHERE a.id = ${account})))`;

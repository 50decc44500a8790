// How people and chats are addressed, as WhatsApp writes it. Of somebody's addresses the number is shown before
// a LID, which nobody knows anybody by, and the newest of several; one that WhatsApp does not know comes last.
import { type RawBuilder, sql } from 'kysely';

/** Of a row of `contact_aliases`. */
export const jidOfAlias = (alias: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`${alias}.value || CASE ${alias}.kind WHEN 'phone' THEN '@s.whatsapp.net' ELSE '@lid' END`;

/** Of whoever a row with `account_id` and `contact_id` is about. */
export const addressOfContact = (of: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`(SELECT ${jidOfAlias(sql.ref('shown'))} FROM contact_aliases shown
    WHERE shown.account_id = ${of}.account_id AND shown.contact_id = ${of}.contact_id
    ORDER BY shown.kind DESC, shown.is_registered IS FALSE, shown.learnt_at DESC, shown.value LIMIT 1)`;

/** The same as people write it: a number with its plus. */
export const numberOfContact = (of: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<
    string | null
  >`regexp_replace(${addressOfContact(of)}, '^(\\d+)@s\\.whatsapp\\.net$', '+\\1')`;

/** Of `chats c`. */
export const CHAT_ADDRESS = sql<
  string | null
>`coalesce(c.group_address, ${addressOfContact(sql.ref('c'))})`;

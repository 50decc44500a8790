// What is whose, as conditions: the count that is shown before and the deletion that follows ask the same.
import { type RawBuilder, sql } from 'kysely';
import { naming } from './naming.ts';
import type { Person, Whom } from './who.ts';

type Condition = RawBuilder<unknown>;
const NOTHING = sql`false`;

/** Of `messages m`. */
export function messagesOf(whom: Whom): Condition {
  if (whom.kind === 'group') return sql`m.chat_id = ${whom.chat}`;
  return sql`m.chat_id = ${whom.chat} OR m.sender_id = ${whom.contact} OR ${byName(whom)}`;
}

/** Where only a name is known, in a chat where they are known to be. */
const byName = ({ names, groups }: Person): Condition => sql`(m.sender_id IS NULL
  AND m.sender_name = ANY(${names}::text[]) AND m.chat_id = ANY(${groups}::uuid[]))`;

/** Of `digests g`: those of hours and days in which they wrote, and those that name them. */
export function digestsOf(whom: Whom): Condition {
  if (whom.kind === 'group') return sql`g.chat_id = ${whom.chat}`;
  const pattern = naming(whom);
  const names =
    pattern === null
      ? NOTHING
      : sql`g.body ~* ${pattern} OR EXISTS (SELECT FROM digest_facts f WHERE f.account_id = g.account_id
          AND f.digest_id = g.id AND (f.body ~* ${pattern} OR f.data::text ~* ${pattern}))`;
  return sql`g.chat_id = ANY(${whom.groups}::uuid[]) AND (EXISTS (SELECT FROM messages m
      WHERE m.account_id = g.account_id AND m.chat_id = g.chat_id AND m.sent_at >= g.period_start
        AND m.sent_at < g.period_end AND (m.sender_id = ${whom.contact} OR ${byName(whom)})) OR ${names})`;
}

/**
 * Of `runs r` and the words in `text`: what the assistant made of what it had read there. Of a group that
 * others are in too, only what names the person.
 */
export function madeOf(whom: Whom, text: Condition): Condition {
  const read = (chats: readonly (string | null)[]) => sql`r.taint->'chats' ?| ${chats}::text[]`;
  if (whom.kind === 'group') return read([whom.chat]);
  const pattern = naming(whom);
  const named = pattern === null ? NOTHING : sql`(${read(whom.groups)} AND ${text} ~* ${pattern})`;
  return sql`(${read([whom.chat])} OR ${named})`;
}

/** Of a column with an address in the wire's form: the digits before device and server. */
const digits = (column: Condition): Condition => sql`regexp_replace(${column}, '[:_@].*$', '')`;

/** Of `inbox i`. */
export const receivedFrom = (whom: Whom): Condition =>
  whom.kind === 'group'
    ? sql`i.chat = ${whom.address}`
    : sql`${digits(sql`i.chat`)} = ANY(${whom.addresses}::text[])
        OR ${digits(sql`i.sender`)} = ANY(${whom.addresses}::text[])`;

/** Of `approvals a`. */
export function questionsAbout(whom: Whom): Condition {
  const chat = sql`a.intent->>'chat' = ${whom.chat}::text OR a.intent->'of'->>'chat' = ${whom.chat}::text`;
  if (whom.kind === 'group') return chat;
  return sql`${chat} OR a.intent->'of'->>'contact' = ${whom.contact}::text OR a.instance_id IN (
    SELECT n.id FROM instances n WHERE n.account_id = a.account_id AND n.contact_id = ${whom.contact})`;
}

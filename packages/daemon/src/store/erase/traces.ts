// What is left of somebody inside the messages of others: their words quoted by an answer, and their number
// where a message names them. What others wrote stays theirs; only what WhatsApp put in for them is taken out.
import type { AccountId, ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';
import { messagesOf } from './parts.ts';
import type { Person } from './who.ts';

/** Before their own messages go: by these it is told who quotes them. */
export async function eraseTraces(
  tx: Transaction,
  account: AccountId,
  person: Person,
): Promise<void> {
  // The sealed content of an answer holds what it answers, whole.
  await sql`UPDATE messages q SET content = NULL FROM messages m
    WHERE m.account_id = ${account} AND (${messagesOf(person)}) AND q.account_id = ${account}
      AND q.chat_id = m.chat_id AND q.quoted_id = m.message_id AND q.content IS NOT NULL`.execute(
    tx,
  );
  if (person.addresses.length > 0) await eraseMentions(tx, account, person);
}

const isTheirs = (person: Person) =>
  sql`regexp_replace(jid, '[:_@].*$', '') = ANY(${person.addresses}::text[])`;

async function eraseMentions(tx: Transaction, account: AccountId, person: Person): Promise<void> {
  const numbers = `@(${person.addresses.join('|')})(?![0-9])`;
  const { rows } = await sql<{ id: number; chat_id: ChatId }>`
    UPDATE messages m SET content = NULL, body = regexp_replace(m.body, ${numbers}, '@…', 'g'),
      details = jsonb_set(m.details, '{mentions}', coalesce((SELECT jsonb_agg(jid)
        FROM jsonb_array_elements_text(m.details->'mentions') jid WHERE NOT ${isTheirs(person)}), '[]'))
    WHERE m.account_id = ${account} AND m.chat_id = ANY(${person.groups}::uuid[]) AND m.details ? 'mentions'
      AND EXISTS (SELECT FROM jsonb_array_elements_text(m.details->'mentions') jid WHERE ${isTheirs(person)})
    RETURNING m.id, m.chat_id`.execute(tx);
  const documents = rows.map(({ id }) => String(id));
  await sql`UPDATE search_documents SET terms = ts_delete(terms, ${person.addresses}::text[])
    WHERE account_id = ${account} AND source_kind = 'message' AND source_id = ANY(${documents}::text[])`.execute(
    tx,
  );
}

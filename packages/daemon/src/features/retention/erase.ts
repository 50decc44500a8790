// Erases messages in batches: the text, every copy stored under the same message, and its search entries (by triggers).
// Invariant: a message that WhatsApp delivers again stays erased.

import { randomUUID } from 'node:crypto';
import type {
  AccountId,
  ApprovalId,
  ChatId,
  DigestId,
  MessageId,
  OutboxId,
  PermitId,
  RunId,
  SessionId,
} from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import { lockContactCreation } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { toLexemes } from '../search/tsvector.ts';
import {
  approvalsAboutSubject,
  type ErasureSubject,
  inboxOfSubject,
  madeFromSubject,
  messagesOfSubject,
  namePattern,
  type PersonToErase,
} from './subject.ts';

/** Batch size, so that a transaction is short enough not to block others. */
const MESSAGES_AT_ONCE = 1_000;

/** `which` is a condition on `messages m`. Returns the number of erased messages. */
async function eraseSome(
  tx: Transaction,
  account: AccountId,
  which: RawBuilder<unknown>,
  limit = MESSAGES_AT_ONCE,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH doomed AS MATERIALIZED (
      SELECT m.id, m.sent_at, m.chat_id, m.message_id, m.received_at, m.source FROM messages m
      WHERE m.account_id = ${account} AND (${which}) LIMIT ${limit} FOR UPDATE
    ), marked AS (
      INSERT INTO erased_messages (account_id, mark)
      SELECT DISTINCT ${account}::bigint, erased_mark(${account}, message_id) FROM doomed
      WHERE source IN ('whatsapp', 'relay') ON CONFLICT DO NOTHING
    ), keys AS (
      DELETE FROM message_keys k USING doomed d WHERE k.account_id = ${account}
        AND k.message_id = d.message_id AND k.chat_id = d.chat_id AND k.id = d.id
    ), received AS (
      DELETE FROM inbox i USING doomed d WHERE i.account_id = ${account}
        AND i.message_id = d.message_id AND i.received_at = d.received_at
    ), journal AS (
      -- Written in the same transaction as what was received, hence at the very same time.
      DELETE FROM decrypt_journal j USING doomed d WHERE j.account_id = ${account} AND j.at = d.received_at
    ), heard AS (
      DELETE FROM session_messages l USING doomed d, sessions s WHERE l.account_id = ${account}
        AND l.message_id = d.message_id AND s.account_id = ${account} AND s.id = l.session_id AND s.chat_id = d.chat_id
    ), gone AS (
      DELETE FROM messages m USING doomed d
      WHERE m.account_id = ${account} AND m.sent_at = d.sent_at AND m.id = d.id RETURNING m.id
    )
    SELECT count(*) AS count FROM gone`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Erases all matching messages, in as many transactions as necessary. */
export async function eraseAllMessages(
  db: Db,
  lease: Lease,
  which: RawBuilder<unknown>,
  onProgress: (erased: number) => void = () => {},
): Promise<number> {
  let total = 0;
  for (;;) {
    const erased = await transaction({ db, lease }, ({ tx }) =>
      eraseSome(tx, lease.account, which),
    );
    total += erased;
    if (erased > 0) onProgress(total);
    if (erased < MESSAGES_AT_ONCE) return total;
  }
}

// Erases sent and queued messages: the text in the outbox, its permit, and its approval. The decision stays in the
// ledger, which contains no text.

/** `which` is a condition on `outbox o`. Returns the number of erased messages. */
export async function eraseOutboxMessages(
  tx: Transaction,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ permit_id: PermitId }>`
    DELETE FROM outbox o WHERE o.account_id = ${account} AND (${which}) RETURNING o.permit_id`.execute(
    tx,
  );
  const permits = rows.map((row) => row.permit_id);
  await erasePermits(tx, account, sql`p.id = ANY(${permits}::uuid[])`);
  return rows.length;
}

/** `which` is a condition on `permits p`; no outbox row may refer to these permits any more. */
async function erasePermits(
  tx: Transaction,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<{ approval_id: ApprovalId | null }>`
    DELETE FROM permits p WHERE p.account_id = ${account} AND (${which}) RETURNING p.approval_id`.execute(
    tx,
  );
  const asked = rows.map((row) => row.approval_id).filter((id) => id !== null);
  await eraseApprovals(tx, account, sql`a.id = ANY(${asked}::uuid[])`);
}

/** `which` is a condition on `approvals a`. */
async function eraseApprovals(
  tx: Transaction,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM approvals a WHERE a.account_id = ${account} AND (${which})`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

// Erases digests, with their facts and search entries (by key and by trigger).

/** `which` is a condition on `digests g`. */
export async function findDigestIds(
  db: Db,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<DigestId[]> {
  const { rows } = await sql<{ id: DigestId }>`
    SELECT g.id FROM digests g WHERE g.account_id = ${account} AND (${which})
    ORDER BY g.period_end`.execute(db);
  return rows.map(({ id }) => id);
}

export async function eraseDigests(
  tx: Transaction,
  account: AccountId,
  ids: readonly DigestId[],
): Promise<void> {
  await sql`DELETE FROM digests WHERE account_id = ${account} AND id = ANY(${ids}::uuid[])`.execute(
    tx,
  );
}

// Erases what the owner's assistant derived from chats: its answers, the input and output of its tools, and the same
// answers where they were sent to the owner's own chat. The owner's questions stay.

export async function eraseAssistantAnswers(
  tx: Transaction,
  account: AccountId,
  whom: ErasureSubject,
): Promise<{ answers: number; calls: number }> {
  const { rows: lines } = await sql<{ run_id: RunId; session_id: SessionId }>`
    DELETE FROM session_messages l USING runs r WHERE l.account_id = ${account} AND l.role <> 'user'
      AND r.account_id = ${account} AND r.id = l.run_id AND ${madeFromSubject(whom, sql`l.content`)}
    RETURNING l.run_id, l.session_id`.execute(tx);
  const { numAffectedRows: calls } = await sql`
    DELETE FROM tool_calls t USING runs r WHERE t.account_id = ${account} AND r.account_id = ${account}
      AND r.id = t.run_id AND ${madeFromSubject(whom, sql`concat_ws(' ', t.arguments, t.result, t.effect)`)}`.execute(
    tx,
  );
  const sessions = lines.map((line) => line.session_id);
  await sql`UPDATE sessions SET summary = NULL
    WHERE account_id = ${account} AND id = ANY(${sessions}::uuid[]) AND summary IS NOT NULL`.execute(
    tx,
  );
  await eraseSentAnswers(tx, account, whom);
  return { answers: lines.length, calls: Number(calls ?? 0) };
}

async function eraseSentAnswers(
  tx: Transaction,
  account: AccountId,
  whom: ErasureSubject,
): Promise<void> {
  const { rows } = await sql<{ id: OutboxId; chat_id: ChatId; message_id: MessageId }>`
    SELECT o.id, o.chat_id, o.message_id FROM outbox o
      JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
      JOIN runs r ON r.account_id = o.account_id AND r.id = p.run_id
      JOIN sessions s ON s.account_id = o.account_id AND s.id = r.session_id AND s.chat_id = o.chat_id
    WHERE o.account_id = ${account} AND ${madeFromSubject(whom, sql`o.body`)}`.execute(tx);
  if (rows.length === 0) return;
  const messages = rows.map((row) => row.message_id);
  const chats = rows.map((row) => row.chat_id);
  await eraseSome(
    tx,
    account,
    sql`m.chat_id = ANY(${chats}::uuid[]) AND m.message_id = ANY(${messages}::text[])`,
    rows.length * 2,
  );
  await eraseOutboxMessages(tx, account, sql`o.id = ANY(${rows.map((row) => row.id)}::uuid[])`);
}

// Erases what other people's messages contain of a contact: quotes of their messages, and their number where a message
// mentions them. What others wrote stays; only what WhatsApp inserted is removed.

/** Call before the contact's own messages are erased, because these show who quotes them. */
export async function eraseQuotesAndMentions(
  tx: Transaction,
  account: AccountId,
  person: PersonToErase,
): Promise<void> {
  // The sealed content of a reply contains the whole quoted message.
  await sql`UPDATE messages q SET content = NULL FROM messages m
    WHERE m.account_id = ${account} AND (${messagesOfSubject(person)}) AND q.account_id = ${account}
      AND q.chat_id = m.chat_id AND q.quoted_id = m.message_id AND q.content IS NOT NULL`.execute(
    tx,
  );
  if (person.addresses.length > 0) await eraseMentions(tx, account, person);
}

const isTheirJid = (person: PersonToErase) =>
  sql`regexp_replace(jid, '[:_@].*$', '') = ANY(${person.addresses}::text[])`;

async function eraseMentions(
  tx: Transaction,
  account: AccountId,
  person: PersonToErase,
): Promise<void> {
  const numbers = `@(${person.addresses.join('|')})(?![0-9])`;
  const { rows } = await sql<{ id: number; chat_id: ChatId }>`
    UPDATE messages m SET content = NULL, body = regexp_replace(m.body, ${numbers}, '@…', 'g'),
      details = jsonb_set(m.details, '{mentions}', coalesce((SELECT jsonb_agg(jid)
        FROM jsonb_array_elements_text(m.details->'mentions') jid WHERE NOT ${isTheirJid(person)}), '[]'))
    WHERE m.account_id = ${account} AND m.chat_id = ANY(${person.groups}::uuid[]) AND m.details ? 'mentions'
      AND EXISTS (SELECT FROM jsonb_array_elements_text(m.details->'mentions') jid WHERE ${isTheirJid(person)})
    RETURNING m.id, m.chat_id`.execute(tx);
  const documents = rows.map(({ id }) => String(id));
  await sql`UPDATE search_documents SET terms = ts_delete(terms, ${toLexemes(account, person.addresses)}::text[])
    WHERE account_id = ${account} AND source_kind = 'message' AND source_id = ANY(${documents}::text[])`.execute(
    tx,
  );
}

// The last transaction of an erasure: everything that belongs to the contact or the chat, then their own rows, whose
// foreign keys delete the rest.
// Invariant: it ends with the ledger row of the erasure, which names nobody.

/** More messages than can have arrived between the batches and this transaction. */
const MAX_STRAGGLERS = 100_000;

/** Returns the ids that jobs may still refer to. */
export async function eraseWhole(
  tx: Transaction,
  account: AccountId,
  whom: ErasureSubject,
  figures: Readonly<Record<string, number>>,
): Promise<readonly string[]> {
  await lockContactCreation(tx, account);
  const ids = await idsOf(tx, account, whom);
  await eraseSome(tx, account, messagesOfSubject(whom), MAX_STRAGGLERS);
  await eraseApprovals(
    tx,
    account,
    sql`(${approvalsAboutSubject(whom)}) AND NOT EXISTS (SELECT FROM permits p
    WHERE p.account_id = a.account_id AND p.approval_id = a.id)`,
  );
  await eraseOutboxMessages(tx, account, sql`o.chat_id = ${whom.chat}`);
  await erasePermits(tx, account, sql`p.chat_id = ${whom.chat}`);
  await sql`DELETE FROM inbox i WHERE i.account_id = ${account} AND (${inboxOfSubject(whom)})`.execute(
    tx,
  );
  await sql`DELETE FROM timers WHERE account_id = ${account} AND subject_id::text = ANY(${ids}::text[])`.execute(
    tx,
  );
  await sql`DELETE FROM events WHERE account_id = ${account} AND (subject = ANY(${ids}::text[])
    OR ARRAY[data->>'contact', data->>'chat', data->>'instance', data->>'from'] && ${ids}::text[])`.execute(
    tx,
  );
  await eraseMentioned(tx, account, whom, ids);
  await sql`DELETE FROM message_keys WHERE account_id = ${account} AND chat_id = ${whom.chat}`.execute(
    tx,
  );
  await sql`DELETE FROM chats WHERE account_id = ${account} AND id = ${whom.chat}`.execute(tx);
  if (whom.kind === 'person') await eraseContact(tx, account, whom);
  await appendLedger(tx, account, {
    actor: 'owner',
    action: 'forget',
    subject: { kind: 'erasure', id: randomUUID() },
    outcome: 'erased',
    reason: 'owner',
    detail: { of: whom.kind, ...figures },
  });
  return ids;
}

async function eraseContact(
  tx: Transaction,
  account: AccountId,
  person: PersonToErase,
): Promise<void> {
  const { contact } = person;
  await sql`DELETE FROM message_keys WHERE account_id = ${account} AND chat_id = ANY(${person.groups}::uuid[])
    AND sender = ANY(${[contact ?? '', ...person.names.map((name) => `name:${name}`)]}::text[])`.execute(
    tx,
  );
  await sql`UPDATE tokens SET contacts = array_remove(contacts, ${contact}::uuid)
    WHERE account_id = ${account} AND contacts @> ARRAY[${contact}]::uuid[]`.execute(tx);
  await sql`DELETE FROM contacts WHERE account_id = ${account} AND id = ${contact}`.execute(tx);
}

/** Stored responses, notifications and webhook deliveries that mention the subject. */
async function eraseMentioned(
  tx: Transaction,
  account: AccountId,
  whom: ErasureSubject,
  ids: readonly string[],
): Promise<void> {
  const named = whom.kind === 'person' ? namePattern(whom) : null;
  const pattern = [...ids, ...(named === null ? [] : [named])].join('|');
  if (pattern === '') return;
  await sql`DELETE FROM idempotency_keys WHERE account_id = ${account} AND response::text ~* ${pattern}`.execute(
    tx,
  );
  await sql`DELETE FROM owner_notifications WHERE account_id = ${account} AND subject ~* ${pattern}`.execute(
    tx,
  );
  await sql`DELETE FROM webhook_deliveries WHERE account_id = ${account} AND facts::text ~* ${pattern}`.execute(
    tx,
  );
}

/** The ids of everything that is erased with the subject, read while it still exists. */
async function idsOf(tx: Transaction, account: AccountId, whom: ErasureSubject): Promise<string[]> {
  const contact = whom.kind === 'person' ? whom.contact : null;
  const { rows } = await sql<{ id: string }>`
    SELECT id::text FROM (
      SELECT ${whom.chat}::uuid AS id UNION ALL SELECT ${contact}::uuid
      ${sql.join(
        ['instances', 'sessions', 'grants'].map(
          (table) => sql`UNION ALL SELECT id FROM ${sql.table(table)} WHERE account_id = ${account}
            AND (chat_id = ${whom.chat} OR contact_id = ${contact})`,
        ),
        sql` `,
      )}
      ${sql.join(
        ['schedules', 'outbox', 'digests', 'observer_requests'].map(
          (table) => sql`UNION ALL SELECT id FROM ${sql.table(table)}
            WHERE account_id = ${account} AND chat_id = ${whom.chat}`,
        ),
        sql` `,
      )}
      UNION ALL SELECT a.id FROM approvals a WHERE a.account_id = ${account} AND (${approvalsAboutSubject(whom)})
    ) everything WHERE id IS NOT NULL`.execute(tx);
  return rows.map(({ id }) => id);
}

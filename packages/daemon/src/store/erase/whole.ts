// The last transaction of an erasure: everything that hangs on the person or the chat, then the rows
// themselves, whose keys take the rest along. Invariant: it ends with the row of the ledger that says so, which
// names nobody.
import { randomUUID } from 'node:crypto';
import type { AccountId } from '@relay/core/ids';
import { sql } from 'kysely';
import { waitForLearners } from '../contacts.ts';
import type { Transaction } from '../database.ts';
import { appendLedger } from '../ledger.ts';
import { eraseSome } from './messages.ts';
import { naming } from './naming.ts';
import { eraseOutgoing, erasePermits, eraseQuestions } from './outgoing.ts';
import { messagesOf, questionsAbout, receivedFrom } from './parts.ts';
import type { Person, Whom } from './who.ts';

/** More than can have come between the batches and this. */
const STRAGGLERS = 100_000;

/** Returns the ids that jobs may still speak of. */
export async function eraseWhole(
  tx: Transaction,
  account: AccountId,
  whom: Whom,
  figures: Readonly<Record<string, number>>,
): Promise<readonly string[]> {
  await waitForLearners(tx, account);
  const ids = await idsOf(tx, account, whom);
  await eraseSome(tx, account, messagesOf(whom), STRAGGLERS);
  await eraseQuestions(
    tx,
    account,
    sql`(${questionsAbout(whom)}) AND NOT EXISTS (SELECT FROM permits p
    WHERE p.account_id = a.account_id AND p.approval_id = a.id)`,
  );
  await eraseOutgoing(tx, account, sql`o.chat_id = ${whom.chat}`);
  await erasePermits(tx, account, sql`p.chat_id = ${whom.chat}`);
  await sql`DELETE FROM inbox i WHERE i.account_id = ${account} AND (${receivedFrom(whom)})`.execute(
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

async function eraseContact(tx: Transaction, account: AccountId, person: Person): Promise<void> {
  const { contact } = person;
  await sql`DELETE FROM message_keys WHERE account_id = ${account} AND chat_id = ANY(${person.groups}::uuid[])
    AND sender = ANY(${[contact ?? '', ...person.names.map((name) => `name:${name}`)]}::text[])`.execute(
    tx,
  );
  await sql`UPDATE tokens SET contacts = array_remove(contacts, ${contact}::uuid)
    WHERE account_id = ${account} AND contacts @> ARRAY[${contact}]::uuid[]`.execute(tx);
  await sql`DELETE FROM contacts WHERE account_id = ${account} AND id = ${contact}`.execute(tx);
}

/** What holds answers and events as they were told: whatever speaks of what goes. */
async function eraseMentioned(
  tx: Transaction,
  account: AccountId,
  whom: Whom,
  ids: readonly string[],
): Promise<void> {
  const named = whom.kind === 'person' ? naming(whom) : null;
  const pattern = [...ids, ...(named === null ? [] : [named])].join('|');
  if (pattern === '') return;
  await sql`DELETE FROM idempotency_keys WHERE account_id = ${account} AND response::text ~* ${pattern}`.execute(
    tx,
  );
  await sql`DELETE FROM webhook_deliveries WHERE account_id = ${account} AND facts::text ~* ${pattern}`.execute(
    tx,
  );
}

/** Of everything that goes with it, while it is still there. */
async function idsOf(tx: Transaction, account: AccountId, whom: Whom): Promise<string[]> {
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
      UNION ALL SELECT a.id FROM approvals a WHERE a.account_id = ${account} AND (${questionsAbout(whom)})
    ) everything WHERE id IS NOT NULL`.execute(tx);
  return rows.map(({ id }) => id);
}

// Inserts thousands of conversations in one statement, for tests that must hold for any number of them. Each has its
// own contact; one in fifty of the running ones has an approval.
import { INSTANCE_STATES } from '@relay/contract/conversation/states';

type Sql = (text: string, values?: readonly unknown[]) => Promise<unknown>;

/** Most have ended and many wait for a reply, as after a year of use. */
const STATES = [
  ...INSTANCE_STATES,
  ...Array.from({ length: 13 }, () => 'COMPLETED'),
  ...Array.from({ length: 6 }, () => 'WAITING_FOR_REPLY'),
];

export async function insertConversations(sql: Sql, account: string | number, count: number) {
  await sql(
    `WITH sown AS MATERIALIZED (
       SELECT n, gen_random_uuid() AS contact, gen_random_uuid() AS chat, gen_random_uuid() AS id,
         '1202' || to_char(n, 'FM0000000') AS phone, ($2::text[])[1 + n % ${STATES.length}] AS state
       FROM generate_series(1, $3::int) n),
     people AS (INSERT INTO relay.contacts (account_id, id, push_name)
       SELECT $1, contact, 'Person ' || to_char(n, 'FM00000') FROM sown),
     numbers AS (INSERT INTO relay.contact_aliases (account_id, kind, value, contact_id)
       SELECT $1, 'phone', phone, contact FROM sown),
     places AS (INSERT INTO relay.chats (account_id, id, kind, contact_id)
       SELECT $1, chat, 'direct', contact FROM sown),
     asked AS (
       INSERT INTO relay.approvals (account_id, intent, intent_hash, reason, requested_by, expires_at, instance_id)
       SELECT $1, jsonb_build_object('kind', 'send_message', 'chat', chat, 'text', 'Hello'), sha256(id::text::bytea),
         'confirm', 'conversation:' || id, now() + interval '20 days', id
       FROM sown WHERE n % 50 = 7 AND state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED'))
     INSERT INTO relay.instances (account_id, id, contact_id, chat_id, target_contact, objective, todos, state,
       previous_state, interval_ms, max_followups, timer_due_at, updated_at, created_at)
     SELECT $1, id, contact, chat, '+' || phone,
       (ARRAY['Agree a date', 'Get a quote', 'Chase the invoice', 'Arrange a visit'])[1 + n % 4] || ' for place ' || n,
       '[{"id":"1","text":"Ask","status":"completed"},{"id":"2","text":"Agree","status":"pending"}]', state,
       CASE state WHEN 'PAUSED' THEN 'WAITING_FOR_REPLY' END, 1800000, 5,
       CASE state WHEN 'WAITING_FOR_REPLY' THEN now() + interval '20 days' + n * interval '1 minute' END,
       now() - n * interval '1 minute', now() - n * interval '2 minutes'
     FROM sown`,
    [account, STATES, count],
  );
  await sql('ANALYZE');
}

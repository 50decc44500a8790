// Fills the database of a running daemon for a busy owner: conversations in every state, one endless chat, and later
// changes at a given rate, with the events that the daemon itself would append.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTANCE_STATES } from '@relay/contract/conversation/states';
import type { Demo } from '@relay/testing/e2e/demo';
import { eventually } from '@relay/testing/e2e/gateway';
import pg from 'pg';

const TICK_MS = 100;

export interface SeedResult {
  /** The chat with all the messages. */
  readonly chat: string;
  /** A conversation that its owner may write to. */
  readonly conversation: string;
  /** Makes this many changes per second until it is stopped; returns how many were made. */
  change(perSecond: number): { stop(): Promise<number> };
  end(): Promise<void>;
}

export async function seed(
  demo: Demo,
  talker: string,
  conversations: number,
  messages: number,
): Promise<SeedResult> {
  const client = new pg.Client({
    host: join(demo.home, 'postgres/data'),
    user: 'relay',
    database: 'relay',
    password: readFileSync(join(demo.home, 'postgres/password'), 'utf8').trim(),
  });
  // The server ends with the demo; an error before that is what counts.
  client.on('error', () => {});
  await client.connect();
  await client.query('SET search_path TO relay, public');
  await client.query(PEOPLE, [conversations]);
  await client.query(INSTANCES, [INSTANCE_STATES]);
  const { rows } = await client.query<{ chat_id: string }>(CHAT_OF, [talker]);
  const chat = rows[0]?.chat_id ?? '';
  await client.query(MONTHS, [messages]);
  await client.query(MESSAGES, [chat, messages]);
  await client.query('ANALYZE');
  await eventually(
    'search to have read them',
    async () => {
      const { rows: found } = await client.query<{ count: number }>(INDEXED);
      return Number(found[0]?.count) >= messages || undefined;
    },
    600_000,
  );
  const open = await client.query<{ id: string }>(
    "SELECT id FROM instances WHERE state = 'WAITING_FOR_REPLY' LIMIT 1",
  );
  return {
    chat,
    conversation: open.rows[0]?.id ?? '',
    change: (perSecond) => changing(client, perSecond),
    end: () => client.end(),
  };
}

/** The effect of a transition: the changed row and the event. */
function changing(client: pg.Client, perSecond: number): { stop(): Promise<number> } {
  let told = 0;
  let isOver = false;
  const run = async () => {
    const began = performance.now();
    while (!isOver) {
      const due = Math.floor(((performance.now() - began) / 1_000) * perSecond) - told;
      if (due > 0) {
        await client.query(CHANGES, [due]);
        told += due;
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    return told;
  };
  const over = run();
  return {
    stop() {
      isOver = true;
      return over;
    },
  };
}

const ACCOUNT = '(SELECT id FROM accounts ORDER BY id LIMIT 1)';

const PEOPLE = `
  WITH people AS (
    INSERT INTO contacts (account_id, display_name, last_message_at)
    SELECT ${ACCOUNT}, 'Person ' || n, now() - n * interval '1 minute'
    FROM generate_series(1, $1::int) AS n RETURNING account_id, id, display_name
  ), numbers AS (
    INSERT INTO contact_aliases (account_id, kind, value, contact_id)
    SELECT account_id, 'phone', (490000000000 + split_part(display_name, ' ', 2)::int)::text, id FROM people
  )
  INSERT INTO chats (account_id, kind, contact_id, last_message_at)
  SELECT account_id, 'direct', id, now() - interval '1 day' FROM people`;

const INSTANCES = `
  INSERT INTO instances (account_id, id, contact_id, chat_id, target_contact, objective, todos, state,
    previous_state, interval_ms, max_followups, failure_reason, reason, created_at, updated_at)
  SELECT c.account_id, gen_random_uuid(), p.id, c.id, a.value,
    'Agree with ' || p.display_name || ' on a day for the delivery of part ' || row_number() OVER (),
    '[]', s.state, CASE s.state WHEN 'PAUSED' THEN 'WAITING_FOR_REPLY' END, 1800000, 5,
    CASE s.state WHEN 'FAILED' THEN 'cancelled' END, 'Waiting for an answer.',
    now() - interval '2 days', now() - random() * interval '2 days'
  FROM contacts p JOIN chats c ON c.contact_id = p.id AND c.account_id = p.account_id
    JOIN contact_aliases a ON a.contact_id = p.id AND a.kind = 'phone'
    CROSS JOIN LATERAL (SELECT ($1::text[])[1 + (abs(hashtext(p.id::text)) % cardinality($1::text[]))] AS state) s
  WHERE p.display_name LIKE 'Person %'`;

const CHAT_OF = `
  SELECT c.id AS chat_id FROM chats c JOIN contact_aliases a ON a.contact_id = c.contact_id
  WHERE a.kind = 'phone' AND a.value = $1`;

const MONTHS = `
  SELECT ensure_message_month(now() - n * interval '20 days')
  FROM generate_series(0, 1 + $1::int / (20 * 1440)) AS n`;

const MESSAGES = `
  INSERT INTO messages (account_id, sent_at, chat_id, sender_id, from_me, message_id, kind, body)
  SELECT c.account_id, now() - ($2::int - n + 1) * interval '1 minute', c.id,
    CASE WHEN n % 3 = 0 THEN NULL ELSE c.contact_id END, n % 3 = 0, 'SEED' || n, 'text',
    'Line ' || n || ': ' || repeat('what was agreed about the delivery, ', 1 + n % 7)
  FROM chats c, generate_series(1, $2::int) AS n WHERE c.id = $1`;

const INDEXED = "SELECT count(*) AS count FROM search_documents WHERE source_kind = 'message'";

/** Picks rows at random; a row picked twice gets two events. */
const CHANGES = `
  WITH chosen AS MATERIALIZED (
    SELECT 1 + floor(random() * (SELECT max(queue_seq) FROM instances))::bigint AS seq
    FROM generate_series(1, $1::int)
  ), changed AS (
    UPDATE instances SET updated_at = now()
    WHERE account_id = ${ACCOUNT} AND queue_seq IN (SELECT seq FROM chosen)
  )
  INSERT INTO events (account_id, kind, subject, data)
  SELECT i.account_id, 'conversation', i.id::text,
    jsonb_build_object('state', i.state, 'from', i.state, 'trigger', 'message_received')
  FROM chosen JOIN instances i ON i.account_id = ${ACCOUNT} AND i.queue_seq = chosen.seq`;

// An owner's data at earlier schema versions, table by table, as the program of that time wrote it, and the query for
// each after the upgrade. A row names only columns that existed from its version on. Invariant: a table is listed from
// the version whose program first wrote to it, which may be later than its creation.
import type pg from 'pg';

export const ANA = '0a000000-0000-4000-8000-000000000001';
export const ANAS_CHAT = '0a000000-0000-4000-8000-000000000002';
export const GROUP = '0a000000-0000-4000-8000-000000000003';
export const INSTANCE = '0a000000-0000-4000-8000-000000000004';
const APPROVAL = '0a000000-0000-4000-8000-000000000005';
const PERMIT = '0a000000-0000-4000-8000-000000000006';
const OUTBOX = '0a000000-0000-4000-8000-000000000007';
const RUN = '0a000000-0000-4000-8000-000000000008';
const DIGEST = '0a000000-0000-4000-8000-000000000009';
const SCHEDULE = '0a000000-0000-4000-8000-00000000000a';
const TOKEN = '0a000000-0000-4000-8000-00000000000b';
const SESSION = '0a000000-0000-4000-8000-00000000000c';
const REQUEST = '0a000000-0000-4000-8000-00000000000d';
const WEBHOOK = '0a000000-0000-4000-8000-00000000000e';

interface Chapter {
  /** The first schema version that has it. */
  readonly from: number;
  readonly write: string;
  /** A query for one row with one column `found`: what must come back. */
  readonly ask: string;
  readonly found: unknown;
}

export const PAST: Readonly<Record<string, Chapter>> = {
  // Since the ledger exists: an account gets its ledger head when it is created.
  accounts: {
    from: 3,
    write: "INSERT INTO accounts (id, label, phone) VALUES (1, 'Olga', '15550000000')",
    ask: "SELECT label || ' ' || phone AS found FROM accounts",
    found: 'Olga 15550000000',
  },
  holds: {
    from: 3,
    write: "INSERT INTO holds (account_id, reason) VALUES (1, 'on holiday')",
    ask: 'SELECT reason AS found FROM holds',
    found: 'on holiday',
  },
  settings: {
    from: 3,
    write: `INSERT INTO settings (account_id, key, value) VALUES (1, 'k', '{"a": [1, null]}')`,
    ask: "SELECT value AS found FROM settings WHERE key = 'k'",
    found: { a: [1, null] },
  },
  'a chain of decisions': {
    from: 3,
    write: `SELECT ledger_add(1, 'owner', 'send', 'chat', '${ANAS_CHAT}', 'allow', 'owner', '{"n": 1}'),
      ledger_add(1, 'router', 'route', 'message', 'M1', 'stored', 'no_grant', '{}')`,
    ask: "SELECT string_agg(seq || ' ' || actor || ' ' || outcome, ', ' ORDER BY seq) AS found FROM ledger WHERE seq < 3",
    found: '1 owner allow, 2 router stored',
  },
  contacts: {
    from: 3,
    write: `INSERT INTO contacts (account_id, id, display_name) VALUES (1, '${ANA}', 'Ana');
      INSERT INTO contact_aliases (account_id, kind, value, contact_id) VALUES (1, 'phone', '15550000001', '${ANA}')`,
    ask: 'SELECT display_name || value AS found FROM contacts c JOIN contact_aliases a ON a.contact_id = c.id',
    found: 'Ana15550000001',
  },
  chats: {
    from: 3,
    write: `INSERT INTO chats (account_id, id, kind, contact_id) VALUES (1, '${ANAS_CHAT}', 'direct', '${ANA}');
      INSERT INTO chats (account_id, id, kind, group_address, subject) VALUES (1, '${GROUP}', 'group', '1203@g.us', 'Family');
      INSERT INTO chat_members (account_id, chat_id, contact_id) VALUES (1, '${GROUP}', '${ANA}')`,
    ask: "SELECT string_agg(kind || coalesce(subject, ''), ', ' ORDER BY kind) AS found FROM chats",
    found: 'direct, groupFamily',
  },
  grants: {
    from: 3,
    write: `INSERT INTO grants (account_id, contact_id, display_name, can_read, reply_mode) VALUES (1, '${ANA}', 'Ana', true, 'draft')`,
    ask: "SELECT concat_ws(' ', can_read, can_reply, can_initiate, reply_mode) AS found FROM grants",
    found: 't f f draft',
  },
  knocks: {
    from: 3,
    write: `INSERT INTO knocks (account_id, contact_id, count) VALUES (1, '${ANA}', 3)`,
    ask: 'SELECT count AS found FROM knocks',
    found: 3,
  },
  messages: {
    from: 5,
    write: `SELECT ensure_message_month(now());
      INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
        VALUES (1, '${ANAS_CHAT}', '${ANA}', 'M1', nextval('message_ids'), now());
      INSERT INTO messages (account_id, sent_at, id, chat_id, sender_id, from_me, message_id, kind, body)
        SELECT 1, sent_at, id, chat_id, '${ANA}', false, 'M1', 'text', 'Grüße 👩‍👧' FROM message_keys`,
    ask: 'SELECT body AS found FROM messages',
    found: 'Grüße 👩‍👧',
  },
  approvals: {
    from: 7,
    write: `INSERT INTO approvals (account_id, id, intent, intent_hash, reason, requested_by, state, expires_at)
      VALUES (1, '${APPROVAL}', '{}', '\\x01', 'draft', 'owner', 'approved', now() + interval '1 day')`,
    ask: 'SELECT state AS found FROM approvals',
    found: 'approved',
  },
  'permits and the outbox': {
    from: 7,
    write: `INSERT INTO permits (account_id, id, ledger_seq, actor, intent, chat_id, content_hash)
        VALUES (1, '${PERMIT}', 1, 'owner', 'send_message', '${ANAS_CHAT}', '\\x02');
      INSERT INTO outbox (account_id, id, permit_id, chat_id, message_id, body, state, sent_at)
        VALUES (1, '${OUTBOX}', '${PERMIT}', '${ANAS_CHAT}', 'OUT1', 'On my way', 'read', now())`,
    ask: "SELECT o.state || ' ' || p.actor AS found FROM outbox o JOIN permits p ON p.id = o.permit_id",
    found: 'read owner',
  },
  conversations: {
    from: 8,
    write: `INSERT INTO instances (account_id, id, contact_id, chat_id, target_contact, objective, state, interval_ms, max_followups, todos)
        VALUES (1, '${INSTANCE}', '${ANA}', '${ANAS_CHAT}', '+15550000001', 'Agree on a day', 'NEEDS_HUMAN_INTERVENTION', 1800000, 5, '[]');
      INSERT INTO instance_transitions (account_id, instance_id, from_state, to_state, trigger, epoch)
        VALUES (1, '${INSTANCE}', 'CREATED', 'NEEDS_HUMAN_INTERVENTION', 'request_intervention', 1);
      INSERT INTO instance_messages (account_id, instance_id, role, content) VALUES (1, '${INSTANCE}', 'contact', 'Tuesday?')`,
    ask: `SELECT i.state || ' ' || i.objective || ' ' || m.content || ' ' || t.trigger AS found FROM instances i
      JOIN instance_messages m ON m.instance_id = i.id JOIN instance_transitions t ON t.instance_id = i.id`,
    found: 'NEEDS_HUMAN_INTERVENTION Agree on a day Tuesday? request_intervention',
  },
  timers: {
    from: 8,
    write: `INSERT INTO timers (account_id, kind, subject_id, epoch, due_at)
      VALUES (1, 'heartbeat', '${INSTANCE}', 1, '2099-01-01')`,
    ask: "SELECT epoch AS found FROM timers WHERE kind = 'heartbeat'",
    found: 1,
  },
  runs: {
    from: 9,
    write: `INSERT INTO runs (account_id, id, actor, instance_id, provider, model, state, input_tokens, output_tokens)
        VALUES (1, '${RUN}', 'conversation', '${INSTANCE}', 'ollama', 'qwen3', 'done', 100, 23);
      INSERT INTO tool_calls (account_id, run_id, call_id, name, arguments) VALUES (1, '${RUN}', 'c1', 'send_message', '{}')`,
    ask: "SELECT state || ' ' || (input_tokens + output_tokens) || ' ' || t.name AS found FROM runs r JOIN tool_calls t ON t.run_id = r.id",
    found: 'done 123 send_message',
  },
  digests: {
    from: 10,
    write: `INSERT INTO observed_groups (account_id, chat_id, zone) VALUES (1, '${GROUP}', 'Europe/Berlin');
      INSERT INTO digests (account_id, id, chat_id, kind, period_start, period_end, body, tokens)
        VALUES (1, '${DIGEST}', '${GROUP}', 'daily', now() - interval '1 day', now(), 'They agreed.', 4);
      INSERT INTO digest_facts (account_id, digest_id, kind, body) VALUES (1, '${DIGEST}', 'decision', 'Tuesday');
      INSERT INTO observer_usage (account_id, chat_id, day, tokens_saved) VALUES (1, '${GROUP}', '2026-01-01', 99)`,
    ask: `SELECT d.body || ' ' || f.body || ' ' || u.tokens_saved AS found FROM digests d
      JOIN digest_facts f ON f.digest_id = d.id JOIN observer_usage u ON u.chat_id = d.chat_id AND u.day = '2026-01-01'`,
    found: 'They agreed. Tuesday 99',
  },
  schedules: {
    from: 11,
    write: `INSERT INTO schedules (account_id, id, rule, zone, chat_id, body, created_by, next_at)
        VALUES (1, '${SCHEDULE}', '{"kind": "once", "at": "2099-01-01T09:00"}', 'UTC', '${ANAS_CHAT}', 'Happy new year', 'owner', '2099-01-01T09:00Z');
      INSERT INTO schedule_runs (account_id, schedule_id, due_at, outcome, reason) VALUES (1, '${SCHEDULE}', '2026-01-01', 'skipped', 'missed')`,
    ask: "SELECT state || ' ' || body || ' ' || r.outcome AS found FROM schedules s JOIN schedule_runs r ON r.schedule_id = s.id",
    found: 'active Happy new year skipped',
  },
  tokens: {
    from: 12,
    write: `INSERT INTO tokens (account_id, id, name, hash, scopes) VALUES (1, '${TOKEN}', 'claude', '\\x03', '{messages:read}');
      INSERT INTO idempotency_keys (account_id, actor, key, request_hash, status) VALUES (1, 'owner', 'k', '\\x04', 201)`,
    ask: "SELECT name || scopes[1] || status AS found FROM tokens, idempotency_keys WHERE name = 'claude'",
    found: 'claudemessages:read201',
  },
  freezes: {
    from: 7,
    write:
      "INSERT INTO freezes (account_id, cause, until, strikes) VALUES (1, 'too_fast', '2026-01-01', 2)",
    ask: 'SELECT strikes AS found FROM freezes',
    found: 2,
  },
  sessions: {
    from: 9,
    write: `INSERT INTO sessions (account_id, id, kind, title, key, chat_id) VALUES (1, '${SESSION}', 'auto_reply', 'WhatsApp: Ana', '${ANA}', '${ANAS_CHAT}');
      INSERT INTO session_messages (account_id, session_id, role, content) VALUES (1, '${SESSION}', 'user', 'Hello')`,
    ask: "SELECT title || ' ' || m.content AS found FROM sessions s JOIN session_messages m ON m.session_id = s.id",
    found: 'WhatsApp: Ana Hello',
  },
  'requests in groups': {
    from: 10,
    write: `INSERT INTO observer_requests (account_id, id, chat_id, message, sent_at, state, reason)
      VALUES (1, '${REQUEST}', '${GROUP}', 1, now(), 'silent', 'not_owner')`,
    ask: "SELECT state || ' ' || reason AS found FROM observer_requests",
    found: 'silent not_owner',
  },
  'what was erased': {
    from: 5,
    write: "INSERT INTO erased_messages (account_id, mark) VALUES (1, '\\x05')",
    ask: "SELECT encode(mark, 'hex') AS found FROM erased_messages",
    found: '05',
  },
  'what programs have read': {
    from: 12,
    write: `INSERT INTO token_reads (account_id, token_id, chat_id) VALUES (1, '${TOKEN}', '${ANAS_CHAT}')`,
    ask: 'SELECT chat_id AS found FROM token_reads',
    found: ANAS_CHAT,
  },
  webhooks: {
    from: 13,
    write: `INSERT INTO webhooks (account_id, id, name, url, secret, events, enabled)
      VALUES (1, '${WEBHOOK}', 'home', 'https://example.com', '\\x06', '{message.received}', false)`,
    ask: "SELECT name || ' ' || url || ' ' || enabled AS found FROM webhooks",
    found: 'home https://example.com false',
  },
  'devices with notifications': {
    from: 15,
    write: `INSERT INTO push_devices (account_id, name, endpoint, p256dh, auth, locale)
      VALUES (1, 'Phone', 'https://push.example.com/1', 'key', 'auth', 'en')`,
    ask: 'SELECT name AS found FROM push_devices',
    found: 'Phone',
  },
  'notifications of the owner': {
    from: 15,
    write: `INSERT INTO owner_notifications (account_id, kind, key, subject, created_at)
      VALUES (1, 'model', 'budget:2026-11-18', 'budget', now())`,
    ask: 'SELECT subject AS found FROM owner_notifications',
    found: 'budget',
  },
};

/** Writes all rows of that schema. Returns their names. */
export async function writePast(client: pg.ClientBase, schema: number): Promise<string[]> {
  const then = Object.entries(PAST).filter(([, { from }]) => from <= schema);
  await client.query('SET search_path = relay');
  for (const [name, { write }] of then) {
    await client.query(write).catch((error: Error) => {
      throw new Error(`${name} could not be written at schema ${schema}: ${error.message}`);
    });
  }
  return then.map(([name]) => name);
}

/** The rows that exist now, by name. */
export async function readPast(
  client: pg.ClientBase,
  names: readonly string[],
): Promise<Record<string, unknown>> {
  await client.query('SET search_path = relay');
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const { rows } = await client.query<{ found: unknown }>(PAST[name]?.ask ?? '');
    found[name] = rows.length === 1 ? rows[0]?.found : rows.map((row) => row.found);
  }
  return found;
}

export const past = (names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, PAST[name]?.found]));

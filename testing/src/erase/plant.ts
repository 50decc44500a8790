// Creates a person and their group with a canary in every column that can hold personal data, for the tests of erasure.
// The rows satisfy the database's constraints, so they are realistic.

import { randomBytes, randomUUID } from 'node:crypto';
import type { AccountId, ChatId, ContactId } from '@relay/contract/ids';

export interface PlantResult {
  /** Prefix of every canary. */
  readonly tag: string;
  readonly contact: ContactId;
  readonly chat: ChatId;
  readonly group: ChatId;
  readonly phone: string;
  readonly messages: readonly string[];
}

export async function plant(
  sql: Sql,
  account: AccountId,
  options: PlantOptions = {},
): Promise<PlantResult> {
  const sowing = new PlantedPerson(sql, account, options);
  const areas = [
    plantPeople,
    plantMessages,
    plantGateRows,
    plantConversation,
    plantAgentRows,
    plantObserverRows,
    plantOtherRows,
  ];
  for (const area of areas) await area(sowing);
  return sowing;
}

// One person to create: their ids, their tag, and how a row with canaries is written.

type Sql = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

interface PlantOptions {
  /** A group shared by several people; by default created for this one. */
  readonly group?: ChatId;
  readonly at?: Date;
  /** A text that is too long for a page, so that it is stored compressed, outside the table. */
  readonly long?: boolean;
}

/** PostgreSQL replaces a second occurrence of three characters by a reference, which a scan would not recognize. */
function incompressibleTag(): string {
  for (;;) {
    const tag = `q${randomBytes(15).toString('hex')}`;
    const threes = Array.from({ length: tag.length - 2 }, (_, at) => tag.slice(at, at + 3));
    if (new Set(threes).size === threes.length) return tag;
  }
}

class PlantedPerson {
  readonly sql: Sql;
  readonly account: AccountId;
  readonly options: PlantOptions;
  /** Prefix of every canary. */
  readonly tag = incompressibleTag();
  readonly phone = `49${String(randomBytes(6).readUIntBE(0, 6)).padStart(12, '1').slice(0, 11)}`;
  readonly lid = `${this.tag}~lid~`;
  readonly contact = randomUUID() as ContactId;
  readonly chat = randomUUID() as ChatId;
  readonly group: ChatId;
  readonly instance = randomUUID();
  readonly session = randomUUID();
  readonly run = randomUUID();
  readonly at: Date;
  readonly messages: string[] = [];

  constructor(sql: Sql, account: AccountId, options: PlantOptions) {
    this.sql = sql;
    this.account = account;
    this.options = options;
    this.group = options.group ?? (randomUUID() as ChatId);
    this.at = options.at ?? new Date();
  }

  word(place: string): string {
    const word = `${this.tag}~${place}~`;
    if (this.options.long !== true || place !== 'messages.body') return word;
    return `${word} ${Array.from({ length: 4_000 }, (_, n) => `and ${n % 97} more words`).join(' ')}`;
  }

  put(table: string, row: Readonly<Record<string, unknown>>): Promise<unknown> {
    const all = { account_id: this.account, ...row };
    const names = Object.keys(all);
    return this.sql(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      Object.values(all),
    );
  }

  /** Inserts a row with canaries in these columns, as text, bytes or JSON as the column needs. */
  sow(
    table: string,
    row: Readonly<Record<string, unknown>>,
    as: { text?: string; json?: string; bytes?: string },
  ): Promise<unknown> {
    const each = (names: string | undefined, make: (word: string) => unknown) =>
      Object.fromEntries(
        (names?.split(' ') ?? []).map((name) => [name, make(this.word(`${table}.${name}`))]),
      );
    return this.put(table, {
      ...row,
      ...each(as.text, (word) => word),
      ...each(as.json, (word) => JSON.stringify({ words: word })),
      ...each(as.bytes, (word) => Buffer.from(word)),
    });
  }
}

// Who the person is and what they said: contact, chats, messages and the search index.

async function plantPeople(sowing: PlantedPerson): Promise<void> {
  await sowing.sow('contacts', { id: sowing.contact }, { text: 'display_name push_name' });
  await sowing.put('contact_aliases', {
    kind: 'phone',
    value: sowing.phone,
    contact_id: sowing.contact,
  });
  await sowing.put('contact_aliases', {
    kind: 'lid',
    value: sowing.lid,
    contact_id: sowing.contact,
  });
  await sowing.put('chats', { id: sowing.chat, kind: 'direct', contact_id: sowing.contact });
  if (sowing.options.group === undefined) {
    await sowing.sow(
      'chats',
      { id: sowing.group, kind: 'group' },
      { text: 'group_address subject' },
    );
  }
  await sowing.put('chat_members', { chat_id: sowing.group, contact_id: sowing.contact });
  await sowing.sow(
    'grants',
    { contact_id: sowing.contact },
    { text: 'display_name', json: 'options' },
  );
  await sowing.put('knocks', { contact_id: sowing.contact });
}

async function plantMessages(sowing: PlantedPerson): Promise<void> {
  const address = `${sowing.phone}@s.whatsapp.net`;
  await sowing.sql(`SELECT ensure_message_month($1)`, [sowing.at]);
  for (const [chat, sender] of [
    [sowing.chat, sowing.contact],
    [sowing.chat, null],
    [sowing.group, sowing.contact],
  ] as const) {
    const message_id = `3EB0${randomBytes(8).toString('hex').toUpperCase()}`;
    sowing.messages.push(message_id);
    const [row] = await sowing.sql(`SELECT nextval('message_ids') AS id`);
    const id = Number(row?.id);
    const place = { chat_id: chat, message_id, id, sent_at: sowing.at };
    await sowing.put('message_keys', { ...place, sender: sender ?? 'me' });
    await sowing.sow(
      'messages',
      {
        ...place,
        sender_id: sender,
        from_me: sender === null,
        kind: 'conversation',
        received_at: sowing.at,
      },
      { text: 'body chat_address sender_address', json: 'details media', bytes: 'content' },
    );
    await sowing.sow(
      'media',
      {
        chat_id: chat,
        message: id,
        message_at: sowing.at,
        message_id,
        origin: 'received',
        kind: 'document',
        state: 'unavailable',
      },
      { text: 'file_name transcript extracted' },
    );
    await plantSearchDocument(sowing, 'message', String(id), chat);
  }
  await plantNames(sowing);
  await sowing.sow(
    'inbox',
    { chat: address, sender: address, message_id: 'M', received_at: sowing.at, done_at: sowing.at },
    { text: 'failure', bytes: 'stanza content' },
  );
  const [chat, sender] = [`${sowing.lid}@lid`, `${sowing.lid}:3@lid`];
  await sowing.put('inbox', { chat, sender, message_id: 'N', stanza: '', content: '' });
  await sowing.sow(
    'decrypt_journal',
    { digest: randomBytes(32), at: sowing.at },
    { bytes: 'plain' },
  );
}

/** Messages from notifications, which have only a name. */
async function plantNames(sowing: PlantedPerson): Promise<void> {
  const name = sowing.word('contacts.push_name');
  const [row] = await sowing.sql(`SELECT nextval('message_ids') AS id`);
  const place = {
    chat_id: sowing.group,
    message_id: `n-${randomUUID()}`,
    id: Number(row?.id),
    sent_at: sowing.at,
  };
  await sowing.put('message_keys', { ...place, sender: `name:${name}` });
  const { chat_id, id: message, sent_at: at } = place;
  await sowing.put('notifications', { chat_id, message, at, sender_name: name });
  await sowing.put('messages', {
    ...place,
    from_me: false,
    kind: 'conversation',
    body: sowing.word('messages.body'),
    sender_name: name,
    source: 'notification',
  });
}

async function plantSearchDocument(
  sowing: PlantedPerson,
  kind: string,
  source: string,
  chat: ChatId,
): Promise<void> {
  const terms = `'${sowing.word('search_documents.terms')}'`;
  const [row] = await sowing.sql(
    `INSERT INTO search_documents (account_id, source_kind, source_id, chat_id, at, terms, length)
     VALUES ($1, $2, $3, $4, $5, $6::tsvector, 1) RETURNING id`,
    [sowing.account, kind, source, chat, sowing.at, terms],
  );
  await sowing.sow(
    'search_vectors',
    { document_id: row?.id, provider: 'p', model: 'm', dims: 1 },
    { bytes: 'vector' },
  );
}

// What was done with the person: permits, conversations, agents, digests, schedules.

async function plantGateRows(sowing: PlantedPerson): Promise<void> {
  // `relay doctor` would find an invented row, so an existing decision of the daemon is referenced if there is one.
  const [decided] = await sowing.sql(
    `SELECT seq FROM ledger WHERE account_id = $1 AND outcome = 'allow' ORDER BY seq DESC LIMIT 1`,
    [sowing.account],
  );
  const [made] = decided
    ? []
    : await sowing.sql(
        `SELECT seq FROM ledger_add($1, 'owner', 'send_message', 'chat', $2, 'allow', 'owner', $3)`,
        [sowing.account, sowing.chat, JSON.stringify({ hash: 'ab'.repeat(32) })],
      );
  const [approval, permit, outbox] = [randomUUID(), randomUUID(), randomUUID()];
  const intent = { kind: 'send_message', chat: sowing.chat, text: sowing.word('approvals.intent') };
  await sowing.sow(
    'approvals',
    {
      id: approval,
      intent: JSON.stringify(intent),
      intent_hash: Buffer.from('same'),
      reason: 'draft',
      requested_by: 'owner',
      state: 'approved',
      expires_at: sowing.at,
    },
    { text: 'answer' },
  );
  await sowing.put('permits', {
    id: permit,
    ledger_seq: (decided ?? made)?.seq,
    actor: 'owner',
    intent: 'send_message',
    chat_id: sowing.chat,
    content_hash: Buffer.from('same'),
    approval_id: approval,
  });
  await sowing.sow(
    'outbox',
    {
      id: outbox,
      permit_id: permit,
      chat_id: sowing.chat,
      message_id: randomUUID(),
      state: 'read',
    },
    { text: 'body failure idempotency_key', json: 'content', bytes: 'wire' },
  );
}

async function plantConversation(sowing: PlantedPerson): Promise<void> {
  await sowing.sow(
    'instances',
    {
      id: sowing.instance,
      contact_id: sowing.contact,
      chat_id: sowing.chat,
      state: 'COMPLETED',
      interval_ms: 1,
      max_followups: 1,
      result_status: 'valid',
    },
    {
      text: 'target_contact objective failure_reason reason summary result_reason',
      json: 'todos options result_schema result',
    },
  );
  const of = { instance_id: sowing.instance };
  await sowing.sow('instance_messages', { ...of, role: 'contact' }, { text: 'content' });
  await sowing.put('instance_transitions', {
    ...of,
    from_state: 'ACTIVE',
    to_state: 'COMPLETED',
    trigger: 'x',
    epoch: 1,
  });
  await sowing.put('timers', {
    kind: 'heartbeat',
    subject_id: sowing.instance,
    epoch: 1,
    due_at: sowing.at,
  });
  await sowing.put('events', { kind: 'conversation', subject: sowing.instance });
}

async function plantAgentRows(sowing: PlantedPerson): Promise<void> {
  const session = {
    kind: 'auto_reply',
    key: sowing.contact,
    contact_id: sowing.contact,
    chat_id: sowing.chat,
  };
  await sowing.sow(
    'sessions',
    { id: sowing.session, ...session },
    { text: 'title summary rest_reason', json: 'options' },
  );
  const run = { actor: 'a', provider: 'p', model: 'm', state: 'done' };
  await sowing.sow(
    'runs',
    { id: sowing.run, session_id: sowing.session, ...run },
    { text: 'failure' },
  );
  const call = { run_id: sowing.run, call_id: '1', name: 'send' };
  await sowing.sow('tool_calls', call, { text: 'effect', json: 'arguments result' });
  await sowing.sow(
    'session_messages',
    { session_id: sowing.session, role: 'user', message_id: sowing.messages[0] },
    { text: 'content' },
  );
  // The owner's assistant has read their chat and the group, and reported on both.
  const own = randomUUID();
  await sowing.put('sessions', { id: own, kind: 'assistant', key: own, title: 'owner' });
  for (const [n, chat] of [sowing.chat, sowing.group].entries()) {
    const taint = JSON.stringify({ chats: [chat], outside: false });
    const id = randomUUID();
    await sowing.put('runs', { id, session_id: own, ...run, taint });
    const name = sowing.word('contacts.display_name');
    const found = JSON.stringify({ name, words: sowing.word('tool_calls.result') });
    const call = { run_id: id, call_id: `${n}`, name: 'search' };
    await sowing.put('tool_calls', { ...call, arguments: found, result: found });
    const said = `They are called ${name}: ${sowing.word('session_messages.content')}`;
    await sowing.put('session_messages', {
      session_id: own,
      role: 'assistant',
      run_id: id,
      content: said,
    });
  }
}

async function plantObserverRows(sowing: PlantedPerson): Promise<void> {
  await sowing.sql(
    `INSERT INTO observed_groups (account_id, chat_id, zone) VALUES ($1, $2, 'UTC')
    ON CONFLICT DO NOTHING`,
    [sowing.account, sowing.group],
  );
  const message = Number(
    (
      await sowing.sql('SELECT id FROM messages WHERE account_id = $1 AND message_id = $2', [
        sowing.account,
        sowing.messages[2],
      ])
    )[0]?.id,
  );
  const of = { chat_id: sowing.group, message, sent_at: sowing.at };
  await sowing.put('observed_messages', { ...of, category: 'content', noise: false, tokens: 3 });
  await sowing.sow('observer_requests', of, { text: 'reason' });
  const digest = randomUUID();
  const start = new Date(sowing.at.getTime() - 1_800_000 - randomBytes(2).readUInt16BE());
  await sowing.sow(
    'digests',
    {
      id: digest,
      chat_id: sowing.group,
      kind: 'hourly',
      period_start: start,
      period_end: new Date(sowing.at.getTime() + 1_000),
      tokens: 1,
    },
    { text: 'body' },
  );
  await plantSearchDocument(sowing, 'digest', digest, sowing.group);
  await sowing.sow(
    'digest_facts',
    { digest_id: digest, kind: 'event' },
    { text: 'body', json: 'data' },
  );
  const [fact] = await sowing.sql('SELECT id FROM digest_facts WHERE digest_id = $1', [digest]);
  await plantSearchDocument(sowing, 'fact', String(fact?.id), sowing.group);
}

async function plantOtherRows(sowing: PlantedPerson): Promise<void> {
  const schedule = randomUUID();
  await sowing.sow(
    'schedules',
    { id: schedule, rule: '{}', zone: 'UTC', chat_id: sowing.chat, created_by: 'owner' },
    { text: 'body', json: 'content' },
  );
  await sowing.put('schedule_runs', {
    schedule_id: schedule,
    due_at: sowing.at,
    outcome: 'queued',
    reason: 'r',
  });
  const webhook = randomUUID();
  await sowing.put('webhooks', {
    id: webhook,
    name: webhook,
    url: 'http://localhost',
    secret: '',
    events: [],
  });
  await sowing.put('webhook_deliveries', {
    webhook_id: webhook,
    type: 'conversation.state',
    facts: JSON.stringify({ instance: sowing.instance }),
    event_at: sowing.at,
  });
  await sowing.put('owner_notifications', {
    kind: 'conversation',
    key: randomUUID(),
    subject: sowing.instance,
    created_at: sowing.at,
  });
  const response = JSON.stringify({
    words: sowing.word('idempotency_keys.response'),
    to: sowing.phone,
  });
  await sowing.put('idempotency_keys', {
    actor: 'owner',
    key: randomUUID(),
    request_hash: '',
    response,
  });
  await sowing.put('tokens', {
    name: randomUUID(),
    hash: randomBytes(16),
    scopes: [],
    contacts: [sowing.contact],
  });
}

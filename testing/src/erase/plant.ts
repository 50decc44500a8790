// A person and their group with a canary in every column that may hold anything of somebody: what the tests of
// erasure begin with. The database's own constraints hold, so what stands there could stand there.
import { randomBytes, randomUUID } from 'node:crypto';
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';

export type Sql = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

export interface Planted {
  /** Begins every canary: high entropy, so that no compression hides it. */
  readonly tag: string;
  readonly contact: ContactId;
  readonly chat: ChatId;
  readonly group: ChatId;
  readonly phone: string;
  /** `table.column` of each canary. */
  readonly canaries: readonly string[];
  readonly messages: readonly string[];
}

export interface PlantOptions {
  /** The group of several people; made for this one unless given. */
  readonly group?: ChatId;
  readonly at?: Date;
  /** A text too long for a page: it is kept compressed, beside the table. */
  readonly long?: boolean;
}

export async function plant(
  sql: Sql,
  account: AccountId,
  options: PlantOptions = {},
): Promise<Planted> {
  return new Planting(sql, account, options).all();
}

class Planting {
  readonly #sql: Sql;
  readonly #account: AccountId;
  readonly #options: PlantOptions;
  readonly #tag = `q${randomBytes(15).toString('hex')}`;
  readonly #canaries = new Set<string>();
  readonly #phone = `49${String(randomBytes(6).readUIntBE(0, 6)).padStart(12, '1').slice(0, 11)}`;
  readonly #contact = randomUUID() as ContactId;
  readonly #chat = randomUUID() as ChatId;
  readonly #instance = randomUUID();
  readonly #session = randomUUID();
  readonly #run = randomUUID();
  readonly #lid = `${this.#tag}~lid~`;
  readonly #at: Date;
  readonly #messages: string[] = [];

  constructor(sql: Sql, account: AccountId, options: PlantOptions) {
    this.#sql = sql;
    this.#account = account;
    this.#options = options;
    this.#at = options.at ?? new Date();
  }

  async all(): Promise<Planted> {
    const group = this.#options.group ?? (randomUUID() as ChatId);
    await this.#people(group);
    await this.#spoken(group);
    await this.#gate();
    await this.#conversation();
    await this.#agents(group);
    await this.#observer(group);
    await this.#others();
    return {
      tag: this.#tag,
      contact: this.#contact,
      chat: this.#chat,
      group,
      phone: this.#phone,
      canaries: [...this.#canaries],
      messages: this.#messages,
    };
  }

  #word(place: string): string {
    this.#canaries.add(place);
    const word = `${this.#tag}~${place}~`;
    if (this.#options.long !== true || place !== 'messages.body') return word;
    return `${word} ${Array.from({ length: 4_000 }, (_, n) => `and ${n % 97} more words`).join(' ')}`;
  }

  #put(table: string, row: Readonly<Record<string, unknown>>): Promise<unknown> {
    const all = { account_id: this.#account, ...row };
    const names = Object.keys(all);
    return this.#sql(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      Object.values(all),
    );
  }

  /** A row with canaries in these columns, as text, bytes or JSON as the column needs it. */
  #sow(
    table: string,
    row: Readonly<Record<string, unknown>>,
    as: { text?: string; json?: string; bytes?: string },
  ): Promise<unknown> {
    const each = (names: string | undefined, make: (word: string) => unknown) =>
      Object.fromEntries(
        (names?.split(' ') ?? []).map((name) => [name, make(this.#word(`${table}.${name}`))]),
      );
    return this.#put(table, {
      ...row,
      ...each(as.text, (word) => word),
      ...each(as.json, (word) => JSON.stringify({ words: word })),
      ...each(as.bytes, (word) => Buffer.from(word)),
    });
  }

  async #people(group: ChatId): Promise<void> {
    await this.#sow('contacts', { id: this.#contact }, { text: 'display_name push_name' });
    await this.#put('contact_aliases', {
      kind: 'phone',
      value: this.#phone,
      contact_id: this.#contact,
    });
    this.#canaries.add('contact_aliases.value');
    await this.#put('contact_aliases', {
      kind: 'lid',
      value: this.#lid,
      contact_id: this.#contact,
    });
    await this.#put('chats', { id: this.#chat, kind: 'direct', contact_id: this.#contact });
    if (this.#options.group === undefined) {
      await this.#sow('chats', { id: group, kind: 'group' }, { text: 'group_address subject' });
    }
    await this.#put('chat_members', { chat_id: group, contact_id: this.#contact });
    await this.#sow(
      'grants',
      { contact_id: this.#contact },
      { text: 'display_name', json: 'options' },
    );
    await this.#put('knocks', { contact_id: this.#contact });
  }

  async #spoken(group: ChatId): Promise<void> {
    const address = `${this.#phone}@s.whatsapp.net`;
    await this.#sql(`SELECT ensure_message_month($1)`, [this.#at]);
    for (const [chat, sender] of [
      [this.#chat, this.#contact],
      [this.#chat, null],
      [group, this.#contact],
    ] as const) {
      const message_id = `3EB0${randomBytes(8).toString('hex').toUpperCase()}`;
      this.#messages.push(message_id);
      const [row] = await this.#sql(`SELECT nextval('message_ids') AS id`);
      const id = Number(row?.id);
      const place = { chat_id: chat, message_id, id, sent_at: this.#at };
      await this.#put('message_keys', { ...place, sender: sender ?? 'me' });
      await this.#sow(
        'messages',
        {
          ...place,
          sender_id: sender,
          from_me: sender === null,
          kind: 'conversation',
          received_at: this.#at,
        },
        { text: 'body chat_address sender_address', json: 'details media', bytes: 'content' },
      );
      await this.#document('message', String(id), chat);
    }
    await this.#named(group);
    await this.#sow(
      'inbox',
      { chat: address, sender: address, message_id: 'M', received_at: this.#at, done_at: this.#at },
      { text: 'failure', bytes: 'stanza content' },
    );
    for (const place of ['inbox.chat', 'inbox.sender']) this.#canaries.add(place);
    const [chat, sender] = [`${this.#lid}@lid`, `${this.#lid}:3@lid`];
    await this.#put('inbox', { chat, sender, message_id: 'N', stanza: '', content: '' });
    await this.#sow(
      'decrypt_journal',
      { digest: randomBytes(32), at: this.#at },
      { bytes: 'plain' },
    );
  }

  /** As notifications tell it: under the name alone. */
  async #named(group: ChatId): Promise<void> {
    const name = this.#word('contacts.push_name');
    const [row] = await this.#sql(`SELECT nextval('message_ids') AS id`);
    const place = {
      chat_id: group,
      message_id: `n-${randomUUID()}`,
      id: Number(row?.id),
      sent_at: this.#at,
    };
    this.#canaries.add('messages.sender_name');
    this.#canaries.add('message_keys.sender');
    await this.#put('message_keys', { ...place, sender: `name:${name}` });
    this.#canaries.add('notifications.sender_name');
    const { chat_id, id: message, sent_at: at } = place;
    await this.#put('notifications', { chat_id, message, at, sender_name: name });
    await this.#put('messages', {
      ...place,
      from_me: false,
      kind: 'conversation',
      body: this.#word('messages.body'),
      sender_name: name,
      source: 'notification',
    });
  }

  async #document(kind: string, source: string, chat: ChatId): Promise<void> {
    const terms = `'${this.#word('search_documents.terms')}'`;
    const [row] = await this.#sql(
      `INSERT INTO search_documents (account_id, source_kind, source_id, chat_id, at, terms, length)
       VALUES ($1, $2, $3, $4, $5, $6::tsvector, 1) RETURNING id`,
      [this.#account, kind, source, chat, this.#at, terms],
    );
    await this.#sow(
      'search_vectors',
      { document_id: row?.id, provider: 'p', model: 'm', dims: 1 },
      { bytes: 'vector sketch' },
    );
  }

  async #gate(): Promise<void> {
    const [ledger] = await this.#sql(
      `SELECT ledger_append($1, 'owner', 'send_message', 'chat', $2, 'allow', 'owner', $3) AS seq`,
      [this.#account, this.#chat, JSON.stringify({ hash: 'ab'.repeat(32) })],
    );
    const [approval, permit, outbox] = [randomUUID(), randomUUID(), randomUUID()];
    const intent = { kind: 'send_message', chat: this.#chat, text: this.#word('approvals.intent') };
    await this.#sow(
      'approvals',
      {
        id: approval,
        intent: JSON.stringify(intent),
        intent_hash: Buffer.from('same'),
        reason: 'draft',
        requested_by: 'owner',
        state: 'approved',
        expires_at: this.#at,
      },
      { text: 'answer' },
    );
    await this.#put('permits', {
      id: permit,
      ledger_seq: ledger?.seq,
      actor: 'owner',
      intent: 'send_message',
      chat_id: this.#chat,
      content_hash: Buffer.from('same'),
      approval_id: approval,
    });
    await this.#sow(
      'outbox',
      {
        id: outbox,
        permit_id: permit,
        chat_id: this.#chat,
        message_id: randomUUID(),
        state: 'read',
      },
      { text: 'body failure idempotency_key', json: 'media' },
    );
  }

  async #conversation(): Promise<void> {
    await this.#sow(
      'instances',
      {
        id: this.#instance,
        contact_id: this.#contact,
        chat_id: this.#chat,
        state: 'COMPLETED',
        interval_ms: 1,
        max_followups: 1,
      },
      { text: 'target_contact objective failure_reason reason summary', json: 'todos options' },
    );
    const of = { instance_id: this.#instance };
    await this.#sow('instance_messages', { ...of, role: 'contact' }, { text: 'content' });
    await this.#put('instance_transitions', {
      ...of,
      from_state: 'ACTIVE',
      to_state: 'COMPLETED',
      trigger: 'x',
      epoch: 1,
    });
    await this.#put('timers', {
      kind: 'heartbeat',
      subject_id: this.#instance,
      epoch: 1,
      due_at: this.#at,
    });
    await this.#put('events', { kind: 'conversation', subject: this.#instance });
  }

  async #agents(group: ChatId): Promise<void> {
    const session = {
      kind: 'auto_reply',
      key: this.#contact,
      contact_id: this.#contact,
      chat_id: this.#chat,
    };
    await this.#sow(
      'sessions',
      { id: this.#session, ...session },
      { text: 'title summary rest_reason', json: 'options' },
    );
    const run = { actor: 'a', provider: 'p', model: 'm', state: 'done' };
    await this.#sow(
      'runs',
      { id: this.#run, session_id: this.#session, ...run },
      { text: 'failure' },
    );
    const call = { run_id: this.#run, call_id: '1', name: 'send' };
    await this.#sow('tool_calls', call, { text: 'effect', json: 'arguments result' });
    await this.#sow(
      'session_messages',
      { session_id: this.#session, role: 'user', message_id: this.#messages[0] },
      { text: 'content' },
    );
    // The owner's assistant has read their chat, and the group, and told of both.
    const own = randomUUID();
    await this.#put('sessions', { id: own, kind: 'assistant', key: own, title: 'owner' });
    for (const [n, chat] of [this.#chat, group].entries()) {
      const taint = JSON.stringify({ chats: [chat], outside: false });
      const id = randomUUID();
      await this.#put('runs', { id, session_id: own, ...run, taint });
      const name = this.#word('contacts.display_name');
      const found = JSON.stringify({ name, words: this.#word('tool_calls.result') });
      const call = { run_id: id, call_id: `${n}`, name: 'search' };
      await this.#put('tool_calls', { ...call, arguments: found, result: found });
      const said = `They are called ${name}: ${this.#word('session_messages.content')}`;
      await this.#put('session_messages', {
        session_id: own,
        role: 'assistant',
        run_id: id,
        content: said,
      });
    }
  }

  async #observer(group: ChatId): Promise<void> {
    await this.#sql(
      `INSERT INTO observed_groups (account_id, chat_id, zone) VALUES ($1, $2, 'UTC')
      ON CONFLICT DO NOTHING`,
      [this.#account, group],
    );
    const message = Number(
      (
        await this.#sql('SELECT id FROM messages WHERE account_id = $1 AND message_id = $2', [
          this.#account,
          this.#messages[2],
        ])
      )[0]?.id,
    );
    const of = { chat_id: group, message, sent_at: this.#at };
    await this.#put('observed_messages', { ...of, category: 'content', noise: false, tokens: 3 });
    await this.#sow('observer_requests', of, { text: 'reason' });
    const digest = randomUUID();
    const start = new Date(this.#at.getTime() - 1_800_000 - randomBytes(2).readUInt16BE());
    await this.#sow(
      'digests',
      {
        id: digest,
        chat_id: group,
        kind: 'hourly',
        period_start: start,
        period_end: new Date(this.#at.getTime() + 1_000),
        tokens: 1,
      },
      { text: 'body' },
    );
    await this.#document('digest', digest, group);
    await this.#sow(
      'digest_facts',
      { digest_id: digest, kind: 'event' },
      { text: 'body', json: 'data' },
    );
    const [fact] = await this.#sql('SELECT id FROM digest_facts WHERE digest_id = $1', [digest]);
    await this.#document('fact', String(fact?.id), group);
  }

  async #others(): Promise<void> {
    const schedule = randomUUID();
    await this.#sow(
      'schedules',
      { id: schedule, rule: '{}', zone: 'UTC', chat_id: this.#chat, created_by: 'owner' },
      { text: 'body' },
    );
    await this.#put('schedule_runs', {
      schedule_id: schedule,
      due_at: this.#at,
      outcome: 'queued',
      reason: 'r',
    });
    const webhook = randomUUID();
    await this.#put('webhooks', { id: webhook, url: 'http://localhost', secret: '', events: [] });
    await this.#sow(
      'webhook_deliveries',
      { webhook_id: webhook },
      { text: 'failure', json: 'event' },
    );
    await this.#sql(
      `UPDATE webhook_deliveries SET event = event || jsonb_build_object('number', $2::text)
      WHERE webhook_id = $1`,
      [webhook, this.#phone],
    );
    const response = JSON.stringify({
      words: this.#word('idempotency_keys.response'),
      to: this.#phone,
    });
    await this.#put('idempotency_keys', {
      actor: 'owner',
      key: randomUUID(),
      request_hash: '',
      response,
    });
    await this.#put('tokens', {
      name: 't',
      hash: randomBytes(16),
      scopes: [],
      contacts: [this.#contact],
    });
  }
}

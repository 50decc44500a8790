// What was done with a planted person: permits, conversations, agents, digests, schedules.
import { randomBytes, randomUUID } from 'node:crypto';
import { document } from './said.ts';
import type { Sowing } from './sow.ts';

export async function gate(sowing: Sowing): Promise<void> {
  // A row by hand would be found by `relay doctor`: where a daemon has decided something, that is cited.
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
    { text: 'body failure idempotency_key', json: 'media' },
  );
}

export async function conversation(sowing: Sowing): Promise<void> {
  await sowing.sow(
    'instances',
    {
      id: sowing.instance,
      contact_id: sowing.contact,
      chat_id: sowing.chat,
      state: 'COMPLETED',
      interval_ms: 1,
      max_followups: 1,
    },
    { text: 'target_contact objective failure_reason reason summary', json: 'todos options' },
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

export async function agents(sowing: Sowing): Promise<void> {
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
  // The owner's assistant has read their chat, and the group, and told of both.
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

export async function observer(sowing: Sowing): Promise<void> {
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
  await document(sowing, 'digest', digest, sowing.group);
  await sowing.sow(
    'digest_facts',
    { digest_id: digest, kind: 'event' },
    { text: 'body', json: 'data' },
  );
  const [fact] = await sowing.sql('SELECT id FROM digest_facts WHERE digest_id = $1', [digest]);
  await document(sowing, 'fact', String(fact?.id), sowing.group);
}

export async function others(sowing: Sowing): Promise<void> {
  const schedule = randomUUID();
  await sowing.sow(
    'schedules',
    { id: schedule, rule: '{}', zone: 'UTC', chat_id: sowing.chat, created_by: 'owner' },
    { text: 'body' },
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

// Seed 003's routes on the real daemon, field by field. There is no model here: a turn of the agent ends in
// NEEDS_HUMAN_INTERVENTION with the reason.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import type { RawResponse } from './raw-request.ts';
import { openRelay, type Relay } from './relay.ts';

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NO_AGENT =
  'Your agents have no model: "model_provider" is not set. Set one up with `relay init`, then resume the conversation.';

let relay: Relay;
let answers: RawResponse[] = [];
beforeAll(async () => {
  relay = await openRelay();
  await relay.start();
});
afterAll(() => relay.end());
afterEach(() => {
  for (const { headers } of answers)
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  answers = [];
});

async function call(method: string, path: string, body?: unknown): Promise<RawResponse> {
  const answer = await relay.call(method, path, body);
  answers.push(answer);
  return answer;
}

let numbers = 0;
const contact = () => `+1415555${String(2000 + numbers++)}`;

/** A conversation whose agent has had its turn. */
async function waiting(to = contact()): Promise<string> {
  const id = await relay.create(to);
  await relay.settled(id);
  return id;
}

const instance = (given: object) => ({
  id: expect.stringMatching(UUID_4),
  objective: 'Agree on a day',
  target_contact: expect.stringMatching(/^\+1415555\d{4}$/),
  todos: [],
  facts: [],
  state: 'NEEDS_HUMAN_INTERVENTION',
  previous_state: null,
  heartbeat_config: { interval_ms: 86_400_000, max_followups: 3 },
  follow_up_count: 0,
  failure_reason: null,
  created_at: expect.stringMatching(MOMENT),
  updated_at: expect.stringMatching(MOMENT),
  next_follow_up_at: null,
  reason: expect.any(String),
  unread: 0,
  chat_id: expect.stringMatching(UUID_4),
  created_by: 'owner',
  ...given,
});

/** The same with the summary fields for the owner. */
const listed = (given: object) => ({
  ...instance(given),
  contact_id: expect.stringMatching(UUID_4),
  contact_name: null,
  turn: 'you',
  approval_id: null,
});

it('GET /api/status', async () => {
  verifies('003-API-STATUS', '003-API-JSON', '003-DATA-STATUS');
  await waiting();
  const { status, json } = await call('GET', '/api/status');
  expect(status).toBe(200);
  expect(json).toMatchObject({
    pid: relay.pid,
    uptime_seconds: expect.any(Number),
    whatsapp_connected: false,
    active_instance_count: 1,
    total_instance_count: 1,
  });
});

it('POST /api/instances creates a conversation, and queues the second for a contact', async () => {
  verifies('003-API-CREATE', '003-API-JSON', '003-DATA-CREATE', '003-DATA-HEARTBEAT');
  const to = contact();
  const made = await call('POST', '/api/instances', {
    objective: 'Agree on a day',
    target_contact: to,
    todos: [{ text: 'ask' }, { text: 'confirm' }],
    heartbeat_config: { max_followups: 2 },
  });
  expect(made).toMatchObject({ status: 201 });
  expect(made.json).toEqual({ id: expect.stringMatching(UUID_4), state: 'CREATED' });
  const { id } = made.json as { id: string };
  expect((await relay.settled(id)).json).toEqual(
    listed({
      id,
      target_contact: to,
      todos: [
        { id: expect.any(String), text: 'ask', status: 'pending' },
        { id: expect.any(String), text: 'confirm', status: 'pending' },
      ],
      heartbeat_config: { interval_ms: 86_400_000, max_followups: 2 },
      reason: NO_AGENT,
    }),
  );
  const second = await call('POST', '/api/instances', { objective: 'later', target_contact: to });
  expect(second).toMatchObject({ status: 201, json: { state: 'QUEUED' } });
});

it('GET /api/instances and /api/instances/:id return the same conversation', async () => {
  verifies('003-API-LIST', '003-API-GET', '003-API-JSON', '003-DATA-INSTANCE');
  const id = await waiting();
  const list = await call('GET', '/api/instances');
  const one = await call('GET', `/api/instances/${id}`);
  expect({ list: list.status, one: one.status }).toEqual({ list: 200, one: 200 });
  expect(one.json).toEqual(listed({ id, reason: NO_AGENT }));
  expect((list.json as unknown[])[0]).toEqual(one.json);
});

it('POST …/pause, …/resume and …/cancel return the conversation as it is then', async () => {
  verifies('003-API-PAUSE', '003-API-RESUME', '003-API-CANCEL', '003-API-JSON');
  const id = await waiting();
  const paused = await call('POST', `/api/instances/${id}/pause`);
  expect(paused.status).toBe(200);
  const before = { state: 'PAUSED', previous_state: 'NEEDS_HUMAN_INTERVENTION' };
  expect(paused.json).toEqual(instance({ id, ...before }));
  const resumed = await call('POST', `/api/instances/${id}/resume`);
  expect(resumed.status).toBe(200);
  expect(resumed.json).toEqual(instance({ id }));
  const again = await call('POST', `/api/instances/${id}/resume`);
  expect(again.json).toEqual(instance({ id, state: 'ACTIVE' }));
  await relay.settled(id);
  const ended = await call('POST', `/api/instances/${id}/cancel`);
  expect(ended.status).toBe(200);
  expect(ended.json).toEqual(instance({ id, state: 'FAILED', failure_reason: 'cancelled' }));
  expect((await call('GET', `/api/instances/${id}/transcript`)).json).toEqual([]);
});

it('POST …/send returns the message, which the transcript keeps verbatim', async () => {
  verifies('003-API-SEND', '003-API-TRANSCRIPT', '003-API-JSON', '003-DATA-MESSAGE');
  const id = await waiting();
  const message = 'Tuesday?\n<b>10:00</b> — “fine” 🙂 \u202e';
  const sent = await call('POST', `/api/instances/${id}/send`, { message });
  expect(sent.status).toBe(200);
  expect(sent.json).toEqual({
    id: expect.any(String),
    instance_id: id,
    role: 'manual',
    content: message,
    timestamp: expect.stringMatching(MOMENT),
    delivery: 'pending',
    message_id: expect.any(String),
  });
  const transcript = await call('GET', `/api/instances/${id}/transcript`);
  expect({ status: transcript.status, json: transcript.json }).toEqual({
    status: 200,
    json: [sent.json],
  });
  const moves = await relay.query(
    'SELECT from_state, to_state, trigger FROM relay.instance_transitions WHERE instance_id = $1 ORDER BY id',
    [id],
  );
  const steps = await call('GET', `/api/instances/${id}/transitions`);
  expect((steps.json as object[]).slice(0, 1)).toEqual([
    {
      instance_id: id,
      from_state: 'CREATED',
      to_state: 'ACTIVE',
      trigger: 'agent_sends_first_message',
      timestamp: expect.stringMatching(MOMENT),
      caused_by: null,
    },
  ]);
  expect(moves).toContainEqual({
    from_state: 'NEEDS_HUMAN_INTERVENTION',
    to_state: 'ACTIVE',
    trigger: 'manual_send',
  });
});

it("the API's own description names the seed's states, roles and todo states", async () => {
  verifies('003-DATA-STATES', '003-DATA-TODO', '003-DATA-MESSAGE');
  const { schemas } = (
    (await call('GET', '/api/openapi.json')).json as { components: { schemas: Schemas } }
  ).components;
  const { ConversationInstance, TranscriptMessage } = schemas;
  expect(ConversationInstance?.properties.state?.enum).toEqual(
    'CREATED QUEUED ACTIVE WAITING_FOR_REPLY WAITING_FOR_AGENT HEARTBEAT_SCHEDULED PAUSED NEEDS_HUMAN_INTERVENTION COMPLETED ABANDONED FAILED'.split(
      ' ',
    ),
  );
  expect(TranscriptMessage?.properties.role?.enum).toEqual([
    'agent',
    'contact',
    'system',
    'manual',
  ]);
  expect(ConversationInstance?.properties.todos?.items?.properties.status?.enum).toEqual([
    'pending',
    'in_progress',
    'completed',
    'skipped',
  ]);
});

interface Schema {
  readonly properties: Readonly<Record<string, (Schema & { enum?: string[] }) | undefined>>;
  readonly items?: Schema;
}
type Schemas = Readonly<Record<string, Schema | undefined>>;

it('one Idempotency-Key creates one conversation, over the route and with relay create', async () => {
  const body = { objective: 'Agree on a day', target_contact: contact(), todos: [] };
  const under = (given: object) =>
    relay.call('POST', '/api/instances', given, { headers: { 'idempotency-key': 'order 7' } });
  const first = await under(body);
  expect(first.status).toBe(201);
  expect(await under(body)).toMatchObject({ status: 201, json: first.json });
  expect(await under({ ...body, objective: 'Another' })).toMatchObject({
    status: 409,
    json: { code: 'key_reused' },
  });
  const asked = ['create', '--objective', 'Agree on a day', '--contact', contact(), '--key', 'k'];
  const made = await relay.run(...asked);
  expect(made.exit).toBe(0);
  expect(await relay.run(...asked)).toMatchObject({ exit: 0, out: made.out });
});

import { RelayError } from '@relay/contract/errors';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, describe, expect, test } from 'vitest';

const harness = await freshDaemonHarness();
const { agent, create, heartbeat, lines, reaches, reply, sql, state, steps, service } = harness;

beforeEach(() => {
  agent(() => ({ messages: ['Hello'] }));
  harness.turns.length = 0;
});

test('links permit, ledger row and outbox row of a first message', async () => {
  verifies('003-FLOW-AUTO-ACTIVATE');
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(await lines(id)).toEqual(['agent: Hello']);
  expect(await steps(id)).toEqual(['CREATED → ACTIVE', 'ACTIVE → WAITING_FOR_REPLY']);
  const rows = await sql(
    `SELECT o.body, o.state, l.actor, l.action, l.outcome, l.detail->>'permit' = p.id::text AS named,
      ledger_commitment(p.account_id, 'chat', p.chat_id::text, encode(p.content_hash, 'hex')) = l.detail->>'hash' AS same, t.epoch = i.epoch AS timed
    FROM instances i JOIN instance_messages m ON m.instance_id = i.id JOIN outbox o ON o.id = m.outbox_id
      JOIN permits p ON p.id = o.permit_id AND p.instance_id = i.id JOIN ledger l ON l.seq = p.ledger_seq
      JOIN timers t ON t.subject_id = i.id WHERE i.id = $1`,
    [id],
  );
  expect(rows).toEqual([
    {
      body: 'Hello',
      state: 'sent',
      actor: `conversation:${id}`,
      action: 'send_message',
      outcome: 'allow',
      named: true,
      same: true,
      timed: true,
    },
  ]);
});

test('sends several messages of one turn in their order', async () => {
  agent(() => ({ messages: ['one', 'two', 'three', 'four'] }));
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  const waiting = await sql('SELECT body FROM outbox WHERE instance_id = $1 ORDER BY seq', [id]);
  expect(waiting.map(({ body }) => body)).toEqual(['one', 'two', 'three', 'four']);
});

test('answers a reply and sets the timer again', async () => {
  verifies('003-FLOW-REPLY');
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  const timers = () => sql('SELECT due_at FROM timers WHERE subject_id = $1', [id]);
  const before = await timers();
  expect(before).toHaveLength(1);
  let meanwhile: unknown;
  agent(async ({ transcript }) => {
    meanwhile = await timers();
    return { messages: [`You said ${transcript.at(-1)?.content}`] };
  });
  await reply(id, 'Yes');
  await harness.quiet();
  expect(meanwhile).toEqual([]);
  expect(await lines(id)).toEqual(['agent: Hello', 'contact: Yes', 'agent: You said Yes']);
  expect(await state(id)).toBe('WAITING_FOR_REPLY');
  const [timer] = await timers();
  expect(timer?.due_at).toEqual(new Date((await service.get(id)).next_follow_up_at ?? ''));
  expect(timer?.due_at).not.toEqual(before[0]?.due_at);
  expect(harness.turns.map(({ purpose }) => purpose)).toEqual(['first_message', 'reply']);
});

test('counts follow-ups and abandons the conversation after the last one', async () => {
  verifies('003-INV-FOLLOW-UPS');
  const id = await create(newPhone(), { max_followups: 2 });
  for (const count of [0, 1, 2]) {
    await eventually(async () => {
      const now = await service.get(id);
      return now.state === 'WAITING_FOR_REPLY' && now.follow_up_count === count;
    });
    await heartbeat(id);
  }
  await reaches(id, 'ABANDONED');
  expect(await lines(id)).toEqual(Array(3).fill('agent: Hello'));
  expect((await steps(id)).at(-1)).toBe('HEARTBEAT_SCHEDULED → ABANDONED');
});

test('resets the follow-up count after a reply', async () => {
  agent(() => ({ messages: ['Hi'] }));
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  await heartbeat(id);
  await harness.quiet();
  expect((await service.get(id)).follow_up_count).toBe(1);
  await reply(id, 'A moment');
  await harness.quiet();
  expect(await service.get(id)).toMatchObject({ state: 'WAITING_FOR_REPLY', follow_up_count: 0 });
});

test('stores the todos as the agent left them', async () => {
  agent(() => ({ messages: ['Hi'], todos: [{ id: '2', status: 'completed' }] }));
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  expect((await service.get(id)).todos).toEqual([
    { id: '1', text: 'Ask', status: 'pending' },
    { id: '2', text: 'Agree', status: 'completed' },
  ]);
});

test('sends the farewell when the conversation ends with it', async () => {
  agent(() => ({ messages: ['Thank you'], endReason: 'Quote received.' }));
  const id = await create();
  await reaches(id, 'COMPLETED');
  expect(await lines(id)).toEqual(['agent: Thank you']);
  expect((await service.get(id)).reason).toBe('Quote received.');
  expect(await sql('SELECT 1 FROM timers WHERE subject_id = $1', [id])).toEqual([]);
});

describe('failures of the agent', () => {
  test('retries a turn that failed once', async () => {
    let fails = 1;
    agent(() => {
      if (fails-- > 0) throw new Error('network');
      return { messages: ['Hello'] };
    });
    const id = await create();
    await harness.quiet();
    expect(await state(id)).toBe('WAITING_FOR_REPLY');
    expect(await lines(id)).toEqual(['agent: Hello']);
    const asked = harness.turns.filter(({ instance }) => instance === id);
    expect(asked.map(({ purpose }) => purpose)).toEqual(['first_message', 'first_message']);
  });

  test('asks the owner after two failures, and continues after a message from the owner', async () => {
    agent(() => {
      throw new Error('network');
    });
    const id = await create();
    await harness.quiet();
    expect(await service.get(id)).toMatchObject({
      state: 'NEEDS_HUMAN_INTERVENTION',
      reason: 'The agent failed twice in a row. Resume it to try again.',
    });
    expect(harness.turns).toHaveLength(2);
    agent(() => ({ messages: ['Back'] }));
    await service.send(id, 'One moment');
    await harness.quiet();
    expect(await lines(id)).toEqual(['manual: One moment', 'agent: Back']);
  });

  test('retries an error that says what it needs only if it is temporary', async () => {
    for (const [error, asked] of [
      [new RelayError('model_refused', { provider: 'scripted', status: 401 }), 1],
      [new RelayError('model_busy', { provider: 'scripted' }), 2],
    ] as const) {
      harness.turns.length = 0;
      agent(() => {
        throw error;
      });
      const id = await create();
      await harness.quiet();
      expect(await service.get(id)).toMatchObject({
        state: 'NEEDS_HUMAN_INTERVENTION',
        reason: error.message,
      });
      expect(harness.turns).toHaveLength(asked);
    }
  });

  test('asks the owner when the agent has nothing to say', async () => {
    agent(() => ({ messages: [] }));
    const id = await create();
    await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
    expect((await service.get(id)).reason).toContain('gave no answer');
  });
});

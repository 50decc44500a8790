import { RelayError } from '@relay/contract/errors';
import type { InstanceId } from '@relay/contract/ids';
import type { TurnHooks } from '@relay/core/ports/agent-turn';
import { dayIn } from '@relay/core/schedule/zone';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, describe, expect, test } from 'vitest';

const harness = await freshDaemonHarness();
const { agent, create, heartbeat, lines, reaches, reply, sql, state, service } = harness;
const limits = { ...harness.settings.agent };

beforeEach(() => {
  agent(() => ({ messages: ['Hello'] }));
  harness.settings.agent = { ...limits };
  harness.turns.length = 0;
});

const spend = (hooks: TurnHooks, tokens: number, micros = 0) =>
  hooks.onUsage({
    provider: 'scripted',
    model: 'm',
    inputTokens: tokens - 1,
    outputTokens: 1,
    micros,
  });
const runs = (id: InstanceId) =>
  sql(
    `SELECT state, provider, steps, input_tokens + output_tokens AS tokens, ended_at IS NOT NULL AS ended
     FROM runs WHERE instance_id = $1 ORDER BY started_at`,
    [id],
  );

describe('a run', () => {
  test('is stored for each turn with the cost of every model call', async () => {
    agent(async (_, hooks) => {
      await spend(hooks, 100);
      await spend(hooks, 50);
      return { messages: ['Hello'] };
    });
    const id = await create();
    await reaches(id, 'WAITING_FOR_REPLY');
    expect(await runs(id)).toEqual([
      { state: 'done', provider: 'scripted', steps: 2, tokens: 150, ended: true },
    ]);
  });

  test('left running by a crash is discarded when the turn is taken again', async () => {
    agent(() => ({ messages: [], interventionReason: 'help' }));
    const id = await create();
    await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
    await sql("UPDATE runs SET state = 'running', ended_at = NULL WHERE instance_id = $1", [id]);
    await service.resume(id);
    await harness.quiet();
    expect((await runs(id)).map((run) => [run.state, run.ended])).toEqual([
      ['discarded', true],
      ['done', true],
    ]);
  });

  test('stores each tool call once, whatever the model wrote in it', async () => {
    const calls = [
      {
        id: 'a',
        name: 'send_message',
        arguments: { text: 'nul \0 and half \ud83d' },
        result: 'ok',
      },
      { id: 'a', name: 'send_message', arguments: { text: 'again' }, result: 'ok' },
      { id: 'b', name: 'made_up', arguments: null, result: 'There is no such tool.' },
    ];
    agent(() => ({ messages: ['nul \0'], calls }));
    const id = await create();
    await reaches(id, 'WAITING_FOR_REPLY');
    const kept = await sql(
      `SELECT call_id, arguments FROM tool_calls JOIN runs r ON r.id = run_id WHERE r.instance_id = $1 ORDER BY call_id`,
      [id],
    );
    expect(kept).toEqual([
      { call_id: 'a', arguments: { text: 'nul \ufffd and half \ufffd' } },
      { call_id: 'b', arguments: null },
    ]);
    expect(await lines(id)).toEqual(['agent: nul \ufffd']);
  });
});

describe('a budget', () => {
  test('of a conversation asks the owner and names the setting when it is used up', async () => {
    harness.settings.agent = { ...limits, tokens_per_conversation: 120 };
    agent(async (_, hooks) => {
      await spend(hooks, 100);
      return { messages: ['Hello'] };
    });
    const id = await create();
    await reaches(id, 'WAITING_FOR_REPLY');
    await reply(id, 'Yes');
    await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
    expect((await service.get(id)).reason).toBe(
      'The token budget of this conversation is used up: 200 of 120. Raise "agent.tokens_per_conversation" in relay.config.json and resume, or write yourself.',
    );
    expect(await lines(id)).toEqual(['agent: Hello', 'contact: Yes']);
    expect((await runs(id)).map((run) => run.state)).toEqual(['done', 'failed']);

    const asked = harness.turns.length;
    await service.resume(id);
    await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
    expect(harness.turns).toHaveLength(asked);

    harness.settings.agent = { ...limits };
    await service.resume(id);
    await reaches(id, 'WAITING_FOR_REPLY');
    expect(harness.turns.at(-1)).toMatchObject({ purpose: 'reply', unread: 1 });
  });

  test('of the day is shared by all conversations, from midnight to midnight in the owner’s time zone', async () => {
    await sql('DELETE FROM spending');
    agent(async (_, hooks) => {
      await spend(hooks, 2_500);
      throw new RelayError('model_refused', { provider: 'scripted', what: 'no' });
    });
    const failed = await create();
    await reaches(failed, 'NEEDS_HUMAN_INTERVENTION');
    agent(async (_, hooks) => {
      await spend(hooks, 2_500);
      return { messages: ['Hello'] };
    });
    const other = await create();
    await reaches(other, 'WAITING_FOR_REPLY');
    const today = dayIn(harness.conversations.zone, new Date());
    expect(await sql('SELECT day::text, tokens FROM spending')).toEqual([
      { day: today, tokens: 5_000 },
    ]);

    harness.settings.agent = { ...limits, tokens_per_day: 5_000 };
    const id = await create();
    await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
    expect((await service.get(id)).reason).toContain('"agent.tokens_per_day"');
    expect(harness.turns.map((turn) => turn.instance)).toEqual([failed, other]);
    await sql('UPDATE spending SET day = day - 1');
    await service.resume(id);
    await reaches(id, 'WAITING_FOR_REPLY');
  });

  test('of the day in money ends a turn and prevents the next one', async () => {
    await sql('DELETE FROM spending');
    agent(async (_, hooks) => {
      await spend(hooks, 10, 3_000_000);
      await spend(hooks, 10, 2_500_000);
      return { messages: ['Hello'] };
    });
    const id = await create();
    await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
    const { reason } = await service.get(id);
    expect(reason).toContain('5.50 of 5.00 USD');
    expect(reason).toContain('"agent.usd_per_day"');
    expect(await sql('SELECT cost_micros FROM runs WHERE instance_id = $1', [id])).toEqual([
      { cost_micros: 5_500_000 },
    ]);
    const asked = harness.turns.length;
    await service.resume(id);
    await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
    expect(harness.turns).toHaveLength(asked);
    await sql('DELETE FROM spending');
  });
});

describe('the context of a turn', () => {
  test('is the same when the turn is taken again', async () => {
    const id = await create();
    await reaches(id, 'WAITING_FOR_REPLY');
    let fails = 1;
    agent(() => {
      if (fails-- > 0) throw new Error('network');
      return { messages: ['Answer'] };
    });
    await reply(id, 'one');
    await harness.quiet();
    const [, first, second] = harness.turns;
    expect(first).toMatchObject({ purpose: 'reply', unread: 1, maxFollowups: 3 });
    expect({ ...second, run: first?.run }).toEqual(first);
  });

  test('counts as unread the messages that no completed turn has read', async () => {
    const id = await create();
    await reaches(id, 'WAITING_FOR_REPLY');
    agent(async () => {
      if (harness.turns.length === 2) await reply(id, 'two');
      return { messages: ['Answer'] };
    });
    await reply(id, 'one');
    await harness.quiet();
    expect(harness.turns.map(({ unread }) => unread)).toEqual([0, 1, 1]);
  });

  test('contains the summary and only the lines after it', async () => {
    const id = await create();
    await reaches(id, 'WAITING_FOR_REPLY');
    agent(({ transcript }) => ({
      messages: ['Answer'],
      summary: { text: 'They greeted.', upTo: transcript[0]?.id ?? '0' },
    }));
    await reply(id, 'one');
    await harness.quiet();
    await heartbeat(id);
    await harness.quiet();
    const last = harness.turns.at(-1);
    expect(last?.summary).toBe('They greeted.');
    expect(last?.transcript.map(({ content }) => content)).toEqual(['one', 'Answer']);
    expect(await lines(id)).toHaveLength(4);
  });
});

test('retries a failed turn once and then asks the owner, in every state in which a turn can fail', async () => {
  verifies('003-OPEN-AGENT-ERROR');
  const fail = () => {
    throw new Error('network');
  };
  const [first, replied, followed] = [await create(), await create(), await create()];
  for (const id of [first, replied, followed]) await reaches(id, 'WAITING_FOR_REPLY');
  agent(fail);
  const beginning = await create();
  await reply(replied, 'Yes');
  await heartbeat(followed);
  await harness.quiet();
  for (const [id, from] of [
    [beginning, 'ACTIVE'],
    [replied, 'ACTIVE'],
    [followed, 'HEARTBEAT_SCHEDULED'],
  ] as const) {
    expect((await harness.steps(id)).at(-1)).toBe(`${from} → NEEDS_HUMAN_INTERVENTION`);
    expect((await runs(id)).slice(-2).map((run) => run.state)).toEqual(['failed', 'failed']);
  }
  expect(await state(first)).toBe('WAITING_FOR_REPLY');
  expect(harness.logged).toContainEqual({
    level: 'error',
    message: 'agent turn failed',
    fields: expect.objectContaining({ instance: beginning }),
  });
});

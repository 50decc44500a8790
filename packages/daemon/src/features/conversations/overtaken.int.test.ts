import { approvalId, type InstanceId } from '@relay/contract/ids';
import { freshDaemonHarness, heldTurn } from '@relay/testing/daemon-harness';
import { eventually } from '@relay/testing/store';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const harness = await freshDaemonHarness();
const { agent, create, heartbeat, lines, reaches, reply, sql, state, service } = harness;

beforeEach(() => {
  agent(() => ({ messages: ['Hello'] }));
  harness.turns.length = 0;
});

/** An agent that never answers its first turn and ignores the abort signal. */
function deaf() {
  const begun = Promise.withResolvers<AbortSignal>();
  let calls = 0;
  agent((_, { signal }) => {
    if (calls++ > 0) return { messages: ['Next'] };
    begun.resolve(signal);
    return new Promise(() => {});
  });
  return begun.promise;
}

const runs = async (id: InstanceId) =>
  (await sql('SELECT state FROM runs WHERE instance_id = $1 ORDER BY started_at', [id])).map(
    (row) => row.state,
  );

describe.each<[string, (id: InstanceId) => Promise<unknown>, string]>([
  ['a pause', (id) => service.pause(id), 'PAUSED'],
  ['a cancel', (id) => service.cancel(id), 'FAILED'],
  ['the owner’s own hand', (id) => harness.takeover(id, 'It is me'), 'PAUSED'],
])('%s during a turn', (_, move, end) => {
  test('aborts the turn at once, sends nothing and discards the run and the wake-up', async () => {
    const begun = deaf();
    const id = await create();
    const signal = await begun;
    await move(id);
    await harness.quiet();
    expect(signal.aborted).toBe(true);
    expect(await state(id)).toBe(end);
    expect((await lines(id)).filter((line) => line.startsWith('agent'))).toEqual([]);
    expect(await runs(id)).toEqual(['discarded']);
    expect(harness.logged).toContainEqual({
      level: 'warn',
      message: 'stale wake-up discarded',
      fields: { instance: id, state: end, event: 'first_message' },
    });
    expect(harness.conversations.running.count).toBe(0);
  });
});

test('aborts a follow-up turn on a reply and answers without waiting for it', async () => {
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  const begun = deaf();
  await heartbeat(id);
  const signal = await begun;
  await reply(id, 'Here I am');
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(signal.aborted).toBe(true);
  expect(await lines(id)).toEqual(['agent: Hello', 'contact: Here I am', 'agent: Next']);
  expect(await runs(id)).toEqual(['done', 'discarded', 'done']);
});

test('does not abort a first message or an answer on a reply', async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const go = Promise.withResolvers<void>();
  agent(async (_, { signal }) => {
    begun.resolve(signal);
    await go.promise;
    return { messages: ['Said'] };
  });
  const id = await create();
  const signal = await begun.promise;
  await reply(id, 'Wait');
  expect(signal.aborted).toBe(false);
  go.resolve();
  await harness.quiet();
  expect(await lines(id)).toContain('agent: Said');
});

test('takes a turn that waits for a queued message when the contact writes and the message is withdrawn', async () => {
  agent(() => ({ messages: ['Hello\u202e'] }));
  const id = await create();
  await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  await reply(id, 'Are you there?');
  onTestFinished(() => harness.acknowledges(true));
  await harness.acknowledges(false);
  const asked = (await harness.approvals.list('pending')).find((one) => one.instance_id === id);
  await harness.approvals.approve(approvalId(asked?.id ?? ''));
  await eventually(() =>
    harness.logged.some(
      ({ message, fields }) => message === 'turn postponed' && fields.instance === id,
    ),
  );
  agent(() => ({ messages: ['Next'] }));
  await reply(id, 'Hello?');
  await reaches(id, 'WAITING_FOR_REPLY');
  expect((await lines(id)).at(-1)).toBe('agent: Next');
  const said = harness.turns.at(-1)?.transcript.filter(({ role }) => role === 'agent');
  expect(said).toMatchObject([{ delivery: 'failed' }]);
});

test('counts the tokens that an aborted turn used', async () => {
  const begun = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  agent(async (_, { signal, onUsage }) => {
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await onUsage({ provider: 'scripted', model: 'm', inputTokens: 7, outputTokens: 3, micros: 0 });
    late.resolve();
    return { messages: [] };
  });
  const id = await create();
  await begun.promise;
  await service.cancel(id);
  await late.promise;
  await harness.quiet();
  const [run] = await sql(
    'SELECT state, input_tokens + output_tokens AS tokens FROM runs WHERE instance_id = $1',
    [id],
  );
  expect(run).toEqual({ state: 'discarded', tokens: 10 });
});

test('discards a turn that finishes in the moment it is overtaken', async () => {
  const turn = heldTurn();
  agent(turn.act);
  const id = await create();
  await turn.begun;
  // Nothing aborts it: only the epoch shows that it is stale.
  await sql('UPDATE instances SET epoch = epoch + 1 WHERE id = $1', [id]);
  turn.release();
  await harness.quiet();
  expect(await runs(id)).toEqual(['discarded']);
  expect(await sql('SELECT 1 FROM outbox WHERE instance_id = $1', [id])).toEqual([]);
});

test('discards a turn when the daemon stops and keeps its job for the next start', async () => {
  const begun = deaf();
  const id = await create();
  await begun;
  await harness.jobs.stop(0);
  await eventually(async () => (await runs(id))[0] === 'discarded');
  const [job] = await sql(
    "SELECT state, retry_count FROM relay_jobs.job WHERE data->>'subject' = $1",
    [id],
  );
  expect(job).toEqual({ state: 'active', retry_count: 0 });
  expect(await state(id)).toBe('ACTIVE');
});

import { freshDaemonHarness, heldTurn } from '@relay/testing/daemon-harness';
import { sleep } from '@relay/testing/store';
import { afterEach, beforeEach, expect, test } from 'vitest';

const harness = await freshDaemonHarness();
const { agent, create, heartbeat, hold, lines, reaches, release, reply, sql, state, service } =
  harness;

beforeEach(() => {
  agent(() => ({ messages: ['Hello'] }));
  harness.turns.length = 0;
});
afterEach(() => release());

const runs = async (id: string) =>
  (await sql('SELECT state FROM runs WHERE instance_id = $1 ORDER BY started_at', [id])).map(
    (row) => row.state,
  );

test('starts no turn during a hold and takes it after the release', async () => {
  await hold();
  const id = await create();
  await harness.quiet();
  expect(await state(id)).toBe('CREATED');
  expect(harness.turns).toEqual([]);
  expect(harness.logged).toContainEqual({
    level: 'info',
    message: 'turn postponed',
    fields: { instance: id, state: 'CREATED', event: 'first_message' },
  });
  await release();
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(await lines(id)).toEqual(['agent: Hello']);
  expect(harness.turns.map(({ purpose }) => purpose)).toEqual(['first_message']);
});

test('discards the outcome of a turn when a hold began, and takes the turn again with the same unread messages', async () => {
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  const turn = heldTurn({ messages: ['Too late'], todos: [{ id: '1', status: 'completed' }] });
  agent(turn.act);
  await reply(id, 'Well?');
  await turn.begun;
  await hold();
  turn.release();
  await harness.quiet();
  expect(await lines(id)).toEqual(['agent: Hello', 'contact: Well?']);
  expect(await state(id)).toBe('ACTIVE');
  expect((await service.get(id)).todos[0]?.status).toBe('pending');
  expect(await runs(id)).toEqual(['done', 'discarded']);
  await release();
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(await lines(id)).toEqual(['agent: Hello', 'contact: Well?', 'agent: Next']);
  expect(harness.turns.map(({ purpose, unread }) => [purpose, unread])).toEqual([
    ['first_message', 0],
    ['reply', 1],
    ['reply', 1],
  ]);
});

test('still writes a first message after a hold discarded it', async () => {
  const turn = heldTurn();
  agent(turn.act);
  const id = await create();
  await turn.begun;
  await hold();
  turn.release();
  await harness.quiet();
  await release();
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(harness.turns.map(({ purpose }) => purpose)).toEqual(['first_message', 'first_message']);
});

test('sends a follow-up that came due during a hold after the release and counts it once', async () => {
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  await hold();
  await heartbeat(id);
  await reaches(id, 'HEARTBEAT_SCHEDULED');
  await harness.quiet();
  expect(harness.turns).toHaveLength(1);
  await release();
  await reaches(id, 'WAITING_FOR_REPLY');
  expect((await service.get(id)).follow_up_count).toBe(1);
  expect(harness.turns.at(-1)?.purpose).toBe('follow_up');
});

test('answers a reply after the release and leaves waiting and intervention states alone', async () => {
  const waiting = await create();
  await reaches(waiting, 'WAITING_FOR_REPLY');
  const replied = await create();
  await reaches(replied, 'WAITING_FOR_REPLY');
  agent(() => ({ messages: [], interventionReason: 'help' }));
  const asking = await create();
  await reaches(asking, 'NEEDS_HUMAN_INTERVENTION');
  agent(() => ({ messages: ['Hello again'] }));
  await hold();
  await reply(replied, 'Yes');
  await harness.quiet();
  expect(await state(replied)).toBe('WAITING_FOR_AGENT');
  const before = harness.turns.length;
  await release();
  await reaches(replied, 'WAITING_FOR_REPLY');
  await harness.quiet();
  expect(harness.turns.length).toBe(before + 1);
  expect(await state(asking)).toBe('NEEDS_HUMAN_INTERVENTION');
  expect(await lines(waiting)).toEqual(['agent: Hello']);
});

test('takes every turn in the end and sends nothing twice while holds come and go', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => create()));
  const switching = (async () => {
    for (let round = 0; round < 10; round++) {
      await hold();
      await sleep(5 * round);
      await release();
    }
  })();
  await Promise.all(ids.map((id) => reply(id, 'Hi').catch(() => {})));
  await switching;
  await harness.quiet();
  expect(new Set(await Promise.all(ids.map(state)))).toEqual(new Set(['WAITING_FOR_REPLY']));
  for (const id of ids) {
    const said = (await lines(id)).filter((line) => line.startsWith('agent'));
    const sent = await sql('SELECT 1 FROM outbox WHERE instance_id = $1', [id]);
    expect(sent).toHaveLength(said.length);
    expect(said.length).toBeLessThanOrEqual(2);
    // A reply that comes before the first message was sent withdraws it.
    const unexpected = expect.stringMatching(/^system: (?!Not sent: The contact wrote before)/);
    expect(await lines(id)).not.toContainEqual(unexpected);
  }
});

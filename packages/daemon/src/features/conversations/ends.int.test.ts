import type { InstanceId } from '@relay/contract/ids';
import { freshDaemonHarness, heldTurn, newPhone } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';

const world = await freshDaemonHarness();
const { agent, create, heartbeat, lines, reaches, reply, sql, steps, verbs } = world;

beforeEach(() => agent(() => ({ messages: ['Hello'] })));

/** Nothing of its session is left, and whoever waited for the contact goes on. */
async function isOver(id: InstanceId, next: InstanceId) {
  await reaches(next, 'WAITING_FOR_REPLY');
  await world.quiet();
  expect(world.conversations.running.count).toBe(0);
  expect(await sql('SELECT 1 FROM timers WHERE subject_id = $1', [id])).toEqual([]);
  expect(
    await sql("SELECT 1 FROM runs WHERE instance_id = $1 AND state = 'running'", [id]),
  ).toEqual([]);
}

/** One that has the contact, in the middle of its turn, and one that waits behind it. */
async function two(held: ReturnType<typeof heldTurn>, max_followups = 5) {
  agent(held.act);
  const phone = newPhone();
  const id = await create(phone, { max_followups });
  await held.begun;
  agent(() => ({ messages: ['Hello'] }));
  return { id, next: await create(phone) };
}

test('an agent that ends it from its turn completes it', async () => {
  verifies('003-T-ACTIVE-end_conversation');
  const turn = heldTurn({ messages: [], end: 'Done.' });
  const { id, next } = await two(turn);
  turn.release();
  await isOver(id, next);
  expect((await steps(id)).at(-1)).toBe('ACTIVE → COMPLETED');
});

test('an agent that says good-bye and ends it completes it after the message', async () => {
  verifies('003-T-WAITING_FOR_REPLY-end_conversation');
  const turn = heldTurn({ messages: ['Bye'], end: 'Done.' });
  const { id, next } = await two(turn);
  turn.release();
  await isOver(id, next);
  expect((await steps(id)).at(-1)).toBe('WAITING_FOR_REPLY → COMPLETED');
  expect(await lines(id)).toEqual(['agent: Bye']);
});

test('also when the contact wrote while it said so', async () => {
  verifies('003-T-WAITING_FOR_AGENT-end_conversation');
  const turn = heldTurn({ messages: ['Bye'], end: 'Done.' });
  const { id, next } = await two(turn);
  await reply(id, 'One more thing');
  turn.release();
  await isOver(id, next);
  expect((await steps(id)).at(-1)).toBe('WAITING_FOR_AGENT → COMPLETED');
});

test('the last follow-up without an answer abandons it', async () => {
  verifies('003-T-HEARTBEAT_SCHEDULED-max_followups_exceeded');
  const turn = heldTurn();
  const { id, next } = await two(turn, 0);
  turn.release();
  await reaches(id, 'WAITING_FOR_REPLY');
  await heartbeat(id);
  await isOver(id, next);
  expect((await steps(id)).at(-1)).toBe('HEARTBEAT_SCHEDULED → ABANDONED');
});

test('an error that cannot be mended fails it in the middle of its turn, and is logged', async () => {
  verifies('003-T-ACTIVE-unrecoverable_error');
  const { account } = world;
  const phone = newPhone();
  const id = await create(phone);
  await reaches(id, 'WAITING_FOR_REPLY');
  const turn = heldTurn();
  agent(turn.act);
  await reply(id, 'Yes');
  await turn.begun;
  agent(() => ({ messages: ['Hello'] }));
  const next = await create(phone);
  const [message] = await sql(
    "UPDATE outbox SET state = 'failed', failure = 'Gone.' WHERE instance_id = $1 RETURNING id",
    [id],
  );
  // Under a key of its own, so that it does not wait for the turn that it ends.
  const data = { account, subject: id, epoch: 0, wake: 'undelivered', message: message?.id };
  await world.database.kysely
    .transaction()
    .execute((tx) =>
      world.jobs.enqueue(tx, 'conversation', [{ key: 'aside', data: data as never }]),
    );
  world.jobs.hint('conversation');
  await reaches(id, 'FAILED');
  await isOver(id, next);
  expect((await steps(id)).at(-1)).toBe('ACTIVE → FAILED');
  expect(await lines(id)).not.toContain('agent: Next');
  expect(world.logged).toContainEqual({
    level: 'error',
    message: 'conversation failed',
    fields: { instance: id, reason: 'Gone.' },
  });
  expect((await verbs.get(id)).failure_reason).toBe('Gone.');
});

test('a first message makes the session, and is sent', async () => {
  verifies('003-T-CREATED-agent_sends_first_message');
  const turn = heldTurn();
  agent(turn.act);
  const id = await create();
  await turn.begun;
  expect(await steps(id)).toEqual(['CREATED → ACTIVE']);
  expect(world.conversations.running.count).toBe(1);
  expect(
    await sql("SELECT 1 FROM runs WHERE instance_id = $1 AND state = 'running'", [id]),
  ).toHaveLength(1);
  turn.release();
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(await sql('SELECT body FROM outbox WHERE instance_id = $1', [id])).toEqual([
    { body: 'Hello' },
  ]);
});

import type { InstanceId } from '@relay/contract/ids';
import { freshDaemonHarness, heldTurn, newPhone } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';

const harness = await freshDaemonHarness();
const { agent, create, heartbeat, lines, reaches, reply, sql, steps, service } = harness;

beforeEach(() => agent(() => ({ messages: ['Hello'] })));

/** Nothing of the ended conversation is left, and the next one with the contact has started. */
async function isOver(id: InstanceId, next: InstanceId) {
  await reaches(next, 'WAITING_FOR_REPLY');
  await harness.quiet();
  expect(harness.conversations.running.count).toBe(0);
  expect(await sql('SELECT 1 FROM timers WHERE subject_id = $1', [id])).toEqual([]);
  expect(
    await sql("SELECT 1 FROM runs WHERE instance_id = $1 AND state = 'running'", [id]),
  ).toEqual([]);
}

/** An active conversation in the middle of its turn, and one queued behind it. */
async function two(held: ReturnType<typeof heldTurn>, max_followups = 5) {
  agent(held.act);
  const phone = newPhone();
  const id = await create(phone, { max_followups });
  await held.begun;
  agent(() => ({ messages: ['Hello'] }));
  return { id, next: await create(phone) };
}

test('completes the conversation when the agent ends it in its turn', async () => {
  verifies('003-T-ACTIVE-end_conversation');
  const turn = heldTurn({ messages: [], endReason: 'Done.' });
  const { id, next } = await two(turn);
  turn.release();
  await isOver(id, next);
  expect((await steps(id)).at(-1)).toBe('ACTIVE → COMPLETED');
});

test('sends the farewell before the conversation completes', async () => {
  verifies('003-T-WAITING_FOR_REPLY-end_conversation');
  const turn = heldTurn({ messages: ['Bye'], endReason: 'Done.' });
  const { id, next } = await two(turn);
  turn.release();
  await isOver(id, next);
  expect((await steps(id)).at(-1)).toBe('WAITING_FOR_REPLY → COMPLETED');
  expect(await lines(id)).toEqual(['agent: Bye']);
});

test('completes the conversation even if the contact writes during the farewell turn', async () => {
  verifies('003-T-WAITING_FOR_AGENT-end_conversation');
  const turn = heldTurn({ messages: ['Bye'], endReason: 'Done.' });
  const { id, next } = await two(turn);
  await reply(id, 'One more thing');
  turn.release();
  await isOver(id, next);
  expect((await steps(id)).at(-1)).toBe('WAITING_FOR_AGENT → COMPLETED');
});

test('abandons the conversation when the last follow-up gets no answer', async () => {
  verifies('003-T-HEARTBEAT_SCHEDULED-max_followups_exceeded');
  const turn = heldTurn();
  const { id, next } = await two(turn, 0);
  turn.release();
  await reaches(id, 'WAITING_FOR_REPLY');
  await heartbeat(id);
  await isOver(id, next);
  expect((await steps(id)).at(-1)).toBe('HEARTBEAT_SCHEDULED → ABANDONED');
});

test('fails the conversation on an unrecoverable error during its turn and logs it', async () => {
  verifies('003-T-ACTIVE-unrecoverable_error');
  const { account } = harness;
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
  // With a separate job key, so that it does not wait for the turn it ends.
  const data = { account, subject: id, epoch: 0, wake: 'undelivered', message: message?.id };
  await harness.database.kysely
    .transaction()
    .execute((tx) =>
      harness.jobs.enqueue(tx, 'conversation', [{ key: 'aside', data: data as never }]),
    );
  harness.jobs.wake('conversation');
  await reaches(id, 'FAILED');
  await isOver(id, next);
  expect((await steps(id)).at(-1)).toBe('ACTIVE → FAILED');
  expect(await lines(id)).not.toContain('agent: Next');
  expect(harness.logged).toContainEqual({
    level: 'error',
    message: 'conversation failed',
    fields: { instance: id, reason: 'Gone.' },
  });
  expect((await service.get(id)).failure_reason).toBe('Gone.');
});

test('starts a run for the first message and sends it', async () => {
  verifies('003-T-CREATED-agent_sends_first_message');
  const turn = heldTurn();
  agent(turn.act);
  const id = await create();
  await turn.begun;
  expect(await steps(id)).toEqual(['CREATED → ACTIVE']);
  expect(harness.conversations.running.count).toBe(1);
  expect(
    await sql("SELECT 1 FROM runs WHERE instance_id = $1 AND state = 'running'", [id]),
  ).toHaveLength(1);
  turn.release();
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(await sql('SELECT body FROM outbox WHERE instance_id = $1', [id])).toEqual([
    { body: 'Hello' },
  ]);
});

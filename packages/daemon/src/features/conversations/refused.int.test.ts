import { approvalId, type InstanceId } from '@relay/contract/ids';
import { freshDaemonHarness, heldTurn } from '@relay/testing/daemon-harness';
import { beforeEach, describe, expect, test } from 'vitest';

const harness = await freshDaemonHarness();
const { agent, approvals, create, lines, reaches, reply, sql, state, steps, service } = harness;
/** Part of the objective: saying it needs an approval. */
const SECRET = 'The safe opens with KX-4417-92';

beforeEach(() => {
  agent(() => ({ messages: ['Hello'] }));
  harness.turns.length = 0;
});

const outbox = async (id: InstanceId) =>
  (await sql('SELECT body FROM outbox WHERE instance_id = $1 ORDER BY seq', [id])).map(
    (row) => row.body,
  );
const decisions = async (id: InstanceId) =>
  (
    await sql(
      `SELECT outcome || ': ' || reason AS said FROM ledger WHERE actor = $1 ORDER BY seq`,
      [`conversation:${id}`],
    )
  ).map((row) => row.said);

async function asking(...messages: string[]) {
  agent(() => ({ messages }));
  const id = await create(undefined, {}, `Ask for a locksmith. ${SECRET}`);
  await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  agent(() => ({ messages: ['Next'] }));
  const [waiting] = (await approvals.list('pending')).filter((row) => row.instance_id === id);
  return { id, approval: approvalId(waiting?.id ?? '') };
}

test('does not send a message that the gate denies, and asks the owner with the reason', async () => {
  const turn = heldTurn();
  agent(turn.act);
  const id = await create();
  await turn.begun;
  await sql(
    "INSERT INTO freezes (account_id, cause, until) VALUES ($1, 'time_lock', now() + interval '1 hour')",
    [harness.account],
  );
  turn.release();
  await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  await sql('DELETE FROM freezes');
  expect((await service.get(id)).reason).toMatch(/^WhatsApp currently blocks this account/);
  expect(await lines(id)).toEqual([expect.stringMatching(/^system: Not sent: WhatsApp currently/)]);
  expect(await outbox(id)).toEqual([]);
  expect(await decisions(id)).toEqual(['deny: time_locked']);
  await service.resume(id);
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(harness.turns.at(-1)?.purpose).toBe('first_message');
});

test('sends the texts before the held message, but not those after it', async () => {
  const { id } = await asking('Hello', SECRET, 'Bye');
  expect(await outbox(id)).toEqual(['Hello']);
  expect(await lines(id)).toEqual([
    'agent: Hello',
    expect.stringMatching(/^system: Not sent: The message quotes/),
  ]);
  expect((await service.get(id)).reason).toMatch(
    /^A message needs your approval: `relay approvals`\./,
  );
  expect(await decisions(id)).toEqual([
    'allow: conversation_grant',
    'needs_approval: quotes_private',
  ]);
});

describe('a message that waits for approval', () => {
  test('is sent as the agent’s when approved, and the conversation waits for the reply without another turn', async () => {
    const { id, approval } = await asking(SECRET);
    await approvals.approve(approval);
    await harness.quiet();
    expect(await outbox(id)).toEqual([SECRET]);
    expect((await lines(id)).at(-1)).toBe(`agent: ${SECRET}`);
    expect((await steps(id)).slice(-2)).toEqual([
      'NEEDS_HUMAN_INTERVENTION → ACTIVE',
      'ACTIVE → WAITING_FOR_REPLY',
    ]);
    expect((await service.get(id)).next_follow_up_at).not.toBeNull();
    expect(harness.turns).toHaveLength(1);
    await expect(approvals.approve(approval)).rejects.toMatchObject({ code: 'approval_answered' });
    expect(await outbox(id)).toEqual([SECRET]);
  });

  test('is followed by one turn when the contact has written in the meantime', async () => {
    const { id, approval } = await asking(SECRET);
    await reply(id, 'Are you there?');
    await approvals.approve(approval);
    await harness.quiet();
    expect(await outbox(id)).toEqual([SECRET, 'Next']);
    expect(harness.turns.map(({ purpose, unread }) => [purpose, unread])).toEqual([
      ['first_message', 0],
      ['reply', 1],
    ]);
  });

  test('cannot be approved once the conversation no longer waits for it', async () => {
    const { id, approval } = await asking(SECRET);
    const held = heldTurn();
    agent(held.act);
    await service.resume(id);
    await held.begun;
    await expect(approvals.approve(approval)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is ACTIVE'),
    });
    held.release();
    await harness.quiet();
    expect(await outbox(id)).toEqual(['Hello']);
    expect((await approvals.list('pending')).map((row) => row.id)).toContain(approval);
  });

  test('asks the owner again with the reason and informs the agent when it is rejected', async () => {
    const { id, approval } = await asking(SECRET);
    await approvals.reject(approval, 'too early');
    expect(await service.get(id)).toMatchObject({
      state: 'NEEDS_HUMAN_INTERVENTION',
      reason: expect.stringMatching(/^You declined its message/),
    });
    await service.resume(id);
    await reaches(id, 'WAITING_FOR_REPLY');
    expect(harness.turns.at(-1)?.transcript.at(-1)?.content).toBe(
      'The message that waited was rejected: too early',
    );
  });
});

test('refuses a denied message of the owner with the reason and records it only in the ledger', async () => {
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  const before = [await service.get(id), await lines(id), await steps(id), await outbox(id)];
  await harness.hold();
  await expect(service.send(id, 'Mine')).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining('Sending is on hold'),
  });
  await harness.release();
  expect([await service.get(id), await lines(id), await steps(id), await outbox(id)]).toEqual(
    before,
  );
  const refused = await sql(
    "SELECT 1 FROM ledger WHERE actor = 'owner' AND outcome = 'deny' AND reason = 'hold'",
  );
  expect(refused).toHaveLength(1);
  expect(await state(id)).toBe('WAITING_FOR_REPLY');
});

// Tests with a secret revealed in pieces, within a turn and over several turns: the message that completes it is
// stopped.
import { type InstanceId, instanceId } from '@relay/contract/ids';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { expect, test } from 'vitest';

const harness = await freshDaemonHarness();
const { agent, reaches, reply, sql } = harness;

const create = async (): Promise<InstanceId> => {
  const objective = 'Sell the bicycle. The lock has the key KRYPTO-77-LOCK-3131, not for anybody.';
  const { id } = await harness.service.create({ objective, target_contact: newPhone(), todos: [] });
  return instanceId(id);
};
const outbox = async (id: InstanceId) =>
  (await sql('SELECT body FROM outbox WHERE instance_id = $1 ORDER BY seq', [id])).map(
    ({ body }) => body,
  );
const asked = async (id: InstanceId) =>
  (await sql('SELECT reason FROM approvals WHERE instance_id = $1', [id])).map(
    ({ reason }) => reason,
  );

test('stops the message of a turn that completes a private text begun in an earlier one', async () => {
  agent(() => ({ messages: ['It begins with KRYPTO-77-', 'and ends with LOCK-3131', 'Bye'] }));
  const id = await create();
  await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  expect(await outbox(id)).toEqual(['It begins with KRYPTO-77-']);
  expect(await asked(id)).toEqual(['quotes_private']);
});

test('stops a private text that is revealed letter by letter over several turns', async () => {
  const letters = ['K', 'R', 'Y', 'P', 'T', 'O', '7', '7', 'L', 'O', 'C', 'K', '3', '1', '3', '1'];
  agent(() => ({ messages: letters.splice(0, 4) }));
  const id = await create();
  for (let turn = 0; turn < 3; turn++) {
    await reaches(id, 'WAITING_FOR_REPLY');
    await reply(id, 'And?');
    await harness.quiet();
  }
  await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  expect((await outbox(id)).join('')).toBe('KRYPTO77LOCK');
  expect(await asked(id)).toEqual(['quotes_private']);
});

test('does not stop later messages because of a private text that the owner approved', async () => {
  agent(() => ({ messages: ['The key is KRYPTO-77-LOCK-3131'] }));
  const id = await create();
  await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  const [question] = (await harness.approvals.list('pending')).filter(
    (row) => row.instance_id === id,
  );
  await harness.approvals.approve(question?.id as Parameters<typeof harness.approvals.approve>[0]);
  agent(() => ({ messages: ['Does it open?', 'It should.'] }));
  await reply(id, 'Thanks');
  await harness.quiet();
  expect((await outbox(id)).slice(1)).toEqual(['Does it open?', 'It should.']);
});

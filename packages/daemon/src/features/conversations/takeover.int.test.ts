import type { InstanceId, MessageId } from '@relay/contract/ids';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';
import { takeInBatch } from '../../pipeline/intake/intake.ts';
import { incoming, openPlain, readJson, receive } from '../../pipeline/intake/testing/inbox.ts';
import { onRoute } from '../../pipeline/router/router.ts';

const harness = await freshDaemonHarness();
const { agent, create, lines, reaches, sql, state, service } = harness;
const { db, lease, jobs } = harness.conversations;
const intake = { db, lease, jobs, unseal: openPlain, read: readJson };
jobs.work('route', 4, onRoute(harness.conversations));

beforeEach(() => agent(() => ({ messages: ['Hello'] })));

const addressOf = (phone: string) => `${phone.slice(1)}@s.whatsapp.net`;

/** A message of the account itself arrives from one of its other devices. */
async function echoes(phone: string, over: Parameters<typeof incoming>[0] = {}) {
  const message = incoming({ chat: addressOf(phone), fromMe: true, sentAt: new Date(), ...over });
  await receive(harness, harness.account, [message]);
  while ((await takeInBatch(intake, 200)).rows > 0);
  jobs.wake('route');
  const decision = () =>
    sql("SELECT outcome || ': ' || reason AS said FROM ledger WHERE subject_id = $1", [message.id]);
  await eventually(async () => (await decision()).length > 0);
  return (await decision())[0]?.said;
}

async function waiting(): Promise<{ id: InstanceId; phone: string }> {
  const phone = newPhone();
  const id = await create(phone);
  await reaches(id, 'WAITING_FOR_REPLY');
  return { id, phone };
}

test('pauses the conversation when the owner writes to the contact on the phone, until it is resumed', async () => {
  verifies('003-OPEN-TAKEOVER');
  const { id, phone } = await waiting();
  expect(await echoes(phone, { body: 'It is me now' })).toBe('handed_over: owner_takeover');
  expect(await service.get(id)).toMatchObject({
    state: 'PAUSED',
    previous_state: 'WAITING_FOR_REPLY',
    reason: 'You wrote to the contact yourself. Resume it when the agent should continue.',
    next_follow_up_at: null,
  });
  expect(await lines(id)).toEqual(['agent: Hello', 'manual: It is me now']);
  const told = await sql("SELECT data FROM events WHERE kind = 'conversation.taken_over'");
  expect(told).toEqual([{ data: { reason: expect.any(String), contact: expect.any(String) } }]);

  expect(await echoes(phone, { body: 'And again' })).toBe('handed_over: owner_takeover');
  expect((await lines(id)).at(-1)).toBe('manual: And again');
  const line = await sql("SELECT subject FROM events WHERE kind = 'conversation.line'");
  expect(line).toEqual([{ subject: id }]);
  expect(await state(id)).toBe('PAUSED');

  expect((await service.resume(id)).state).toBe('WAITING_FOR_REPLY');
});

test('never takes a message that Relay sent for the owner’s, however it comes back', async () => {
  const { id, phone } = await waiting();
  const [sent] = await sql<{ message_id: MessageId }>(
    'SELECT message_id FROM outbox WHERE instance_id = $1',
    [id],
  );
  if (sent === undefined) throw new Error('nothing was sent');
  expect(await echoes(phone, { id: sent.message_id })).toBe('ignored: sent_by_relay');
  expect(await state(id)).toBe('WAITING_FOR_REPLY');
  expect(await lines(id)).toEqual(['agent: Hello']);
});

test('counts what the owner typed while the daemon was offline, unless it is older than the conversation', async () => {
  const { id, phone } = await waiting();
  const before = new Date(Date.now() - 60_000);
  expect(await echoes(phone, { late: true, sentAt: before })).toBe('ignored: own_message');
  expect(await state(id)).toBe('WAITING_FOR_REPLY');
  expect(await echoes(phone, { late: true })).toBe('handed_over: owner_takeover');
  expect(await state(id)).toBe('PAUSED');
});

test('does not take over on a reaction or on a message to somebody else', async () => {
  const { id, phone } = await waiting();
  expect(await echoes(phone, { kind: 'reactionMessage', body: '[reactionMessage]' })).toBe(
    'ignored: own_message',
  );
  expect(await echoes(newPhone())).toBe('ignored: own_message');
  expect(await state(id)).toBe('WAITING_FOR_REPLY');
});

test('takes over only the active conversation and leaves the queued ones', async () => {
  const { id, phone } = await waiting();
  const queued = await create(phone);
  await echoes(phone);
  expect([await state(id), await state(queued)]).toEqual(['PAUSED', 'QUEUED']);
  expect(await lines(queued)).toEqual([]);
});

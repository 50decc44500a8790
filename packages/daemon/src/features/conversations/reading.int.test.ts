import { stateTransitionSchema } from '@relay/contract/api/instances';
import { instanceId } from '@relay/contract/ids';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';

const { agent, create, lines, quiet, reaches, reply, sql, service } = await freshDaemonHarness();

test('returns each transition with instance, states, trigger, time and cause', async () => {
  verifies('003-DATA-TRANSITION');
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  await service.pause(id);
  await service.cancel(id);
  const steps = await service.transitions(id);
  expect(steps.map(({ from_state, to_state, trigger }) => [from_state, to_state, trigger])).toEqual(
    [
      ['CREATED', 'ACTIVE', 'agent_sends_first_message'],
      ['ACTIVE', 'WAITING_FOR_REPLY', 'message_sent'],
      ['WAITING_FOR_REPLY', 'PAUSED', 'pause'],
      ['PAUSED', 'FAILED', 'cancel'],
    ],
  );
  for (const step of steps) {
    expect(Object.keys(step)).toEqual([
      'instance_id',
      'from_state',
      'to_state',
      'trigger',
      'timestamp',
      'caused_by',
    ]);
    expect(stateTransitionSchema.parse(step).instance_id).toBe(id);
  }
  const nobody = instanceId('00000000-0000-4000-8000-000000000000');
  await expect(service.transitions(nobody)).rejects.toThrow('not found');
});

test('returns the delivery state of each transcript line, and only the lines after an id', async () => {
  agent(() => ({ messages: ['One', 'Two'] }));
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  await service.pause(id);
  await reply(id, 'Yes');
  const [one, two, yes] = await service.transcript(id);
  await sql(`UPDATE outbox SET state = 'delivered' WHERE body = 'One' AND instance_id = $1`, [id]);
  expect((await service.transcript(id)).map(({ delivery }) => delivery)).toEqual([
    'delivered',
    'sent',
    null,
  ]);
  expect(await service.transcript(id, { after: one?.id })).toEqual([two, yes]);
  expect(await service.transcript(id, { after: yes?.id })).toEqual([]);
  expect((await service.get(id)).unread).toBe(1);
});

test('returns a message of the owner as pending', async () => {
  agent(() => ({ messages: ['Hello'] }));
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(await service.send(id, 'It is me')).toMatchObject({ role: 'manual', delivery: 'pending' });
  expect(await lines(id)).toEqual(['agent: Hello', 'manual: It is me']);
  await quiet();
});

test('finds exactly one conversation by a prefix of its id', async () => {
  const ids = await Promise.all([create(), create(), create()]);
  for (const id of ids) {
    for (const length of [8, 9, 13, 14, 36]) {
      const found = await service.list({ id_prefix: id.slice(0, length).toUpperCase() });
      expect(found.map((one) => one.id)).toEqual([id]);
    }
  }
  expect(await service.list({ id_prefix: '00000000' })).toEqual([]);
  expect(await service.list({ id_prefix: 'ffff-' })).toEqual(
    await service.list({ id_prefix: 'ffff' }),
  );
});

test('sends a message with the same key once and refuses another text with that key', async () => {
  agent(() => ({ messages: ['Hello'] }));
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  const [first, again] = await Promise.all([
    service.send(id, 'It is me', 'key'),
    service.send(id, 'It is me', 'key'),
  ]);
  expect(again.id).toBe(first.id);
  const said = async (query: object) =>
    (await service.transcript(id, query)).map(({ content }) => content);
  expect(await said({})).toEqual(['Hello', 'It is me']);
  expect(await said({ limit: 1 })).toEqual(['It is me']);
  expect(await said({ limit: 1, before: first.id })).toEqual(['Hello']);
  await expect(service.send(id, 'Other words', 'key')).rejects.toMatchObject({
    code: 'key_reused',
  });
});

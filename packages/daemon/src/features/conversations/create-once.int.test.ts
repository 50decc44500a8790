import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { times } from '@relay/testing/store';
import { beforeEach, expect, test } from 'vitest';

const harness = await freshDaemonHarness();
const { agent, sql, service } = harness;

beforeEach(() => agent(() => ({ messages: ['Hello'] })));

const request = (target_contact = newPhone()) => ({ objective: 'x', target_contact, todos: [] });
const madeFor = async (phone: string) =>
  (await sql('SELECT id FROM instances WHERE target_contact = $1', [phone])).map(({ id }) => id);

test('creates one conversation and gives the same answer for concurrent requests with one key', async () => {
  const asked = request();
  const answers = await Promise.all(times(6, () => service.create(asked, 'once')));
  const [first] = answers;
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set([JSON.stringify(first)]),
  );
  expect(await madeFor(asked.target_contact)).toEqual([first?.id]);
  // The key still returns it after it was cancelled.
  await service.cancel(first?.id as never);
  expect(await service.create(asked, 'once')).toEqual(first);
});

test('refuses another request with a used key and creates nothing', async () => {
  const other = request();
  await service.create(request(), 'taken');
  await expect(service.create(other, 'taken')).rejects.toMatchObject({
    code: 'key_reused',
    status: 409,
  });
  expect(await madeFor(other.target_contact)).toEqual([]);
});

test('leaves the key usable after a refused request', async () => {
  const asked = request();
  const invalid = { ...asked, target_contact: 'nobody' };
  await expect(service.create(invalid, 'free')).rejects.toMatchObject({ code: 'invalid_phone' });
  const { id } = await service.create(asked, 'free');
  expect(await madeFor(asked.target_contact)).toEqual([id]);
});

test('creates one conversation per request without a key', async () => {
  const asked = request();
  await Promise.all(times(2, () => service.create(asked)));
  expect(await madeFor(asked.target_contact)).toHaveLength(2);
});

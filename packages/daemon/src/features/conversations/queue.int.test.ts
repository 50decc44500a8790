import { randomUUID } from 'node:crypto';
import { contactId, instanceId } from '@relay/contract/ids';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';

const harness = await freshDaemonHarness();
const { agent, create, reaches, reply, sql, state, service } = harness;

beforeEach(() => agent(() => ({ messages: ['Hello'] })));

test('starts one of several concurrent conversations with a contact and queues the others', async () => {
  verifies('003-INV-ONE-ACTIVE');
  const phone = newPhone();
  const made = await Promise.all(
    times(8, () => service.create({ objective: 'x', target_contact: phone, todos: [] })),
  );
  expect(made.map(({ state }) => state).sort()).toEqual(['CREATED', ...Array(7).fill('QUEUED')]);
  const contacts = await sql(
    'SELECT DISTINCT contact_id, chat_id FROM instances WHERE target_contact = $1',
    [phone],
  );
  expect(contacts).toHaveLength(1);
});

test('finds one contact for a number, however it is typed', async () => {
  verifies('003-DATA-CONTACT');
  const digits = newPhone().slice(1);
  const typed = [
    `+${digits}`,
    digits,
    `+${digits.slice(0, 2)} (${digits.slice(2, 5)}) ${digits.slice(5)}`,
  ];
  const made = [];
  for (const target_contact of typed) {
    made.push(await service.create({ objective: 'x', target_contact, todos: [] }));
  }
  expect(made.map(({ state }) => state)).toEqual(['CREATED', 'QUEUED', 'QUEUED']);
  for (const { id } of made) {
    expect((await service.get(instanceId(id))).target_contact).toBe(`+${digits}`);
  }
});

test('starts the longest-waiting conversation next, however the active one ends', async () => {
  verifies('003-INV-FIFO');
  const phone = newPhone();
  const [first, second, third, fourth, fifth] = [
    await create(phone, { max_followups: 0 }),
    await create(phone, { max_followups: 0 }),
    await create(phone),
    await create(phone),
    await create(phone),
  ];
  const ids = [first, second, third, fourth, fifth];
  const states = () => Promise.all(ids.map(state));

  await reaches(first, 'WAITING_FOR_REPLY');
  expect(await states()).toEqual(['WAITING_FOR_REPLY', ...Array(4).fill('QUEUED')]);
  await service.cancel(first);

  await reaches(second, 'WAITING_FOR_REPLY');
  await harness.heartbeat(second);
  await reaches(second, 'ABANDONED');

  await reaches(third, 'WAITING_FOR_REPLY');
  agent(() => ({ messages: [], endReason: 'done' }));
  await reply(third, 'Yes');
  await reaches(third, 'COMPLETED');

  await reaches(fourth, 'COMPLETED');
  await reaches(fifth, 'COMPLETED');
  const began = await sql(
    "SELECT instance_id FROM instance_transitions WHERE to_state = 'ACTIVE' AND from_state = 'CREATED' AND instance_id = ANY($1) ORDER BY id",
    [ids],
  );
  expect(began.map(({ instance_id }) => instance_id)).toEqual(ids);
});

test('skips a conversation that leaves the queue just as the contact becomes free', async () => {
  const phone = newPhone();
  const first = await create(phone);
  await reaches(first, 'WAITING_FOR_REPLY');
  const second = await create(phone);
  const third = await create(phone);
  const leaving = await harness.database.pool.connect();
  await leaving.query('BEGIN');
  await leaving.query("UPDATE instances SET state = 'FAILED' WHERE id = $1", [second]);
  const cancelled = service.cancel(first);
  await new Promise((resolve) => setTimeout(resolve, 150));
  await leaving.query('COMMIT');
  leaving.release();
  await cancelled;
  await reaches(third, 'WAITING_FOR_REPLY');
});

test('skips a conversation paused in the queue and starts it when it is resumed and the contact is free', async () => {
  verifies('003-OPEN-RESUME-QUEUED');
  const phone = newPhone();
  const [first, second, third] = [await create(phone), await create(phone), await create(phone)];
  await service.pause(second);
  await service.cancel(first);
  await reaches(third, 'WAITING_FOR_REPLY');
  expect((await service.resume(second)).state).toBe('QUEUED');
  await service.pause(second);
  await service.cancel(third);
  expect((await service.resume(second)).state).toBe('CREATED');
  await reaches(second, 'WAITING_FOR_REPLY');
});

test('creates the chat of a known contact who was never written to', async () => {
  const contact = contactId(randomUUID());
  const phone = newPhone();
  await sql('INSERT INTO contacts (account_id, id) VALUES ($1, $2)', [harness.account, contact]);
  await sql(
    "INSERT INTO contact_aliases (account_id, kind, value, contact_id) VALUES ($1, 'phone', $2, $3)",
    [harness.account, phone.slice(1), contact],
  );
  const id = await create(phone);
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(await sql('SELECT contact_id FROM instances WHERE id = $1', [id])).toEqual([
    { contact_id: contact },
  ]);
});

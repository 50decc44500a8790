// AC-3: `relay create` creates a conversation and prints its id; conversations with a busy contact are queued, first
// in, first out.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';
import { end, FIRST, send } from './script.ts';

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());

const words = (name: string, number: string, ...more: string[]) => [
  ...['create', '--objective', `Get a quote from ${name}`, '--contact', number],
  ...['--todos', 'Ask for the price', '--todos', 'Ask for the date', ...more],
];

it('relay create creates a conversation in CREATED, prints its id, and it begins by itself', async () => {
  verifies('AC-3.1', '003-CLI-CREATE', '003-FLOW-AUTO-ACTIVATE');
  const kasimir = await harness.person('Kasimir');
  kasimir.meets(FIRST, send('What would it cost?'));
  const made = await harness.gives<{ id: string; state: string }>(
    ...words('Kasimir', kasimir.number, '--heartbeat', '90m', '--max-followups', '3'),
  );
  expect(made).toEqual({ id: expect.stringMatching(UUID_4), state: 'CREATED' });
  await kasimir.reads('What would it cost?');
  expect(await harness.waits(made.id)).toMatchObject({
    objective: 'Get a quote from Kasimir',
    target_contact: kasimir.number,
    todos: [
      { id: '1', text: 'Ask for the price', status: 'pending' },
      { id: '2', text: 'Ask for the date', status: 'pending' },
    ],
    heartbeat_config: { interval_ms: 5_400_000, max_followups: 3 },
    next_follow_up_at: expect.any(String),
  });
  expect(await harness.moves(made.id)).toEqual([
    'CREATED agent_sends_first_message ACTIVE',
    'ACTIVE message_sent WAITING_FOR_REPLY',
  ]);
});

it('relay create prints a different id each time, to people too', async () => {
  verifies('AC-3.1');
  const ids = [];
  for (const name of ['Leopoldine', 'Melchior']) {
    const person = await harness.person(name);
    person.meets(FIRST, send('Hello'));
    const { exit, out } = await harness.run(...words(name, person.number));
    expect(exit).toBe(0);
    const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(out) ?? [];
    expect(id).toMatch(UUID_4);
    expect(await harness.get(id)).toMatchObject({ objective: `Get a quote from ${name}` });
    ids.push(id);
  }
  expect(new Set(ids).size).toBe(2);
});

it('conversations with a busy contact are queued, and the next begins when the previous has ended', async () => {
  verifies('AC-3.2', 'AC-3.3', '003-INV-FIFO');
  const nepomuk = await harness.person('Nepomuk');
  nepomuk.meets(FIRST, send('Hello'));
  const create = () =>
    harness.gives<{ id: string; state: string }>(...words('Nepomuk', nepomuk.number));
  const first = await harness.begin(nepomuk);
  await harness.waits(first);
  const { id: second, state } = await create();
  expect(state).toBe('QUEUED');
  const third = await harness.begin(nepomuk);
  const fourth = await harness.begin(nepomuk);
  const fifth = await harness.begin(nepomuk);
  for (const id of [third, fourth, fifth]) expect((await harness.get(id)).state).toBe('QUEUED');

  // FAILED, by the owner.
  await harness.change(first, 'cancel');
  await harness.waits(second);
  expect((await harness.moves(second)).slice(0, 2)).toEqual([
    'CREATED contact_has_active_instance QUEUED',
    'QUEUED prior_instance_terminal CREATED',
  ]);
  expect((await harness.get(third)).state).toBe('QUEUED');

  // COMPLETED, by the agent.
  nepomuk.meets('That is all', end('The quote is there.'));
  await nepomuk.writes('That is all');
  await harness.reaches(second, 'COMPLETED');
  await harness.waits(third);
  expect((await harness.get(fourth)).state).toBe('QUEUED');

  // One that leaves the queue is skipped.
  await harness.change(fourth, 'cancel');
  expect((await harness.get(third)).state).toBe('WAITING_FOR_REPLY');
  await harness.change(third, 'cancel');
  await harness.waits(fifth);
});

it('the next conversation also begins after ABANDONED', async () => {
  verifies('AC-3.3');
  const ottokar = await harness.person('Ottokar');
  ottokar.meets(FIRST, send('Hello'));
  const heartbeat_config = { interval_ms: 1_000, max_followups: 0 };
  const first = await harness.begin(ottokar, { heartbeat_config });
  const second = await harness.begin(ottokar);
  expect(await harness.reaches(first, 'ABANDONED')).toBeDefined();
  await harness.waits(second);
});

it('a number is stored in one spelling, however it is typed; only WhatsApp knows its own address for it', async () => {
  verifies('003-DATA-CONTACT');
  const petronella = await harness.person('Petronella');
  petronella.meets(FIRST, send('Hello'));
  const written = `+1 (${petronella.phone.slice(1, 4)}) ${petronella.phone.slice(4, 7)}-${petronella.phone.slice(7)}`;
  const { id } = await harness.gives<{ id: string }>(...words('Petronella', written));
  expect(await petronella.reads('Hello')).toEqual(['Hello']);
  expect((await harness.get(id)).target_contact).toBe(petronella.number);
  const kept = await harness.relay.query(
    `SELECT to_jsonb(i)::text AS text FROM relay.instances i WHERE id = $1
     UNION ALL SELECT to_jsonb(o)::text FROM relay.outbox o WHERE instance_id = $1
     UNION ALL SELECT to_jsonb(a)::text FROM relay.contact_aliases a WHERE value = $2`,
    [id, petronella.phone],
  );
  expect(kept.length).toBeGreaterThanOrEqual(3);
  for (const { text } of kept) expect(text).not.toContain('whatsapp.net');
  for (const wrong of [`${petronella.phone}@s.whatsapp.net`, '+1', '555-01']) {
    const { exit, err } = await harness.run(...words('Petronella', wrong));
    expect({ wrong, exit }).toEqual({ wrong, exit: 2 });
    expect(err).toContain('international');
    const { status } = await harness.api.call('POST', '/api/instances', {
      objective: 'o',
      target_contact: wrong,
    });
    expect({ wrong, status }).toEqual({ wrong, status: 400 });
  }
});

it('an unregistered number is refused, while connected or once connected again', async () => {
  const nobody = '+15551009998';
  const { exit, err } = await harness.run(...words('Nobody', nobody));
  expect(exit).toBe(2);
  expect(err).toContain('not registered on WhatsApp');
  const refused = await harness.api.call('POST', '/api/instances', {
    objective: 'o',
    target_contact: nobody,
  });
  expect(refused).toMatchObject({ status: 400, json: { code: 'not_on_whatsapp' } });
  await harness.api.ok('POST', '/api/whatsapp/disconnect');
  const rufina = await harness.person('Rufina');
  rufina.meets(FIRST, send('Hello'));
  const there = await harness.begin(rufina);
  const { id: gone } = await harness.api.ok<{ id: string }>('POST', '/api/instances', {
    objective: 'Agree with Rufina on a day for the visit',
    target_contact: '+15551009997',
  });
  await harness.reaches(gone, 'WAITING_FOR_REPLY');
  await harness.api.ok('POST', '/api/whatsapp/connect');
  await rufina.reads('Hello');
  expect((await harness.reaches(gone, 'FAILED')).failure_reason).toContain(
    'not registered on WhatsApp',
  );
  expect((await harness.get(there)).state).toBe('WAITING_FOR_REPLY');
});

// The seed's five end-to-end flows, each from the command to the phone and back.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';
import { end, FIRST, FOLLOW_UP, mark, send } from './script.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());

it('full lifecycle: create, first message, reply, completion', async () => {
  verifies('003-FLOW-AUTO-ACTIVATE', '003-FLOW-REPLY', '003-DATA-TRANSITION');
  const cunegonde = await harness.person('Cunegonde');
  cunegonde.meets(FIRST, send('When could you come?'));
  cunegonde.meets('On Monday, then', mark('1', 'completed'), send('And what would it cost?'));
  cunegonde.meets('Eighty', mark('2', 'completed'), send('Agreed, thank you!'), end('Monday, 80.'));
  const id = await harness.create(cunegonde, '--todos', 'The day', '--todos', 'The price');

  await cunegonde.reads('When could you come?');
  const waiting = await harness.waits(id);
  await cunegonde.writes('On Monday, then');
  await cunegonde.reads('And what would it cost?');
  const again = await harness.becomes(
    id,
    'waiting again',
    (now) => now.todos[0]?.status === 'completed' && now.next_follow_up_at !== null,
  );
  expect(again.state).toBe('WAITING_FOR_REPLY');
  expect(Date.parse(again.next_follow_up_at ?? '')).toBeGreaterThan(
    Date.parse(waiting.next_follow_up_at ?? ''),
  );
  await cunegonde.writes('Eighty');
  const done = await harness.reaches(id, 'COMPLETED');

  expect(done.todos.map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(await cunegonde.reads('Agreed, thank you!')).toEqual([
    'When could you come?',
    'And what would it cost?',
    'Agreed, thank you!',
  ]);
  expect(await harness.lines(id)).toEqual([
    'agent: When could you come?',
    'contact: On Monday, then',
    'agent: And what would it cost?',
    'contact: Eighty',
    'agent: Agreed, thank you!',
  ]);
  const { transitions } = await harness.gives<{ transitions: Record<string, string>[] }>('get', id);
  expect(transitions.map((one) => `${one.from_state} ${one.trigger} ${one.to_state}`)).toEqual([
    'CREATED agent_sends_first_message ACTIVE',
    'ACTIVE message_sent WAITING_FOR_REPLY',
    'WAITING_FOR_REPLY contact_replies WAITING_FOR_AGENT',
    'WAITING_FOR_AGENT agent_processes_reply ACTIVE',
    'ACTIVE message_sent WAITING_FOR_REPLY',
    'WAITING_FOR_REPLY contact_replies WAITING_FOR_AGENT',
    'WAITING_FOR_AGENT agent_processes_reply ACTIVE',
    'ACTIVE message_sent WAITING_FOR_REPLY',
    'WAITING_FOR_REPLY end_conversation COMPLETED',
  ]);
  for (const one of transitions) {
    expect(one.instance_id).toBe(id);
    expect(new Date(one.timestamp ?? '').toISOString()).toBe(one.timestamp);
  }
});

it('heartbeat cycle: create, no reply, follow-ups, abandonment', async () => {
  verifies('AC-6.1', 'AC-6.2', '003-INV-FOLLOW-UPS');
  const dorothea = await harness.person('Dorothea');
  dorothea.meets(FIRST, send('When could you come?'));
  dorothea.meets(`${FOLLOW_UP}. The contact has not answered`, send('Any news?'));
  const id = await harness.begin(dorothea, {
    heartbeat_config: { interval_ms: 1_000, max_followups: 2 },
  });
  await harness.reaches(id, 'ABANDONED');
  expect(await dorothea.has()).toEqual(['When could you come?', 'Any news?', 'Any news?']);
  expect(await harness.moves(id)).toEqual([
    'CREATED agent_sends_first_message ACTIVE',
    'ACTIVE message_sent WAITING_FOR_REPLY',
    'WAITING_FOR_REPLY heartbeat_fires HEARTBEAT_SCHEDULED',
    'HEARTBEAT_SCHEDULED followup_sent WAITING_FOR_REPLY',
    'WAITING_FOR_REPLY heartbeat_fires HEARTBEAT_SCHEDULED',
    'HEARTBEAT_SCHEDULED followup_sent WAITING_FOR_REPLY',
    'WAITING_FOR_REPLY heartbeat_fires HEARTBEAT_SCHEDULED',
    'HEARTBEAT_SCHEDULED max_followups_exceeded ABANDONED',
  ]);
});

it('pause and resume: create, pause, resume, continue', async () => {
  verifies('AC-4.3', 'AC-4.4');
  const ermintrude = await harness.person('Ermintrude');
  ermintrude.meets(FIRST, send('When could you come?'));
  ermintrude.meets('Wednesday suits me', send('Wednesday it is.'), end('Wednesday.'));
  const id = await harness.begin(ermintrude);
  await ermintrude.reads('When could you come?');
  await harness.waits(id);
  await harness.change(id, 'pause');
  expect(await harness.get(id)).toMatchObject({
    state: 'PAUSED',
    previous_state: 'WAITING_FOR_REPLY',
    next_follow_up_at: null,
  });
  await harness.change(id, 'resume');
  expect(await harness.get(id)).toMatchObject({
    state: 'WAITING_FOR_REPLY',
    previous_state: null,
    next_follow_up_at: expect.any(String),
  });
  await ermintrude.writes('Wednesday suits me');
  await harness.reaches(id, 'COMPLETED');
  expect(await ermintrude.reads('Wednesday it is.')).toHaveLength(2);
});

it('queue: two conversations for one contact; the first completes, the second begins', async () => {
  verifies('AC-3.2', 'AC-3.3');
  const fortunato = await harness.person('Fortunato');
  fortunato.meets(FIRST, send('When could you come?'));
  fortunato.meets('Thursday suits me', send('Fine.'), end('Thursday.'));
  const first = await harness.begin(fortunato);
  const second = await harness.begin(fortunato);
  expect((await harness.get(second)).state).toBe('QUEUED');
  await harness.waits(first);
  await fortunato.writes('Thursday suits me');
  await harness.reaches(first, 'COMPLETED');
  await harness.waits(second);
  await expect
    .poll(() => fortunato.has())
    .toEqual(['When could you come?', 'Fine.', 'When could you come?']);
  expect((await harness.get(first)).state).toBe('COMPLETED');
});

it('daemon restart: create, stop, start, and everything continues', async () => {
  verifies('AC-9.1', 'AC-9.2', '003-NFR-NO-LOSS');
  const gwendolyn = await harness.person('Gwendolyn');
  gwendolyn.meets(FIRST, send('When could you come?'));
  gwendolyn.meets('Sunday suits me', mark('1', 'completed'), send('Sunday it is.'), end('Sunday.'));
  const id = await harness.begin(gwendolyn, {
    todos: [{ text: 'The day' }],
    heartbeat_config: { interval_ms: 3 * 3_600_000 },
  });
  await gwendolyn.reads('When could you come?');
  await harness.waits(id);
  const seen = () =>
    Promise.all([harness.api.ok('GET', '/api/instances'), harness.get(id), harness.transcript(id)]);
  const before = await seen();

  await harness.relay.stop();
  await gwendolyn.writes('Sunday suits me');
  await harness.relay.start();
  const [list, instance] = await seen();
  // In any order: the contact's answer, which was queued, may have changed it already.
  const idsIn = (given: unknown) => (given as { id: string }[]).map((one) => one.id).sort();
  expect(idsIn(list)).toEqual(idsIn(before[0]));
  expect(instance).toMatchObject({ id, objective: (before[1] as { objective: string }).objective });
  const done = await harness.reaches(id, 'COMPLETED');
  expect(done.todos).toEqual([{ id: '1', text: 'The day', status: 'completed' }]);
  expect(await gwendolyn.reads('Sunday it is.')).toEqual(['When could you come?', 'Sunday it is.']);
  expect(await harness.lines(id)).toEqual([
    'agent: When could you come?',
    'contact: Sunday suits me',
    'agent: Sunday it is.',
  ]);
});

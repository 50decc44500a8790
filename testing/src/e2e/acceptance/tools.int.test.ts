// AC-5: each tool of the agent, from the model's call to the phone, the transcript and the state.
import type { LoggedCall as ModelCall } from '@relay/simulator/model/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';
import { ask, end, FIRST, mark, placeCall, send, wakeIn } from './script.ts';

let world: AcceptanceHarness;
beforeAll(async () => {
  world = await openAcceptanceHarness({ settings: { log_level: 'debug' } });
});
afterAll(() => world.end());

/** The tool results at the end of the model's requests, in one person's conversation. */
function told(name: string): string[] {
  const bodies = world.model.calls().map(({ body }: ModelCall) => body as Asked);
  return bodies
    .filter(({ messages }) => JSON.stringify(messages).includes(name))
    .flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
    .map(({ content }) => content);
}

interface Asked {
  readonly messages: readonly { role: string; content: string }[];
}

it('send_message puts the exact text on the phone and in the transcript', async () => {
  verifies('AC-5.1', '003-DATA-CONTENT', '003-T-CREATED-agent_sends_first_message');
  const amadou = await world.person('Amadou');
  const text = 'Hello Amadou,\nis *Tuesday* good? <b>10:00</b> — “fine” 🙂';
  amadou.meets(FIRST, send(text));
  const id = await world.begin(amadou);
  expect(await amadou.reads(text)).toEqual([text]);
  await world.waits(id);
  expect(await world.lines(id)).toEqual([`agent: ${text}`]);
  expect(await world.says('transcript', id)).toContain(
    'is *Tuesday* good? <b>10:00</b> — “fine” 🙂',
  );
});

it('mark_todo_item changes the todo, and the change survives a kill', async () => {
  verifies('AC-5.2');
  const birgitta = await world.person('Birgitta');
  birgitta.meets(FIRST, mark('1', 'in_progress'), mark('2', 'skipped'), send('Which day?'));
  birgitta.meets('Tuesday suits me', mark('1', 'completed'), send('Tuesday it is.'));
  const id = await world.begin(birgitta, {
    todos: [{ text: 'Ask' }, { text: 'Confirm' }],
  });
  await birgitta.reads('Which day?');
  expect((await world.waits(id)).todos).toEqual([
    { id: '1', text: 'Ask', status: 'in_progress' },
    { id: '2', text: 'Confirm', status: 'skipped' },
  ]);
  await birgitta.writes('Tuesday suits me');
  await birgitta.reads('Tuesday it is.');
  await world.relay.kill();
  await world.relay.start();
  expect((await world.get(id)).todos.map(({ status }) => status)).toEqual(['completed', 'skipped']);
});

it('end_conversation completes it, with and without a farewell', async () => {
  verifies('AC-5.3', '003-T-ACTIVE-end_conversation', '003-T-WAITING_FOR_REPLY-end_conversation');
  for (const [name, farewell, move] of [
    ['Celestino', [send('See you then.')], 'WAITING_FOR_REPLY end_conversation COMPLETED'],
    ['Cordelia', [], 'ACTIVE end_conversation COMPLETED'],
  ] as const) {
    const person = await world.person(name);
    person.meets(FIRST, send('Shall we say Friday?'));
    person.meets('Friday is fine', ...farewell, end('Friday was agreed.'));
    const id = await world.begin(person);
    const next = await world.begin(person);
    await person.reads('Shall we say Friday?');
    await person.writes('Friday is fine');
    expect(await world.reaches(id, 'COMPLETED')).toMatchObject({
      reason: expect.stringContaining('Friday was agreed.'),
      next_follow_up_at: null,
    });
    expect((await world.moves(id)).at(-1)).toBe(move);
    await world.waits(next);
    await expect
      .poll(() => person.has())
      .toEqual([
        'Shall we say Friday?',
        ...farewell.map(() => 'See you then.'),
        'Shall we say Friday?',
      ]);
  }
});

it('schedule_next_heartbeat sets the timer to that delay, once', async () => {
  verifies('AC-5.4');
  const dagny = await world.person('Dagnyta');
  dagny.meets(FIRST, send('When?'), wakeIn(90_000));
  const id = await world.begin(dagny, {
    heartbeat_config: { interval_ms: 2 * 3_600_000 },
  });
  const { next_follow_up_at } = await world.waits(id);
  const [sent] = await world.relay.query(
    'SELECT sent_at FROM relay.outbox WHERE instance_id = $1',
    [id],
  );
  const sentAt = sent?.sent_at as Date;
  expect(Date.parse(next_follow_up_at ?? '') - sentAt.getTime()).toBe(90_000);
  const timers = await world.relay.query('SELECT due_at FROM relay.timers WHERE subject_id = $1', [
    id,
  ]);
  expect(timers).toEqual([{ due_at: new Date(next_follow_up_at ?? '') }]);
});

it('place_call is logged and answers that it is not available yet', async () => {
  verifies('AC-5.5');
  const evander = await world.person('Evander');
  evander.meets(FIRST, placeCall(), send('I would rather have called.'));
  const id = await world.begin(evander);
  await evander.reads('I would rather have called.');
  expect(told('Evander')).toContainEqual(expect.stringMatching(/not (yet )?available/));
  expect(world.log()).toContainEqual(
    expect.objectContaining({
      level: 'info',
      instance: id,
      msg: 'the agent asked for a call; calls are not yet available',
    }),
  );
});

it('request_human_intervention passes it to the owner with the reason', async () => {
  verifies('AC-5.6');
  const fridolin = await world.person('Fridolin');
  fridolin.meets(FIRST, ask('He wants to know the budget.'));
  const id = await world.begin(fridolin);
  expect(await world.reaches(id, 'NEEDS_HUMAN_INTERVENTION')).toMatchObject({
    reason: expect.stringContaining('He wants to know the budget.'),
  });
  expect(await fridolin.has()).toEqual([]);
  expect(await world.says('get', id)).toContain('He wants to know the budget.');
});

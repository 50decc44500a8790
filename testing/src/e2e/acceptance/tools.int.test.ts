// AC-5: each tool of the agent, from the model's call to the phone, the transcript and the state.
import type { LoggedCall as ModelCall } from '@relay/simulator/model/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';
import { ask, end, FIRST, mark, placeCall, send, wakeIn } from './script.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness({ settings: { log_level: 'debug' } });
});
afterAll(() => harness.end());

/** The tool results at the end of the model's requests, in one person's conversation. */
function told(name: string): string[] {
  const bodies = harness.model.calls().map(({ body }: ModelCall) => body as Asked);
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
  const amadou = await harness.person('Amadou');
  const text = 'Hello Amadou,\nis *Tuesday* good? <b>10:00</b> — “fine” 🙂';
  amadou.meets(FIRST, send(text));
  const id = await harness.begin(amadou);
  expect(await amadou.reads(text)).toEqual([text]);
  await harness.waits(id);
  expect(await harness.lines(id)).toEqual([`agent: ${text}`]);
  expect(await harness.says('transcript', id)).toContain(
    'is *Tuesday* good? <b>10:00</b> — “fine” 🙂',
  );
});

it('mark_todo_item changes the todo, and the change survives a kill', async () => {
  verifies('AC-5.2');
  const birgitta = await harness.person('Birgitta');
  birgitta.meets(FIRST, mark('1', 'in_progress'), mark('2', 'skipped'), send('Which day?'));
  birgitta.meets('Tuesday suits me', mark('1', 'completed'), send('Tuesday it is.'));
  const id = await harness.begin(birgitta, {
    todos: [{ text: 'Ask' }, { text: 'Confirm' }],
  });
  await birgitta.reads('Which day?');
  expect((await harness.waits(id)).todos).toEqual([
    { id: '1', text: 'Ask', status: 'in_progress' },
    { id: '2', text: 'Confirm', status: 'skipped' },
  ]);
  await birgitta.writes('Tuesday suits me');
  await birgitta.reads('Tuesday it is.');
  await harness.relay.kill();
  await harness.relay.start();
  expect((await harness.get(id)).todos.map(({ status }) => status)).toEqual([
    'completed',
    'skipped',
  ]);
});

it('end_conversation completes it, with and without a farewell', async () => {
  verifies('AC-5.3', '003-T-ACTIVE-end_conversation', '003-T-WAITING_FOR_REPLY-end_conversation');
  for (const [name, farewell, move] of [
    ['Celestino', [send('See you then.')], 'WAITING_FOR_REPLY end_conversation COMPLETED'],
    ['Cordelia', [], 'ACTIVE end_conversation COMPLETED'],
  ] as const) {
    const person = await harness.person(name);
    person.meets(FIRST, send('Shall we say Friday?'));
    person.meets('Friday is fine', ...farewell, end('Friday was agreed.'));
    const id = await harness.begin(person);
    const next = await harness.begin(person);
    await person.reads('Shall we say Friday?');
    await person.writes('Friday is fine');
    expect(await harness.reaches(id, 'COMPLETED')).toMatchObject({
      reason: expect.stringContaining('Friday was agreed.'),
      next_follow_up_at: null,
    });
    expect((await harness.moves(id)).at(-1)).toBe(move);
    await harness.waits(next);
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
  const dagny = await harness.person('Dagnyta');
  dagny.meets(FIRST, send('When?'), wakeIn(90_000));
  const id = await harness.begin(dagny, {
    heartbeat_config: { interval_ms: 2 * 3_600_000 },
  });
  const { next_follow_up_at } = await harness.waits(id);
  const [sent] = await harness.relay.query(
    'SELECT sent_at FROM relay.outbox WHERE instance_id = $1',
    [id],
  );
  const sentAt = sent?.sent_at as Date;
  expect(Date.parse(next_follow_up_at ?? '') - sentAt.getTime()).toBe(90_000);
  const timers = await harness.relay.query(
    'SELECT due_at FROM relay.timers WHERE subject_id = $1',
    [id],
  );
  expect(timers).toEqual([{ due_at: new Date(next_follow_up_at ?? '') }]);
});

it('place_call is logged and answers that it is not available yet', async () => {
  verifies('AC-5.5');
  const evander = await harness.person('Evander');
  evander.meets(FIRST, placeCall(), send('I would rather have called.'));
  const id = await harness.begin(evander);
  await evander.reads('I would rather have called.');
  expect(told('Evander')).toContainEqual(expect.stringMatching(/not (yet )?available/));
  expect(harness.log()).toContainEqual(
    expect.objectContaining({
      level: 'info',
      instance: id,
      msg: 'agent requested a call; calls are not yet available',
    }),
  );
});

it('request_human_intervention passes it to the owner with the reason', async () => {
  verifies('AC-5.6');
  const fridolin = await harness.person('Fridolin');
  fridolin.meets(FIRST, ask('He wants to know the budget.'));
  const id = await harness.begin(fridolin);
  expect(await harness.reaches(id, 'NEEDS_HUMAN_INTERVENTION')).toMatchObject({
    reason: expect.stringContaining('He wants to know the budget.'),
  });
  expect(await fridolin.has()).toEqual([]);
  expect(await harness.says('get', id)).toContain('He wants to know the budget.');
});

// Tests interrupted turns: a power cut, a hold, a stop, a spent budget, a model failure. Nothing happens twice, and the
// owner learns what did happen.
import { eventually } from '@relay/testing/store';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  ALL,
  type AssistantFixture,
  type Contact,
  calling,
  OWN_ID,
  openAssistantFixture,
} from './testing/fixture.ts';

let fixture: AssistantFixture;
let mum: Contact;
beforeAll(async () => {
  fixture = await openAssistantFixture({ work: false });
  mum = await fixture.contact('Mum', ALL);
  await fixture.store(mum.chat, mum.contact, 'Hello from mum');
});
beforeEach(async () => {
  await fixture.sql('UPDATE session_messages SET waiting = false');
  await fixture.sql('UPDATE sessions SET begins_after = (SELECT max(id) FROM session_messages)');
  fixture.script({ reply: { text: 'ok' } });
  await fixture.forgetCalls();
});

const last = async () => (await fixture.lines()).at(-1)?.content ?? '';
const bodies = async () => (await fixture.sent()).map(({ body }) => body);
const lastRun = async () =>
  (await fixture.sql('SELECT state, failure FROM runs ORDER BY started_at DESC LIMIT 1'))[0];

/** A turn that has sent a message and then waits for the model until it is aborted. */
async function halfDone(words: string): Promise<{ end(): Promise<void> }> {
  fixture.script(
    {
      when: { contains: words },
      reply: calling('send_message', { phone_number: mum.id, message: words }),
    },
    { when: { tool_result: '"sent"' }, reply: { text: 'late', delay_ms: 600_000 } },
  );
  await fixture.types(words);
  const stop = new AbortController();
  const turn = fixture.work(stop.signal);
  await eventually(async () => (await bodies()).includes(words));
  await eventually(() => fixture.calls().length === 2);
  return {
    end: async () => {
      stop.abort(new Error('the daemon stops'));
      await expect(turn).rejects.toThrow('the daemon stops');
    },
  };
}

test('does not restart a turn that was interrupted after an effect, and reports what was done', async () => {
  const turn = await halfDone('first half');
  await turn.end();
  expect(await lastRun()).toMatchObject({ state: 'discarded' });
  // The state after a power cut.
  await fixture.sql(`UPDATE runs SET state = 'running' WHERE state = 'discarded'`);
  await fixture.forgetCalls();
  expect(await fixture.work()).toBe(true);
  expect(await last()).toMatch(/^I was interrupted .*\n- sent "first half" to Mum$/s);
  expect(fixture.calls()).toEqual([]);
  expect((await bodies()).filter((body) => body === 'first half')).toHaveLength(1);
  expect((await bodies()).at(-1)).toMatch(/^I was interrupted[\s\S]*\[BOT\]$/);
});

test('restarts a turn that was interrupted before it had an effect', async () => {
  fixture.script({ when: { contains: 'slowly' }, reply: { text: 'late', delay_ms: 600_000 } });
  await fixture.types('slowly');
  const stop = new AbortController();
  const turn = fixture.work(stop.signal);
  await eventually(() => fixture.calls().length === 1);
  stop.abort(new Error('the daemon stops'));
  await expect(turn).rejects.toThrow('the daemon stops');
  fixture.script({ when: { contains: 'slowly' }, reply: { text: 'at last' } });
  expect(await fixture.work()).toBe(true);
  expect(await last()).toBe('at last');
});

test('records what was done when the client of a chat disconnects', async () => {
  const words = 'chat half';
  fixture.script(
    {
      when: { contains: words },
      reply: calling('send_message', { phone_number: OWN_ID, message: words }),
    },
    { when: { tool_result: '"sent"' }, reply: { text: 'late', delay_ms: 600_000 } },
  );
  const gone = new AbortController();
  const { over } = await fixture.chats(words, gone.signal);
  await eventually(() => fixture.calls().length === 2);
  gone.abort(new Error('closed'));
  await expect(over).rejects.toThrow('closed');
  expect(await last()).toMatch(/^Stopped\. Done so far:\n- sent "chat half" to Yourself$/);
});

test('ends only the running turn with /stop', async () => {
  const turn = await halfDone('stop me');
  const id = (await fixture.lines()).find(({ content }) => content === 'stop me')?.id;
  await fixture.types('/stop');
  await fixture.sql('UPDATE session_messages SET waiting = false WHERE id = $1', [id]);
  expect(await fixture.work()).toBe(true);
  await eventually(async () =>
    (await last()).startsWith('Stopped. Done so far:\n- sent "stop me"'),
  );
  await turn.end().catch(() => {});
  await fixture.types('go on');
  expect(await fixture.work()).toBe(true);
  expect(await last()).toBe('ok');
});

test('asks no model during a hold and answers after the release', async () => {
  await fixture.engine.services.hold.hold('test');
  await fixture.types('are you there?');
  expect(await fixture.work()).toBe(true);
  expect(fixture.calls()).toEqual([]);
  expect((await fixture.lines()).at(-1)).toMatchObject({
    content: 'are you there?',
    waiting: true,
  });
  await fixture.types('/status of nothing');
  await fixture.engine.services.hold.release();
  const jobs = await fixture.sql(
    `SELECT data->>'line' AS line FROM relay_jobs.job WHERE name = 'assistant' AND state < 'completed'`,
  );
  expect(jobs.length).toBeGreaterThan(1);
  expect(await fixture.work()).toBe(true);
  expect(await last()).toBe('ok');
});

test('delays the answer when a hold begins during the model call', async () => {
  fixture.script({
    when: { contains: 'think a bit' },
    reply: { text: 'thought', delay_ms: 1_000 },
  });
  await fixture.types('think a bit');
  const turn = fixture.work();
  await eventually(() => fixture.calls().length === 1);
  await fixture.engine.services.hold.hold('test');
  await turn;
  expect(await last()).toBe('think a bit');
  expect(await lastRun()).toMatchObject({ state: 'discarded' });
  await fixture.engine.services.hold.release();
  expect(await fixture.work()).toBe(true);
  expect(await last()).toBe('thought');
});

test('reports a spent daily budget without asking a model', async () => {
  const { agent } = fixture.settings;
  fixture.settings.agent = { ...agent, tokens_per_day: 1 };
  try {
    await fixture.types('hello?');
    expect(await fixture.work()).toBe(true);
    expect(await last()).toContain('agent.tokens_per_day');
    expect(fixture.calls()).toEqual([]);
    const { over } = await fixture.chats('hello?');
    await expect(over).rejects.toMatchObject({ code: 'budget_spent' });
  } finally {
    fixture.settings.agent = agent;
  }
});

test('reports a model failure with what was done before', async () => {
  fixture.script(
    {
      when: { contains: 'then fail' },
      reply: calling('send_message', { phone_number: mum.id, message: 'before' }),
    },
    { when: { tool_result: '"sent"' }, reply: { status: 401, text: 'secret answer' } },
  );
  await fixture.types('then fail');
  expect(await fixture.work()).toBe(true);
  expect(await last()).toMatch(/^I could not finish: .*401.*\n- sent "before" to Mum$/s);
  expect(await last()).not.toContain('secret');
  expect(await lastRun()).toMatchObject({ state: 'failed' });
});

// Tests interrupted turns: a power cut, a hold, a stop, a spent budget, a model failure. Nothing happens twice, and the
// owner learns what did happen.
import { eventually } from '@relay/testing/store';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { ALL, type Bed, type Contact, calling, freshBed, OWN_ID } from './testing/bed.ts';

let bed: Bed;
let mum: Contact;
beforeAll(async () => {
  bed = await freshBed({ work: false });
  mum = await bed.contact('Mum', ALL);
  await bed.store(mum.chat, mum.contact, 'Hello from mum');
});
beforeEach(async () => {
  await bed.sql('UPDATE session_messages SET waiting = false');
  await bed.sql('UPDATE sessions SET begins_after = (SELECT max(id) FROM session_messages)');
  bed.script({ reply: { text: 'ok' } });
  await bed.forgetCalls();
});

const last = async () => (await bed.lines()).at(-1)?.content ?? '';
const bodies = async () => (await bed.sent()).map(({ body }) => body);
const lastRun = async () =>
  (await bed.sql('SELECT state, failure FROM runs ORDER BY started_at DESC LIMIT 1'))[0];

/** A turn that has sent a message and then waits for the model until it is aborted. */
async function halfDone(words: string): Promise<{ end(): Promise<void> }> {
  bed.script(
    {
      when: { contains: words },
      reply: calling('send_message', { phone_number: mum.id, message: words }),
    },
    { when: { tool_result: '"sent"' }, reply: { text: 'late', delay_ms: 600_000 } },
  );
  await bed.types(words);
  const stop = new AbortController();
  const turn = bed.work(stop.signal);
  await eventually(async () => (await bodies()).includes(words));
  await eventually(() => bed.calls().length === 2);
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
  await bed.sql(`UPDATE runs SET state = 'running' WHERE state = 'discarded'`);
  await bed.forgetCalls();
  expect(await bed.work()).toBe(true);
  expect(await last()).toMatch(/^I was interrupted .*\n- sent "first half" to Mum$/s);
  expect(bed.calls()).toEqual([]);
  expect((await bodies()).filter((body) => body === 'first half')).toHaveLength(1);
  expect((await bodies()).at(-1)).toMatch(/^I was interrupted[\s\S]*\[BOT\]$/);
});

test('restarts a turn that was interrupted before it had an effect', async () => {
  bed.script({ when: { contains: 'slowly' }, reply: { text: 'late', delay_ms: 600_000 } });
  await bed.types('slowly');
  const stop = new AbortController();
  const turn = bed.work(stop.signal);
  await eventually(() => bed.calls().length === 1);
  stop.abort(new Error('the daemon stops'));
  await expect(turn).rejects.toThrow('the daemon stops');
  bed.script({ when: { contains: 'slowly' }, reply: { text: 'at last' } });
  expect(await bed.work()).toBe(true);
  expect(await last()).toBe('at last');
});

test('records what was done when the client of a chat disconnects', async () => {
  const words = 'chat half';
  bed.script(
    {
      when: { contains: words },
      reply: calling('send_message', { phone_number: OWN_ID, message: words }),
    },
    { when: { tool_result: '"sent"' }, reply: { text: 'late', delay_ms: 600_000 } },
  );
  const gone = new AbortController();
  const { over } = await bed.chats(words, gone.signal);
  await eventually(() => bed.calls().length === 2);
  gone.abort(new Error('closed'));
  await expect(over).rejects.toThrow('closed');
  expect(await last()).toMatch(/^Stopped\. Done by then:\n- sent "chat half" to Yourself$/);
});

test('ends only the running turn with /stop', async () => {
  const turn = await halfDone('stop me');
  const id = (await bed.lines()).find(({ content }) => content === 'stop me')?.id;
  await bed.types('/stop');
  await bed.sql('UPDATE session_messages SET waiting = false WHERE id = $1', [id]);
  expect(await bed.work()).toBe(true);
  await eventually(async () =>
    (await last()).startsWith('Stopped. Done by then:\n- sent "stop me"'),
  );
  await turn.end().catch(() => {});
  await bed.types('go on');
  expect(await bed.work()).toBe(true);
  expect(await last()).toBe('ok');
});

test('asks no model during a hold and answers after the release', async () => {
  await bed.engine.services.hold.hold('test');
  await bed.types('are you there?');
  expect(await bed.work()).toBe(true);
  expect(bed.calls()).toEqual([]);
  expect((await bed.lines()).at(-1)).toMatchObject({ content: 'are you there?', waiting: true });
  await bed.types('/status of nothing');
  await bed.engine.services.hold.release();
  const jobs = await bed.sql(
    `SELECT data->>'line' AS line FROM relay_jobs.job WHERE name = 'assistant' AND state < 'completed'`,
  );
  expect(jobs.length).toBeGreaterThan(1);
  expect(await bed.work()).toBe(true);
  expect(await last()).toBe('ok');
});

test('delays the answer when a hold begins during the model call', async () => {
  bed.script({ when: { contains: 'think a bit' }, reply: { text: 'thought', delay_ms: 1_000 } });
  await bed.types('think a bit');
  const turn = bed.work();
  await eventually(() => bed.calls().length === 1);
  await bed.engine.services.hold.hold('test');
  await turn;
  expect(await last()).toBe('think a bit');
  expect(await lastRun()).toMatchObject({ state: 'discarded' });
  await bed.engine.services.hold.release();
  expect(await bed.work()).toBe(true);
  expect(await last()).toBe('thought');
});

test('reports a spent daily budget without asking a model', async () => {
  const { agent } = bed.settings;
  bed.settings.agent = { ...agent, tokens_per_day: 1 };
  try {
    await bed.types('hello?');
    expect(await bed.work()).toBe(true);
    expect(await last()).toContain('agent.tokens_per_day');
    expect(bed.calls()).toEqual([]);
    const { over } = await bed.chats('hello?');
    await expect(over).rejects.toMatchObject({ code: 'budget_spent' });
  } finally {
    bed.settings.agent = agent;
  }
});

test('reports a model failure with what was done before', async () => {
  bed.script(
    {
      when: { contains: 'then fail' },
      reply: calling('send_message', { phone_number: mum.id, message: 'before' }),
    },
    { when: { tool_result: '"sent"' }, reply: { status: 401, text: 'secret answer' } },
  );
  await bed.types('then fail');
  expect(await bed.work()).toBe(true);
  expect(await last()).toMatch(/^I could not finish: .*401.*\n- sent "before" to Mum$/s);
  expect(await last()).not.toContain('secret');
  expect(await lastRun()).toMatchObject({ state: 'failed' });
});

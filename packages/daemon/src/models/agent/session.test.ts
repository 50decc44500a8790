import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatId } from '@relay/contract/ids';
import { textFromChat, trustedText } from '@relay/core/agent/labelled-text';
import { type Taint, UNTAINTED } from '@relay/core/policy/facts';
import { verifies } from '@relay/testing/verifies';
import { registerTelemetry } from 'ai';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { LIMITS, READS_NOBODY, says, scripted, wireCalls } from './testing/scripted.ts';
import { type AgentTool, defineAgentTool } from './tools.ts';

const harness = scripted();
const log: string[] = [];
afterEach(() => void log.splice(0));

const note: AgentTool = defineAgentTool({
  name: 'note',
  description: 'Notes a word.',
  schema: z.strictObject({ word: z.string() }),
  async run({ word }) {
    log.push(`${word} begins`);
    await sleep(word === 'slow' ? 60 : 1);
    log.push(`${word} ends`);
    return { text: trustedText(`noted ${word}`) };
  },
});
const stop: AgentTool = defineAgentTool({
  name: 'stop',
  description: 'Stops.',
  schema: z.strictObject({}),
  run: () => ({ text: trustedText('stopped'), stop: true }),
});

const calls = (...made: { name: string; arguments?: string | Record<string, unknown> }[]) => ({
  tool_calls: made,
});
const noteCall = (word: string) => ({ name: 'note', arguments: { word } });
/** The last request to the model. */
const lastRequest = () =>
  harness.server.calls().at(-1)?.body as {
    messages: { role: string; content: string; tool_calls?: { id: string }[] }[];
    tools?: { function: { name: string; parameters: object } }[];
  };
const answers = () =>
  lastRequest()
    .messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content);

test('runs the calls of one answer one after another, in the model’s order', async () => {
  verifies('003-BOUND-AGENT');
  harness.server.rules([
    { reply: calls(noteCall('slow'), noteCall('b'), noteCall('c')), times: 1 },
  ]);
  const rest = await harness.session({ tools: [note] }).act(says('go'));
  expect(log).toEqual(['slow begins', 'slow ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(answers()).toEqual(['noted slow', 'noted b', 'noted c']);
  expect(rest.kind).toBe('text');
});

test('runs no later call and no later step after a tool that ends the turn', async () => {
  harness.server.rules([{ reply: calls({ name: 'stop' }, noteCall('never')) }]);
  const session = harness.session({ tools: [note, stop] });
  expect(await session.act(says('go'))).toEqual({ kind: 'stopped' });
  expect(log).toEqual([]);
  expect(session.calls).toEqual([
    { id: expect.any(String), name: 'stop', arguments: {}, result: 'stopped' },
  ]);
  expect(harness.server.calls()).toHaveLength(1);
});

test('runs a repeated call once, and a different call with the same id as another one', async () => {
  const again = { id: 'c1', name: 'note', arguments: '{"word":"once"}' };
  const other = { id: 'c1', name: 'note', arguments: '{"word":"twice"}' };
  harness.server.rules([
    { reply: { raw: wireCalls([again, again]) }, times: 1 },
    { when: { tool_result: 'noted' }, reply: { raw: wireCalls([other]) }, times: 1 },
    { reply: { text: 'done' } },
  ]);
  const session = harness.session({ tools: [note] });
  await session.act(says('go'));
  expect(log).toEqual(['once begins', 'once ends', 'twice begins', 'twice ends']);
  expect(new Set(session.calls.map(({ id }) => id)).size).toBe(2);
  const ids = lastRequest().messages.flatMap(({ tool_calls = [] }) =>
    tool_calls.map(({ id }) => id),
  );
  expect(new Set(ids).size).toBe(3);
});

test.each([
  ['a tool that does not exist', 'erase_disk', {}, 'There is no such tool.'],
  ['a name out of the prototype', 'constructor', {}, 'There is no such tool.'],
  ['arguments that are no JSON', 'note', '{"word": ', 'not JSON'],
  ['arguments of another shape', 'note', '[1]', 'not valid'],
  ['null for arguments', 'note', 'null', 'not valid'],
  ['a missing field', 'note', {}, 'word:'],
  ['a field that nobody asked for', 'note', { word: 'a', to: '+1' }, 'not valid'],
  ['a prototype in disguise', 'note', '{"word":"a","__proto__":{"x":1}}', 'not'],
  ['arguments over 64 KB', 'note', { word: 'x'.repeat(65 * 1024) }, 'too large'],
  ['10 MB of arguments', 'note', { word: 'x'.repeat(10_000_000) }, 'too large'],
])(
  'answers %s with a short error for the model and runs nothing',
  { timeout: 30_000 },
  async (_, name, args, told) => {
    harness.server.rules([{ reply: calls({ name, arguments: args }), times: 1 }]);
    const session = harness.session({ tools: [note] });
    expect((await session.act(says('go'))).kind).toBe('text');
    expect(log).toEqual([]);
    expect(answers()).toEqual([expect.stringContaining(told)]);
    expect(answers()[0]?.length).toBeLessThan(200);
    expect(JSON.stringify(lastRequest()).length).toBeLessThan(5_000);
    expect(JSON.stringify(session.calls).length).toBeLessThan(5_000);
  },
);

test('runs at most 32 of a thousand calls in one answer', async () => {
  const many = Array.from({ length: 1_000 }, (_, index) => noteCall(`w${index}`));
  harness.server.rules([{ reply: calls(...many), times: 1 }]);
  const session = harness.session({ tools: [note] });
  await session.act(says('go'));
  expect(session.calls).toHaveLength(32);
  expect(answers()).toHaveLength(32);
});

test('reports what a tool throws to the log and never to the model', async () => {
  const failures: unknown[] = [];
  const leaky = defineAgentTool({
    name: 'leaky',
    description: 'Fails.',
    schema: z.strictObject({}),
    run: () => {
      throw new Error('password=hunter2');
    },
  });
  harness.server.rules([{ reply: calls({ name: 'leaky' }), times: 1 }]);
  const hooks = {
    signal: new AbortController().signal,
    ...READS_NOBODY,
    onUsage: async () => {},
    onToolFailed: (name: string, error: unknown) => void failures.push([name, error]),
  };
  await harness.session({ tools: [leaky], hooks }).act(says('go'));
  expect(answers()).toEqual(['Error: It failed. Do not try it again.']);
  expect(JSON.stringify(harness.server.calls())).not.toContain('hunter2');
  expect(failures).toEqual([['leaky', expect.objectContaining({ message: 'password=hunter2' })]]);
});

test('stops waiting for a tool that ignores its signal when its time is over', async () => {
  const deaf = defineAgentTool({
    name: 'deaf',
    description: 'Never ends.',
    schema: z.strictObject({}),
    run: () => new Promise<never>(() => {}),
  });
  harness.server.rules([{ reply: calls({ name: 'deaf' }), times: 1 }]);
  const rest = await harness.session({ tools: [deaf] }).act(says('go'));
  expect(answers()).toEqual(['Error: It took too long.']);
  expect(rest.kind).toBe('text');
});

test('stops a model that keeps calling tools at the step limit and reports it', async () => {
  for (let word = 0; word < 20; word += 1)
    harness.server.rules([{ reply: calls(noteCall(`w${word}`)), times: 1 }]);
  const limits = { ...LIMITS, max_steps: 4 };
  expect(await harness.session({ tools: [note], limits }).act(says('go'))).toEqual({
    kind: 'too_many_steps',
  });
  expect(harness.server.calls()).toHaveLength(4);
});

test('distinguishes an empty answer from one with text', async () => {
  harness.server.rules([{ reply: { text: '  ' }, times: 1 }, { reply: { text: ' yes ' } }]);
  const session = harness.session();
  expect(await session.act(says('go'))).toEqual({ kind: 'nothing' });
  expect(await session.act(says('again'))).toEqual({ kind: 'text', text: 'yes' });
});

test('asks a question outside the session without tools and without remembering it', async () => {
  harness.server.rules([{ when: { contains: 'sum' }, reply: { text: 'short' } }]);
  const session = harness.session({ tools: [note] });
  expect(await session.ask(trustedText('Sum up.'), trustedText('sum this'))).toEqual(
    trustedText('short'),
  );
  expect(lastRequest().tools ?? []).toEqual([]);
  await session.act(says('go'));
  expect(JSON.stringify(lastRequest().messages)).not.toContain('sum this');
});

test('offers the model only the tools, with strict schemas', async () => {
  await harness.session({ tools: [note, stop] }).act(says('go'));
  expect(lastRequest().tools?.map(({ function: { name } }) => name)).toEqual(['note', 'stop']);
  for (const offered of lastRequest().tools ?? [])
    expect(offered.function.parameters).toMatchObject({ additionalProperties: false });
});

test('reports the usage after every call and waits for the report', async () => {
  harness.server.rules([{ reply: calls(noteCall('a')), times: 1 }]);
  const order: string[] = [];
  const hooks = {
    signal: new AbortController().signal,
    ...READS_NOBODY,
    onUsage: async () => {
      await sleep(20);
      order.push(`spent, ${harness.server.calls().length} calls`);
    },
  };
  await harness.session({ tools: [note], hooks }).act(says('go'));
  expect(order).toEqual(['spent, 1 calls', 'spent, 2 calls']);
  await harness.session().act(says('go'));
  expect(harness.spent).toEqual([
    {
      provider: 'scripted',
      model: 'm',
      inputTokens: expect.any(Number),
      outputTokens: expect.any(Number),
      micros: 0,
    },
  ]);
  expect(harness.spent[0]?.inputTokens).toBeGreaterThan(0);
});

test('ends the turn when the budget is spent, without running a tool or calling again', async () => {
  harness.server.rules([{ reply: calls(noteCall('a')) }]);
  const broke = new Error('the budget is used up');
  const hooks = {
    signal: new AbortController().signal,
    ...READS_NOBODY,
    onUsage: () => Promise.reject(broke),
  };
  await expect(harness.session({ tools: [note], hooks }).act(says('go'))).rejects.toBe(broke);
  expect(log).toEqual([]);
  expect(harness.server.calls()).toHaveLength(1);
});

test('estimates the usage if the provider reports none', async () => {
  const body = JSON.stringify({
    choices: [
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } },
    ],
  });
  harness.server.rules([{ reply: { raw: body } }]);
  await harness.session().act(says('A long question about nothing much.'));
  expect(harness.spent[0]?.inputTokens).toBeGreaterThan(5);
  expect(harness.spent[0]?.outputTokens).toBeGreaterThan(0);
});

test('sends nothing of a turn to telemetry, even if a telemetry integration is registered', async () => {
  const seen: unknown[] = [];
  registerTelemetry({ onStart: (event) => void seen.push(event) });
  await harness.session({ tools: [note] }).act(says('go'));
  expect(seen).toEqual([]);
});

test('records whose text the model sees before it sees it, and only once', async () => {
  verifies('TRUST-LABELS');
  const [mom, bob] = [chatId(randomUUID()), chatId(randomUUID())];
  const asked: number[] = [];
  const noted: Taint[] = [];
  const looks = defineAgentTool({
    name: 'look',
    description: 'Looks.',
    schema: z.strictObject({}),
    run: () => ({ text: textFromChat('hello from Bob', bob) }),
  });
  harness.server.rules([
    { reply: { tool_calls: [{ name: 'look', arguments: {} }] }, times: 2 },
    { reply: { text: 'done' } },
  ]);
  const hooks = {
    signal: new AbortController().signal,
    alreadyRead: { chats: [mom], outside: false },
    beforeReading: async (taint: Taint) => {
      asked.push(harness.server.calls().length);
      noted.push(taint);
    },
    onUsage: async () => {},
  };
  const session = harness.session({ tools: [looks], hooks });
  await session.act([{ role: 'user', content: textFromChat('hello from Mom', mom) }]);
  expect(noted).toEqual([{ chats: [mom, bob], outside: false }]);
  // One model call had been made, and the one that shows Bob's text had not.
  expect(asked).toEqual([1]);
});

test('never shows the model a text whose origin could not be recorded', async () => {
  verifies('TRUST-LABELS');
  const hooks = {
    signal: new AbortController().signal,
    alreadyRead: UNTAINTED,
    beforeReading: () => Promise.reject(new Error('the database is gone')),
    onUsage: async () => {},
  };
  const session = harness.session({ hooks });
  const said = textFromChat('hello from Mom', chatId(randomUUID()));
  await expect(session.act([{ role: 'user', content: said }])).rejects.toThrow('gone');
  await expect(session.ask(trustedText('Sum up.'), said)).rejects.toThrow('gone');
  expect(harness.server.calls()).toEqual([]);
});

// Tests the history of the session: order, pages, tool calls and sources of each answer, and the event for every new
// line.
import { beforeAll, expect, test } from 'vitest';
import { ALL, type AssistantFixture, calling, openAssistantFixture } from './testing/fixture.ts';

let fixture: AssistantFixture;
beforeAll(async () => {
  fixture = await openAssistantFixture();
  const mum = await fixture.contact('Mum', ALL);
  await fixture.store(mum.chat, mum.contact, 'Hello from mum');
  fixture.script(
    { when: { contains: 'what did she say' }, reply: calling('whatsapp_read_messages', {}) },
    { when: { tool_result: 'Hello from mum' }, reply: { text: 'She says hello.' } },
    { when: { contains: 'ping' }, reply: { text: 'pong' } },
  );
});

const history = (which: { limit: number; before?: number } = { limit: 50 }) =>
  fixture.assistant.service.history(which);

test('returns an answer with its tool calls, counted results and source names', async () => {
  await (await fixture.chats('what did she say')).over;
  const [question, answer] = await history();
  expect(question).toMatchObject({ role: 'user', run: null, steps: [], sources: [] });
  expect(answer).toMatchObject({
    content: 'She says hello.',
    run: expect.any(String),
    steps: [{ name: 'whatsapp_read_messages', arguments: {}, result: '{"messages":1}' }],
    sources: [{ name: 'Mum', is_group: false }],
    outside: false,
  });
  expect(JSON.stringify(answer)).not.toContain('Hello from mum');
});

test('returns pages without a gap, each answer after its question', async () => {
  for (const each of ['ping 1', 'ping 2', 'ping 3']) await (await fixture.chats(each)).over;
  const whole = await history();
  const seen = [];
  for (let before: number | undefined; ; before = Number(seen[0]?.id)) {
    const page = await history({ limit: 3, ...(before === undefined ? {} : { before }) });
    if (page.length === 0) break;
    seen.unshift(...page);
  }
  expect(seen).toEqual(whole);
  expect(whole.slice(-4).map(({ content }) => content)).toEqual([
    'ping 2',
    'pong',
    'ping 3',
    'pong',
  ]);
});

test('appends an event without text for every line and for a reset', async () => {
  const told = async () =>
    fixture.sql<{ data: object }>(`SELECT data FROM events WHERE kind = 'assistant'`);
  const before = (await told()).length;
  await (await fixture.chats('ping')).over;
  await (await fixture.chats('/help')).over;
  await fixture.assistant.service.reset();
  const events = (await told()).slice(before);
  expect(events).toHaveLength(5);
  expect(events.every(({ data }) => Object.keys(data).length === 0)).toBe(true);
  expect(await history()).toEqual([]);
});

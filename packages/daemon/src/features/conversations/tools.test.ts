import type { ResultSchema } from '@relay/contract/conversation/result';
import { instanceId } from '@relay/contract/ids';
import { type Taint, UNTAINTED } from '@relay/core/policy/facts';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../models/agent/clock.ts';
import { createToolCallRunner, toSdkTools } from '../../models/agent/tools.ts';
import { conversationTools, emptyDraft, isDraftSettled, type TurnDraft } from './tools.ts';

const TODO = {
  id: instanceId('7f3a9c52-1b1e-4a55-9d5e-0d7d5c0e9a11'),
  text: 'Ask',
  status: 'pending' as const,
};

let draft: TurnDraft;
let placed: number;
let ids: number;
let runner: ReturnType<typeof createToolCallRunner>;
beforeEach(() => {
  draft = emptyDraft();
  placed = 0;
  ids = 0;
  runner = createToolCallRunner({
    tools: tools(),
    clock: systemClock,
    signal: new AbortController().signal,
    toolTimeoutMs: 1_000,
    leftMs: () => 1_000,
    onWaited: () => {},
    timeoutError: () => new Error('late'),
    onFailure: (_, error) => {
      throw error;
    },
  });
});

const onCall = () => {
  placed += 1;
};
const tools = (resultSchema: ResultSchema | null = null, taskFrom: Taint = UNTAINTED) =>
  conversationTools({ draft, todos: [TODO], files: 0, resultSchema, taskFrom, onCall });
const call = (name: string, input: unknown) =>
  runner
    .run({ id: `c${ids}`, uniqueId: `c${ids++}`, name, input })
    .then(({ text, ...rest }) => ({ ...rest, text: text.text }));

test('offers exactly six tools, and no argument names a person or a place', () => {
  verifies('003-SEC-SANDBOX');
  const offered = tools().map(({ name, schema }) => [name, Object.keys(schema.shape)]);
  expect(offered).toEqual([
    ['send_message', ['text']],
    ['mark_todo_item', ['todo_id', 'status']],
    ['end_conversation', ['reason']],
    ['schedule_next_heartbeat', ['delay']],
    ['place_call', []],
    ['request_human_intervention', ['reason']],
  ]);
});

test('drafts each text of send_message once, at most five', async () => {
  for (const text of ['a', 'a', 'b', 'c', 'd', 'e', 'f']) await call('send_message', { text });
  expect(draft.messages).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(runner.records.map(({ result }) => result.split(' ')[0])).toEqual([
    'The',
    'You',
    'The',
    'The',
    'The',
    'The',
    'Error:',
  ]);
});

test.each([
  ['a recipient', { text: 'a', to: '+15550001' }],
  ['no text', { text: ' \n' }],
  ['too much text', { text: 'x'.repeat(4_097) }],
  ['text no database keeps', { text: 'a\0b' }],
  ['half a character', { text: '\uD83D' }],
])('refuses %s in send_message', async (_, input) => {
  expect((await call('send_message', input)).text).toMatch(/^Error: /);
  expect(draft).toEqual(emptyDraft());
});

test('accepts only existing todos and the four states of the seed in mark_todo_item', async () => {
  await call('mark_todo_item', { todo_id: TODO.id, status: 'in_progress' });
  await call('mark_todo_item', { todo_id: TODO.id, status: 'completed' });
  expect([...draft.todos]).toEqual([[TODO.id, 'completed']]);
  expect((await call('mark_todo_item', { todo_id: 'other', status: 'skipped' })).text).toMatch(
    /^Error/,
  );
  expect((await call('mark_todo_item', { todo_id: TODO.id, status: 'done' })).text).toMatch(
    /^Error/,
  );
  expect(draft.todos.size).toBe(1);
  expect(isDraftSettled(draft)).toBe(false);
});

test('stops the turn with the reason of end_conversation and request_human_intervention', async () => {
  expect(await call('end_conversation', { reason: 'Met.' })).toMatchObject({ stop: true });
  expect(await call('request_human_intervention', { reason: 'Price?' })).toMatchObject({
    stop: true,
  });
  expect(draft).toMatchObject({ end: 'Met.', intervene: 'Price?' });
});

const SCHEMA: ResultSchema = {
  type: 'object',
  properties: { price: { type: 'number', description: 'At most 90, keep it secret' } },
  required: ['price'],
};

/** The tool that ends a conversation with a result, and its argument as the model sees it. */
async function ending(taskFrom: Taint = UNTAINTED) {
  const offered = tools(SCHEMA, taskFrom).filter(({ name }) => name === 'end_conversation');
  const { end_conversation } = await toSdkTools(offered);
  const argument = JSON.parse(JSON.stringify(end_conversation)).inputSchema.jsonSchema;
  return { tool: offered[0], argument };
}

test('gives the schema of the result as the type of an argument, unless a client wrote it', async () => {
  verifies('TRUST-LABELS');
  const { argument } = await ending();
  expect(argument.required).toEqual(['reason', 'result']);
  expect(argument.properties.result.anyOf).toEqual([SCHEMA, { type: 'null' }]);
  const clients = { ...UNTAINTED, clients: ['a token'] };
  const { argument: hidden, tool } = await ending(clients);
  expect(JSON.stringify(hidden)).not.toMatch(/price|secret/);
  const refused = await tool?.run({ reason: 'x', result: {} }, new AbortController().signal, 'c');
  expect(refused?.text.taint).toEqual(clients);
});

test('refuses a result that does not match with the reasons, three times at most', async () => {
  verifies('CONV-RESULT-VALID');
  const { tool } = await ending();
  const end = async (given: object) => {
    const { text, stop } = (await tool?.run(
      { reason: 'Met.', ...given },
      new AbortController().signal,
      'c',
    )) ?? { text: null };
    return `${stop === true} ${text?.text}`;
  };
  expect(await end({})).toMatch(/^false Error: .* it is missing/);
  expect(await end({ result: { price: 'free', more: 1 } })).toMatch(
    /^false Error: .* no other fields than price; \/price must be of the type number\./,
  );
  expect(draft).toEqual(emptyDraft());
  expect(await end({ result: { price: '80' } })).toBe('true The conversation ends.');
  expect(draft).toMatchObject({
    end: 'Met.',
    result: { problems: ['/price must be of the type number'] },
  });
});

test.each([
  [{ price: 80 }, { value: { price: 80 } }],
  [null, null],
])('ends at once with the result %j', async (result, drafted) => {
  const { tool } = await ending();
  await tool?.run({ reason: 'Met.', result }, new AbortController().signal, 'c');
  expect(draft).toMatchObject({ end: 'Met.', result: drafted });
});

test.each([999, 2_592_000_001, 1.5, '60000', null])(
  'refuses %s in schedule_next_heartbeat and says that it takes milliseconds',
  async (delay) => {
    expect((await call('schedule_next_heartbeat', { delay })).text).toMatch(/^Error/);
    expect(draft.nextHeartbeatMs).toBeNull();
    const said = tools().find(({ name }) => name === 'schedule_next_heartbeat')?.schema.shape;
    expect(JSON.stringify(said?.delay.description)).toContain('Milliseconds');
  },
);

test('keeps the last delay of schedule_next_heartbeat', async () => {
  await call('schedule_next_heartbeat', { delay: 1_000 });
  await call('schedule_next_heartbeat', { delay: 2_592_000_000 });
  expect(draft.nextHeartbeatMs).toBe(2_592_000_000);
});

test('answers place_call with its unavailability and does nothing else', async () => {
  expect((await call('place_call', {})).text).toContain('not yet available');
  expect(placed).toBe(1);
  expect(draft).toEqual(emptyDraft());
});

test('never crashes and drafts only valid values, whatever a model calls', {
  timeout: 60_000,
}, async () => {
  const name = fc.oneof(fc.constantFrom(...tools().map((one) => one.name)), fc.string());
  const field = fc.constantFrom('text', 'reason', 'delay', 'todo_id', 'status', 'to', '__proto__');
  const input = fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.jsonValue()), fc.string());
  await fc.assert(
    fc.asyncProperty(name, input, async (called, given) => {
      expect((await call(called, given)).text.length).toBeLessThan(300);
      expect(draft.messages.length).toBeLessThanOrEqual(5);
      for (const text of draft.messages) expect(text).toMatch(/\S/);
    }),
    { numRuns: 500 },
  );
  expect(() => JSON.stringify(runner.records)).not.toThrow();
});

// Tests of streamed turns: the same answers, limits and errors as without a stream, whatever breaks in the middle.

import { RelayError } from '@relay/contract/errors';
import { trustedText } from '@relay/core/agent/labelled-text';
import type { ToolCallRecord } from '@relay/core/ports/agent-turn';
import { registerTelemetry } from 'ai';
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { OpenedModel } from './model.ts';
import type { SessionOptions } from './session.ts';
import { LIMITS, READS_NOBODY, says, scripted } from './testing/scripted.ts';
import { defineAgentTool } from './tools.ts';

const harness = scripted();
const asked = () => harness.server.calls().length;

/** Everything the listener received, in order; `reset` where the text was discarded. */
let events: string[] = [];
beforeEach(() => {
  events = [];
});
const words = () => events.filter((line) => line.startsWith('+')).map((line) => line.slice(1));

const hooks = (signal: AbortSignal = new AbortController().signal) => ({
  signal,
  ...READS_NOBODY,
  onUsage: async (cost: (typeof harness.spent)[number]) => void harness.spent.push(cost),
  onText: (delta: string) => void events.push(`+${delta}`),
  onTextReset: () => void events.push('reset'),
  onToolCall: ({ name }: Omit<ToolCallRecord, 'result'>) => void events.push(`calling ${name}`),
  onToolResult: ({ name, result }: ToolCallRecord) => void events.push(`called ${name}: ${result}`),
});
const session = (options: Partial<SessionOptions> = {}) =>
  harness.session({ hooks: hooks(), ...options });

const failing = async (options: Partial<SessionOptions> = {}): Promise<RelayError> => {
  const error = await session(options)
    .act(says('the secret question'))
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof RelayError)) throw new Error('not one of ours', { cause: error });
  return error;
};

const ANSWER = 'The plumber can come on Friday, at nine in the morning.';

/** The beginning of a provider's stream: some text, and no end. */
const begun = (...lines: string[]) =>
  [...lines, JSON.stringify({ choices: [{ index: 0, delta: { content: 'half a secret' } }] })]
    .map((line) => `data: ${line}\n\n`)
    .join('');

const note = defineAgentTool({
  name: 'note',
  description: 'Notes a word.',
  schema: z.strictObject({ word: z.string() }),
  run: ({ word }) => ({ text: trustedText(`noted ${word}`) }),
});

test('streams text in pieces that make up the answer and counts the usage once', async () => {
  harness.server.rules([{ reply: { text: ANSWER } }]);
  expect(await session().act(says('go'))).toEqual({ kind: 'text', text: ANSWER });
  expect(words().length).toBeGreaterThan(2);
  expect(words().join('')).toBe(ANSWER);
  expect(harness.server.calls()[0]?.body).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
  });
  const streamed = harness.spent[0];
  await harness.session().act(says('go'));
  expect(harness.spent).toEqual([streamed, streamed]);
});

test('reports calls before and after they run, in the order of the turn', async () => {
  harness.server.rules([
    {
      reply: {
        text: 'Let me see.',
        tool_calls: [{ name: 'note', arguments: { word: 'a' } }, { name: 'erase_disk' }],
      },
      times: 1,
    },
    { reply: { text: 'Done.' } },
  ]);
  expect(await session({ tools: [note] }).act(says('go'))).toEqual({ kind: 'text', text: 'Done.' });
  const joined = events.join('').replaceAll('+', '');
  expect(joined).toBe(
    'Let me see.calling notecalled note: noted acalling erase_diskcalled erase_disk: Error: There is no such tool.Done.',
  );
});

test('does not stream a question outside the session', async () => {
  harness.server.rules([{ reply: { text: 'short' } }]);
  expect(await session().ask(trustedText('Sum up.'), trustedText('this'))).toEqual(
    trustedText('short'),
  );
  expect(events).toEqual([]);
});

test.each([
  ['the connection breaks', { raw: { body: begun(), cut: true } }],
  ['the stream ends without an end', { raw: begun() }],
  ['a line is no JSON', { raw: `${begun()}data: {secret garbage\n\n` }],
  ['a line is of another kind', { raw: begun('{"secret": 1}') }],
  ['the provider says it failed', { raw: `${begun()}data: {"error":{"message":"secret"}}\n\n` }],
  ['a page of HTML comes', { raw: { body: '<h1>secret', content_type: 'text/html' } }],
  ['nothing comes at all', { raw: '' }],
])(
  'when %s in the middle, the streamed text is reset and the answer is complete',
  async (_, fault) => {
    harness.server.rules([{ reply: fault, times: 1 }, { reply: { text: ANSWER } }]);
    expect(await session().act(says('go'))).toEqual({ kind: 'text', text: ANSWER });
    const again = events.slice(events.indexOf('reset') + 1);
    if (events[0] === '+half a secret') expect(events).toContain('reset');
    expect(again.join('').replaceAll('+', '')).toBe(ANSWER);
    expect(harness.spent).toHaveLength(1);
  },
);

test.each([
  ['500', { status: 500 }, 'model_unreachable', 2],
  ['503', { status: 503, retry_after: 0 }, 'model_unreachable', 2],
  ['429', { status: 429, retry_after: 0 }, 'model_busy', 2],
  ['401', { status: 401, text: 'secret key sk-1' }, 'model_refused', 1],
  ['a cut', { raw: { body: begun(), cut: true } }, 'model_garbled', 2],
  ['garbage', { raw: 'data: secret{\n\n' }, 'model_garbled', 2],
])('repeated %s fails with the same error as without a stream', async (_, reply, code, times) => {
  const printed = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn'), vi.spyOn(console, 'log')];
  harness.server.rules([{ reply }]);
  const error = await failing();
  expect(error).toMatchObject({ code });
  expect(asked()).toBe(times);
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    expect(`${at.message} ${at.stack} ${JSON.stringify(at)}`).not.toMatch(/secret|sk-1/);
  if (words().length > 0) expect(events.at(-1)).toBe('reset');
  for (const spy of printed) expect(spy).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test('gives up a stream that is too slow, retries once and fails within twice the time limit', async () => {
  harness.server.rules([{ reply: { text: ANSWER, chunk_delay_ms: 300 } }]);
  const limits = { ...LIMITS, call_timeout_ms: 40_000 };
  const began = harness.clock.now();
  expect((await failing({ limits })).message).toContain('no answer within 40 s');
  expect(harness.clock.now() - began).toBeLessThan(2.5 * 40_000);
  expect(asked()).toBe(2);
  expect(events.filter((line) => line === 'reset')).toHaveLength(2);
  expect(events.at(-1)).toBe('reset');
});

test('ends a slow stream at the time limit of the turn and resets its text', async () => {
  harness.server.rules([{ reply: { text: ANSWER, chunk_delay_ms: 300 } }]);
  const limits = { ...LIMITS, turn_timeout_ms: 40_000 };
  expect(await failing({ limits })).toMatchObject({ code: 'model_slow' });
  expect(asked()).toBe(1);
  expect(events.at(-1)).toBe('reset');
});

/** Streams text, then neither ends nor reacts to its signal, and streams more long after. */
const deaf = (opened: OpenedModel, later: Promise<void>): OpenedModel => ({
  ...opened,
  model: Object.assign(Object.create(opened.model), {
    doStream: async () => ({
      stream: new ReadableStream({
        async start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id: '1' });
          controller.enqueue({ type: 'text-delta', id: '1', delta: 'early' });
          await later;
          try {
            controller.enqueue({ type: 'text-delta', id: '1', delta: 'late' });
          } catch {}
        },
      }),
    }),
  }),
});

test('ends a turn although the stream ignores its signal, and drops its later text', async () => {
  const later = Promise.withResolvers<void>();
  const limits = { ...LIMITS, call_timeout_ms: 5_000 };
  const model = deaf(harness.opened(), later.promise);
  expect(await failing({ model, limits })).toMatchObject({ code: 'model_unreachable' });
  later.resolve();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(events).toEqual(['+early', 'reset', '+early', 'reset']);
});

test('ends a turn that is stopped in the middle of a stream at once with its reason', async () => {
  harness.server.rules([{ reply: { text: ANSWER, chunk_delay_ms: 200 } }]);
  const stopped = new AbortController();
  const turn = session({ hooks: hooks(stopped.signal) }).act(says('go'));
  const reason = new Error('stopped');
  const ended = expect(turn).rejects.toBe(reason);
  await expect.poll(() => words().length).toBeGreaterThan(0);
  stopped.abort(reason);
  await ended;
  expect(asked()).toBe(1);
});

test('ends the turn before its calls run when the budget is spent', async () => {
  harness.server.rules([{ reply: { tool_calls: [{ name: 'note', arguments: { word: 'a' } }] } }]);
  const broke = new Error('the budget is used up');
  const broken = { ...hooks(), onUsage: () => Promise.reject(broke) };
  await expect(session({ tools: [note], hooks: broken }).act(says('go'))).rejects.toBe(broke);
  expect(events).toEqual([]);
});

test('gives a tool that waits for a person its own time limit and pauses that of the turn', async () => {
  const question = defineAgentTool({
    name: 'question',
    description: 'Asks the owner.',
    schema: z.strictObject({}),
    timeoutMs: 300_000,
    run: (_, signal) =>
      harness.clock.wait(105_000, signal).then(
        () => ({ text: trustedText('yes') }),
        () => ({ text: trustedText('no') }),
      ),
  });
  harness.server.rules([
    { reply: { tool_calls: [{ name: 'question' }] }, times: 1 },
    { reply: { text: 'Thanks.' } },
  ]);
  const limits = { ...LIMITS, turn_timeout_ms: 100_000, tool_timeout_ms: 5_000 };
  expect(await session({ tools: [question], limits }).act(says('go'))).toEqual({
    kind: 'text',
    text: 'Thanks.',
  });
  expect(events[1]).toBe('called question: yes');
});

test('stops waiting for a tool that waits for a person when its own time is over', async () => {
  const question = defineAgentTool({
    name: 'question',
    description: 'Asks the owner.',
    schema: z.strictObject({}),
    timeoutMs: 20_000,
    run: () => new Promise<never>(() => {}),
  });
  harness.server.rules([{ reply: { tool_calls: [{ name: 'question' }] }, times: 1 }]);
  await session({ tools: [question] }).act(says('go'));
  expect(events[1]).toBe('called question: Error: It took too long.');
});

/** A provider's stream with text and a call, to be damaged by the tests. */
const WHOLE = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
  ...['One ', 'two ', 'three.'].map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
  {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [
            { index: 0, id: 'c1', type: 'function', function: { name: 'note', arguments: '{"wo' } },
          ],
        },
      },
    ],
  },
  {
    choices: [
      { index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: 'rd":"a"}' } }] } },
    ],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
]
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');

test('ends in time and leaves exactly the answer as streamed text, whatever happens to the bytes', async () => {
  const at = fc.nat(WHOLE.length);
  const damage = fc.oneof(
    at.map((end) => ({ body: WHOLE.slice(0, end), cut: true })),
    at.map((end) => ({ body: WHOLE.slice(0, end) })),
    fc.tuple(at, at).map(([a, b]) => ({ body: WHOLE.slice(0, a) + WHOLE.slice(b) })),
    fc.tuple(at, fc.string()).map(([a, more]) => ({
      body: WHOLE.slice(0, a) + more + WHOLE.slice(a),
    })),
  );
  const limits = { ...LIMITS, call_timeout_ms: 60_000 };
  await fc.assert(
    fc.asyncProperty(damage, async (raw) => {
      events = [];
      harness.server.rules([]);
      harness.server.rules([{ reply: { raw }, times: 2 }, { reply: { text: ANSWER } }]);
      const began = harness.clock.now();
      const ended = await session({ limits, tools: [note] })
        .act(says('go'))
        .catch((error: unknown) => error);
      expect(harness.clock.now() - began).toBeLessThan(2 * 60_000);
      if (ended instanceof Error) {
        expect(ended).toBeInstanceOf(RelayError);
        return;
      }
      const { kind, text } = ended as { kind: string; text?: string };
      const last = events.findLastIndex((line) => !line.startsWith('+'));
      const standing = events.slice(last + 1).map((line) => line.slice(1));
      expect(kind === 'text' ? text : '').toBe(standing.join('').trim());
    }),
    { numRuns: process.env.PROPERTY_RUNS ? 150 : 50 },
  );
}, 120_000);

test('sends nothing of a stream to telemetry', async () => {
  const seen: unknown[] = [];
  registerTelemetry({ onStart: (event) => void seen.push(event) });
  await session({ tools: [note] }).act(says('go'));
  expect(seen).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatId, OutboxId, RunId } from '@relay/contract/ids';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tracesUrl } from './exporter.ts';
import type { FinishedWork, TracedMessage, TracedTurn } from './finished-work.ts';
import { makeExportRequest, makeSpans, type OtlpSpan } from './spans.ts';
import * as words from './vocabulary.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second));
const RUN = '11111111-1111-4111-8111-111111111111' as RunId;
const CHAT = '22222222-2222-4222-8222-222222222222' as ChatId;
const SENT = '33333333-3333-4333-8333-333333333333' as OutboxId;

const turn: TracedTurn = {
  id: RUN,
  actor: 'auto_reply',
  state: 'done',
  provider: 'anthropic',
  model: 'claude-sonnet-5',
  steps: 2,
  inputTokens: 900,
  outputTokens: 40,
  startedAt: at(2),
  endedAt: at(5),
  conversation: null,
  chat: CHAT,
  heardAt: at(1),
};
const decision = {
  seq: 7,
  at: at(5),
  action: 'send_message',
  outcome: 'allow',
  reason: 'standing_grant',
};
const message: TracedMessage = {
  id: SENT,
  run: RUN,
  actor: 'auto_reply',
  conversation: null,
  chat: CHAT,
  schedule: null,
  state: 'delivered',
  attempts: 1,
  createdAt: at(5),
  attemptedAt: at(8),
  sentAt: at(9),
  deliveredAt: at(10),
  readAt: null,
  decision,
  stop: null,
};
const work: FinishedWork = {
  turns: [turn],
  calls: [{ run: RUN, call: 'c1', name: 'web_search', at: at(4) }],
  decisions: [
    { ...decision, run: RUN },
    {
      ...decision,
      seq: 8,
      run: RUN,
      action: 'answer_message',
      outcome: 'answered',
      reason: 'replied',
    },
  ],
  messages: [message],
};

const seconds = (nano: string) =>
  Number((BigInt(nano) - BigInt(+at(0)) * 1_000_000n) / 1_000_000_000n);
const drawn = (spans: readonly OtlpSpan[]) =>
  spans.map(
    ({ name, startTimeUnixNano, endTimeUnixNano }) =>
      `${name} ${seconds(startTimeUnixNano)}–${seconds(endTimeUnixNano)}`,
  );
const of = (spans: readonly OtlpSpan[], name: string) => {
  const span = spans.find((one) => one.name === name);
  return Object.fromEntries(
    (span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]),
  );
};

test('makes one trace of a turn: the wait, the model with its tool calls, the decision and the message', () => {
  const spans = makeSpans(work);
  expect(drawn(spans)).toEqual([
    'relay.turn 1–9',
    'relay.wait 1–2',
    'invoke_agent auto_reply 2–5',
    'execute_tool web_search 4–4',
    'relay.gate 5–5',
    'relay.deliver 5–9',
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([RUN.replaceAll('-', '')]));
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(6);
  const [root, , model] = spans;
  expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual([
    undefined,
    ...[root?.spanId, root?.spanId, model?.spanId, root?.spanId, root?.spanId],
  ]);
  expect(of(spans, 'relay.turn')).toEqual({
    'relay.run.id': RUN,
    'relay.actor': 'auto_reply',
    'relay.chat.id': CHAT,
    'relay.answer': 'replied',
  });
  expect(of(spans, 'invoke_agent auto_reply')).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'claude-sonnet-5',
    'gen_ai.usage.input_tokens': '900',
    'gen_ai.usage.output_tokens': '40',
    'relay.steps': '2',
  });
  expect(of(spans, 'relay.gate')).toEqual({
    'relay.gate.action': 'send_message',
    'relay.gate.outcome': 'allow',
    'relay.gate.reason': 'standing_grant',
  });
  expect(spans.at(-1)?.events?.map(({ name }) => name)).toEqual([
    'relay.attempted',
    'relay.delivered',
  ]);
  expect(spans.some(({ status }) => status !== undefined)).toBe(false);
  expect(makeSpans(work)).toEqual(spans);
});

test('makes a trace of a message without a turn, and adds a later message to its turn’s trace', () => {
  const alone = makeSpans({
    ...work,
    turns: [],
    messages: [{ ...message, run: null, actor: 'owner' }],
  });
  expect(drawn(alone)).toEqual(['relay.message 5–9', 'relay.gate 5–5', 'relay.deliver 5–9']);
  expect(alone[0]?.traceId).toBe(SENT.replaceAll('-', ''));
  const late = makeSpans({ ...work, turns: [] });
  expect(drawn(late)).toEqual(['relay.gate 5–5', 'relay.deliver 5–9']);
  expect(late[0]).toMatchObject({
    traceId: RUN.replaceAll('-', ''),
    parentSpanId: makeSpans(work)[0]?.spanId,
  });
});

test('marks failures as errors without their text, and names the rule that stopped a message', () => {
  const spans = makeSpans({
    ...work,
    turns: [{ ...turn, state: 'failed' }],
    messages: [
      {
        ...message,
        state: 'failed',
        sentAt: null,
        attemptedAt: null,
        deliveredAt: null,
        stop: { reason: 'revoked', at: at(7).toISOString() },
      },
    ],
  });
  const failed = spans.filter(({ status }) => status?.code === 2).map(({ name }) => name);
  expect(failed).toEqual(['relay.turn', 'invoke_agent auto_reply', 'relay.deliver']);
  expect(of(spans, 'relay.deliver')).toMatchObject({ 'error.type': 'revoked' });
  expect(drawn(spans).at(-1)).toBe('relay.deliver 5–7');
});

test('never makes a span that ends before it begins, even if clocks disagree', () => {
  const spans = makeSpans({
    ...work,
    turns: [{ ...turn, heardAt: at(3), endedAt: at(1) }],
    messages: [{ ...message, sentAt: at(0), deliveredAt: at(0) }],
  });
  const delivered = spans.at(-1)?.events?.find(({ name }) => name === 'relay.delivered');
  expect(delivered?.timeUnixNano).toBe(spans.at(-1)?.endTimeUnixNano);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
});

/** Any text that a column could contain. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    'Mathilda',
    '+49 151 23456789',
    '4915123456789@s.whatsapp.net',
    'my secret garden',
  ),
  fc.constantFrom('done', 'failed', 'allow', 'owner', 'send_message', 'toString', '__proto__'),
);
const anyTime = fc.date({ min: at(0), max: at(3_000), noInvalidDate: true });
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null });
const anyDecision = fc.record({
  seq: fc.nat(),
  at: anyTime,
  action: anyText,
  outcome: anyText,
  reason: anyText,
});
const anyRun = fc.oneof(fc.constant(RUN), anyText) as fc.Arbitrary<RunId>;
const anyWork = fc.record({
  turns: fc.array(
    fc.record({
      id: fc.constant(RUN),
      actor: anyText,
      state: anyText,
      provider: maybe(anyText),
      model: maybe(anyText),
      steps: fc.nat(),
      inputTokens: fc.nat(),
      outputTokens: fc.nat(),
      startedAt: anyTime,
      endedAt: anyTime,
      conversation: maybe(anyText),
      chat: maybe(anyText),
      heardAt: maybe(anyTime),
    }),
    { maxLength: 2 },
  ),
  calls: fc.array(fc.record({ run: anyRun, call: anyText, name: anyText, at: anyTime })),
  decisions: fc.array(fc.tuple(anyRun, anyDecision).map(([run, row]) => ({ ...row, run }))),
  messages: fc.array(
    fc.record({
      id: fc.constant(SENT),
      run: maybe(fc.constant(RUN)),
      actor: anyText,
      conversation: maybe(anyText),
      chat: anyText,
      schedule: maybe(anyText),
      state: anyText,
      attempts: fc.nat(),
      createdAt: anyTime,
      attemptedAt: maybe(anyTime),
      sentAt: maybe(anyTime),
      deliveredAt: maybe(anyTime),
      readAt: maybe(anyTime),
      decision: anyDecision,
      stop: maybe(fc.record({ reason: anyText, at: anyTime.map((time) => time.toISOString()) })),
    }),
    { maxLength: 3 },
  ),
}) as fc.Arbitrary<unknown> as fc.Arbitrary<FinishedWork>;

const KNOWN = new Set([
  ...['relay.turn', 'relay.wait', 'relay.gate', 'relay.deliver', 'relay.message'],
  ...['relay.attempted', 'relay.delivered', 'relay.read', 'relay', '0.0.0'],
  ...['invoke_agent', 'execute_tool'],
  ...['service.name', 'service.version', 'service.instance.id'],
  ...['relay.run.id', 'relay.run.state', 'relay.actor', 'relay.chat.id', 'relay.conversation.id'],
  ...['relay.schedule.id', 'relay.answer', 'relay.steps', 'relay.outbox.id', 'error.type'],
  ...['relay.outbox.state', 'relay.outbox.attempts'],
  ...['relay.gate.action', 'relay.gate.outcome', 'relay.gate.reason'],
  ...['operation.name', 'agent.name', 'provider.name', 'tool.name'].map((name) => `gen_ai.${name}`),
  ...['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'],
  ...[...words.TRACED_AGENTS, words.OTHER_WORD].flatMap((agent) => [
    agent,
    `invoke_agent ${agent}`,
  ]),
  ...[...words.TRACED_TOOLS, words.OTHER_WORD].flatMap((tool) => [tool, `execute_tool ${tool}`]),
]);
const isKnown = (text: string) =>
  KNOWN.has(text) ||
  [
    ...[words.actorWord, words.actionWord, words.outcomeWord, words.reasonWord, words.answerWord],
    ...[words.stopWord, words.runStateWord, words.outboxStateWord],
  ].some((word) => word(text) === text) ||
  ['anthropic', 'openai', 'gcp.gemini', 'ollama', 'vllm', 'openai-compatible'].includes(text) ||
  words.uuidWord(text) === text ||
  /^\d+$/.test(text) ||
  /^[\da-f]{16}([\da-f]{16})?$/.test(text);

const texts = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(texts)
      : [];

test('exports only ids, numbers and listed words, whatever the rows contain', () => {
  fc.assert(
    fc.property(anyWork, (any) => {
      const spans = makeSpans(any).map((span) => ({
        ...span,
        // The only word that the owner chooses; its form is checked below.
        attributes: span.attributes.filter(({ key }) => key !== 'gen_ai.request.model'),
      }));
      const body = makeExportRequest({ version: '0.0.0', instance: RUN }, spans);
      expect(texts(body).filter((text) => !isKnown(text))).toEqual([]);
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) },
  );
});

test('accepts a model name only as one word that can be neither a sentence nor a phone number', () => {
  expect(words.modelWord('qwen2.5:7b-instruct/q4_K')).toBe('qwen2.5:7b-instruct/q4_K');
  for (const no of ['+4915123456789', '4915123456789', 'call Mathilda', 'a@b', '', 'x'.repeat(101)])
    expect(words.modelWord(no)).toBe(words.OTHER_WORD);
});

test('lists every tool that an agent can have', () => {
  const source = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
      const path = join(folder, one.name);
      if (one.isDirectory()) return one.name === 'testing' ? [] : source(path);
      return /(?<!\.test)\.ts$/.test(one.name) ? [readFileSync(path, 'utf8')] : [];
    });
  const all = ['assistant', 'conversations', 'group-answers', 'web-search'].flatMap((folder) =>
    source(join(import.meta.dirname, '..', folder)),
  );
  const named = all.flatMap((text) => [
    ...[...text.matchAll(/^ +name: '([a-z_]+)',$/gm)].map(([, name]) => name),
    ...[...text.matchAll(/^const \w+_TOOL = '([a-z_]+)';$/gm)].map(([, name]) => name),
  ]);
  expect(named.length).toBeGreaterThan(10);
  expect([...new Set(named)].sort()).toEqual([...words.TRACED_TOOLS].sort());
});

test.each([
  ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/traces'],
  ['http://127.0.0.1:4318/', 'http://127.0.0.1:4318/v1/traces'],
  ['https://otlp.example/otlp', 'https://otlp.example/otlp/v1/traces'],
  ['https://otlp.example/v1/traces', 'https://otlp.example/v1/traces'],
])('sends to %s at %s', (endpoint, url) => expect(tracesUrl(endpoint).href).toBe(url));

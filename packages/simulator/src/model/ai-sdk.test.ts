// Proves compatibility: the AI SDK, as the daemon uses it, against the scripted model.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embed, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type ModelServer, startModelServer } from './server.ts';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const provider = () =>
  createOpenAICompatible({
    name: 'scripted',
    baseURL: `${server.url}/v1`,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
const model = () => provider().chatModel('scripted');

const asked: string[] = [];
const weather = tool({
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => {
    asked.push(city);
    return `sunny in ${city}`;
  },
});

const SCRIPT = [
  {
    when: { contains: 'weather' },
    reply: {
      tool_calls: [
        { name: 'weather', arguments: { city: 'Oslo' } },
        { name: 'weather', arguments: { city: 'Bergen' } },
      ],
    },
  },
  { when: { tool_result: 'sunny in Oslo' }, reply: { text: 'Sunny in both.' } },
];

test('generateText reads text and usage', async () => {
  server.rules([{ when: { contains: 'ping' }, reply: { text: 'pong' } }]);
  const { text, usage, finishReason } = await generateText({ model: model(), prompt: 'ping' });
  expect(text).toBe('pong');
  expect(finishReason).toBe('stop');
  expect(usage.outputTokens).toBe(1);
  expect(usage.inputTokens).toBeGreaterThan(1);
});

test('generateText makes parallel tool calls and returns their results', async () => {
  asked.length = 0;
  server.rules(SCRIPT);
  const { text, steps } = await generateText({
    model: model(),
    prompt: 'How is the weather?',
    tools: { weather },
    stopWhen: stepCountIs(4),
  });
  expect(asked.toSorted()).toEqual(['Bergen', 'Oslo']);
  expect(text).toBe('Sunny in both.');
  expect(steps).toHaveLength(2);
});

test('streamText joins the pieces of text and of tool calls, and reads the usage', async () => {
  asked.length = 0;
  server.rules(SCRIPT);
  const result = streamText({
    model: model(),
    prompt: 'How is the weather?',
    tools: { weather },
    stopWhen: stepCountIs(4),
  });
  const parts: string[] = [];
  for await (const part of result.textStream) parts.push(part);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.join('')).toBe('Sunny in both.');
  expect(asked.toSorted()).toEqual(['Bergen', 'Oslo']);
  expect((await result.totalUsage).outputTokens).toBeGreaterThan(4);
});

test('structured output gets a well-formed default', async () => {
  const schema = z.object({ mood: z.enum(['calm', 'angry']), score: z.number() });
  const { output } = await generateText({
    model: model(),
    prompt: 'How are they?',
    output: Output.object({ schema }),
  });
  expect(schema.parse(output).mood).toBe('calm');
});

test('the SDK retries after a 429', async () => {
  server.rules([
    { reply: { status: 429, retry_after: 0 }, times: 1 },
    { reply: { text: 'at last' } },
  ]);
  const { text } = await generateText({ model: model(), prompt: 'hi', maxRetries: 1 });
  expect(text).toBe('at last');
  expect(server.calls()).toHaveLength(2);
});

test('embed gives the same vector for the same text', async () => {
  const embedding = provider().embeddingModel('scripted-embedding');
  const one = await embed({ model: embedding, value: 'a bicycle' });
  const two = await embed({ model: embedding, value: 'a bicycle' });
  expect(one.embedding).toEqual(two.embedding);
  expect(one.embedding).toHaveLength(256);
  expect(one.usage.tokens).toBe(3);
});

test('a traitor runs a whole loop of the SDK with existing and unknown tools, and ends', async () => {
  asked.length = 0;
  server.traitor(true);
  const { steps, text } = await generateText({
    model: model(),
    prompt: 'call weather with city="Atlantis", then call erase_disk now',
    tools: { weather },
    stopWhen: stepCountIs(12),
  });
  expect(asked).toContain('Atlantis');
  const called = steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName));
  expect(called).toContain('erase_disk');
  expect(steps.length).toBeLessThan(12);
  expect(text).toContain('Atlantis');
});

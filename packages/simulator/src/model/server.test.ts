// The scripted model over real HTTP, as its clients and a test's control use it.
import { createConnection } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChatRequest } from './schemas.ts';
import { createCallLog, type LoggedCall, type ModelServer, startModelServer } from './server.ts';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const send = (method: string, path: string, body?: unknown) =>
  fetch(`${server.url}${path}`, {
    method,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

const user = (content: string) => ({ role: 'user' as const, content });
const chat = (more: Partial<ChatRequest> = {}) =>
  send('POST', '/v1/chat/completions', { model: 'm', messages: [user('hello there')], ...more });

interface WireCall {
  id: string;
  function: { name: string; arguments: string };
}
interface Wire {
  choices: {
    message: { content: string; tool_calls: WireCall[] };
    delta: { content?: string; tool_calls?: WireCall[] };
    finish_reason: string;
  }[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  data: { embedding: number[] | string }[];
  calls: LoggedCall[];
  dropped: number;
  error: { message: string };
}
const json = async (response: Promise<Response>): Promise<Wire> =>
  (await response).json() as Promise<Wire>;
const choice = async (more?: Partial<ChatRequest>) => (await json(chat(more))).choices[0]!;

const turn = (name: string, args: object, result: string) => [
  {
    role: 'assistant' as const,
    content: null,
    tool_calls: [
      { id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } },
    ],
  },
  { role: 'tool' as const, tool_call_id: 'c', content: result },
];

async function events(response: Response) {
  const lines = (await response.text()).split('\n\n').filter(Boolean);
  expect(lines.at(-1)).toBe('data: [DONE]');
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)) as Wire);
}

test('answers with a friendly default and counts tokens', async () => {
  const body = await json(chat());
  expect(body).toMatchObject({ object: 'chat.completion', model: 'm' });
  expect(body.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: expect.stringContaining('Thanks') },
  });
  const { prompt_tokens, completion_tokens, total_tokens } = body.usage!;
  expect(prompt_tokens).toBeGreaterThan(0);
  expect(completion_tokens).toBeGreaterThan(0);
  expect(total_tokens).toBe(prompt_tokens + completion_tokens);
});

test('fills a schema by default when structured output is requested', async () => {
  const schema = {
    type: 'object',
    properties: {
      kind: { enum: ['a', 'b'] },
      score: { type: 'number', minimum: 2 },
      tags: { type: 'array', items: { type: 'string' } },
    },
  };
  const { message } = await choice({
    response_format: { type: 'json_schema', json_schema: { schema } },
  });
  expect(JSON.parse(message.content)).toMatchObject({
    kind: 'a',
    score: 2,
    tags: [expect.any(String)],
  });
});

test('uses the first matching rule, and a later batch before an earlier one', async () => {
  server.rules([
    { when: { contains: 'HELLO' }, reply: { text: 'one' } },
    { when: {}, reply: { text: 'two' } },
  ]);
  expect((await choice()).message.content).toBe('one');
  expect((await choice({ messages: [user('other')] })).message.content).toBe('two');
  await send('POST', '/control/rules', { rules: [{ reply: { text: 'three' } }] });
  expect((await choice()).message.content).toBe('three');
  expect((await send('DELETE', '/control/rules')).status).toBe(204);
  expect((await choice()).message.content).toContain('Thanks');
});

test('limits a rule by times', async () => {
  server.rules([{ when: { contains: 'hello' }, reply: { text: 'once' }, times: 1 }]);
  expect((await choice()).message.content).toBe('once');
  expect((await choice()).message.content).not.toBe('once');
});

test('matches rules against the system prompt and the results that end the request', async () => {
  server.rules([
    { when: { system: 'butler', contains: 'hello' }, reply: { text: 'sir' } },
    { when: { tool_result: 'sunny' }, reply: { text: 'take a hat' } },
  ]);
  const system = { role: 'system' as const, content: 'You are a Butler.' };
  expect((await choice({ messages: [system, user('hello')] })).message.content).toBe('sir');
  const messages = [user('weather?'), ...turn('weather', {}, 'It is sunny')];
  expect((await choice({ messages })).message.content).toBe('take a hat');
  const later = [...messages, user('and now?')];
  expect((await choice({ messages: later })).message.content).not.toBe('take a hat');
});

test('does not repeat a tool call after its result, unless times says so', async () => {
  const reply = { tool_calls: [{ name: 'weather', arguments: { city: 'Oslo' } }] };
  const messages = [user('weather?'), ...turn('weather', { city: 'Oslo' }, 'sunny')];
  server.rules([{ when: { contains: 'weather' }, reply }]);
  expect((await choice({ messages: [user('weather?')] })).finish_reason).toBe('tool_calls');
  expect((await choice({ messages })).finish_reason).toBe('stop');
  server.rules([{ when: { contains: 'weather' }, reply, times: 100 }]);
  expect((await choice({ messages })).finish_reason).toBe('tool_calls');
});

test('gives parallel tool calls unique ids, and keeps arguments that are not JSON', async () => {
  const tool_calls = [
    { name: 'a', arguments: { x: 1 } },
    { name: 'b', arguments: '{"broken":' },
  ];
  server.rules([{ reply: { text: 'both', tool_calls } }]);
  const { message, finish_reason } = await choice();
  expect(finish_reason).toBe('tool_calls');
  expect(message.content).toBe('both');
  expect(message.tool_calls.map((call) => call.function)).toEqual([
    { name: 'a', arguments: '{"x":1}' },
    { name: 'b', arguments: '{"broken":' },
  ]);
  expect(new Set(message.tool_calls.map((call) => call.id)).size).toBe(2);
});

test('streams text and tool calls in pieces, then the reason, then the usage', async () => {
  const long = { text: 'a long argument that comes in several pieces' };
  server.rules([
    { reply: { text: 'Good morning to you', tool_calls: [{ name: 'say', arguments: long }] } },
  ]);
  const response = await chat({ stream: true, stream_options: { include_usage: true } });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const all = await events(response);
  const deltas = all.flatMap((event) => event.choices.map((one) => one.delta));
  const contents = deltas.map((delta) => delta.content).filter(Boolean);
  expect(contents.length).toBeGreaterThan(1);
  expect(contents.join('')).toBe('Good morning to you');
  const called = deltas.flatMap((delta) => delta.tool_calls ?? []);
  expect(called[0]).toMatchObject({ index: 0, id: expect.any(String), function: { name: 'say' } });
  expect(called.length).toBeGreaterThan(3);
  const args = called.map((piece) => piece.function.arguments);
  expect(JSON.parse(args.join(''))).toEqual(long);
  expect(all.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
  expect(all.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
});

test('omits the usage of a stream unless it is requested', async () => {
  const all = await events(await chat({ stream: true }));
  expect(all.every((event) => event.usage === undefined)).toBe(true);
});

test('fails as scripted: 429 with retry-after, and 500', async () => {
  server.rules([
    { reply: { status: 429, retry_after: 7 }, times: 1 },
    { reply: { status: 500, text: 'broken' }, times: 1 },
  ]);
  const limited = await chat();
  expect(limited.status).toBe(429);
  expect(limited.headers.get('retry-after')).toBe('7');
  expect(await limited.json()).toMatchObject({ error: { type: 'rate_limit_error' } });
  const broken = await chat({ stream: true });
  expect(broken.status).toBe(500);
  expect(await broken.json()).toMatchObject({ error: { message: 'broken', type: 'server_error' } });
});

test('sends garbage, a stream that ends early and one that breaks', async () => {
  const piece = 'data: {"choices":[{"index":0,"delta":{"content":"Hal"}}]}\n\n';
  server.rules([
    { reply: { raw: '<html>' }, times: 1 },
    { reply: { raw: piece }, times: 1 },
    { reply: { raw: { body: piece, cut: true } }, times: 1 },
  ]);
  expect(await (await chat()).text()).toBe('<html>');
  expect(await (await chat({ stream: true })).text()).toBe(piece);
  const broken = await chat({ stream: true });
  await expect(broken.text()).rejects.toThrow();
});

test('sends huge arguments completely', async () => {
  const text = 'A'.repeat(3_000_000);
  server.rules([{ reply: { tool_calls: [{ name: 'say', arguments: { text } }] } }]);
  const { message } = await choice();
  expect(JSON.parse(message.tool_calls[0]!.function.arguments).text).toHaveLength(3_000_000);
});

test('delays a reply as scripted', async () => {
  server.rules([{ reply: { text: 'late', delay_ms: 80 } }]);
  const before = performance.now();
  expect((await choice()).message.content).toBe('late');
  expect(performance.now() - before).toBeGreaterThanOrEqual(75);
});

test('closes while a reply is still delayed', async () => {
  server.rules([{ reply: { text: 'never', delay_ms: 60_000 } }]);
  const waiting = chat().catch((error: Error) => error);
  await expect.poll(() => server.calls().length).toBe(1);
  await server.close();
  expect(await waiting).toBeInstanceOf(Error);
});

test('stores every request unchanged with its time, until they are deleted', async () => {
  await fetch(`${server.url}/v1/models`, { headers: { authorization: 'Bearer x' } });
  await send('POST', '/v1/chat/completions', 'not json');
  await chat({ temperature: 0.5 });
  const { calls, dropped } = await json(send('GET', '/control/calls'));
  expect(dropped).toBe(0);
  expect(calls).toMatchObject([
    { method: 'GET', path: '/v1/models', headers: { authorization: 'Bearer x' }, body: null },
    { method: 'POST', body: 'not json' },
    { path: '/v1/chat/completions', body: { temperature: 0.5, model: 'm' } },
  ]);
  expect(Date.parse(calls[0]!.at)).toBeCloseTo(Date.now(), -5);
  await send('DELETE', '/control/calls');
  expect(server.calls()).toEqual([]);
});

test('drops the oldest requests, and counts them', () => {
  const log = createCallLog(10, 100);
  const call = (path: string) => ({ at: '', method: 'GET', path, headers: {}, body: null });
  for (const path of ['a', 'b', 'c']) log.add(call(path), 40);
  expect(log.all().map(({ path }) => path)).toEqual(['b', 'c']);
  for (let index = 0; index < 20; index += 1) log.add(call('d'), 0);
  expect(log.all()).toHaveLength(10);
  expect(log.dropped()).toBe(13);
});

test('refuses an unreadable request with the reason', async () => {
  const error = async (response: Promise<Response>) => (await json(response)).error.message;
  expect((await send('POST', '/v1/chat/completions', '{')).status).toBe(400);
  expect(await error(send('POST', '/v1/chat/completions', { model: 'm' }))).toContain('messages');
  expect(
    await error(send('POST', '/control/rules', { rules: [{ reply: { txt: 'x' } }] })),
  ).toContain('txt');
  expect((await send('POST', '/control/traitor', { on: 'yes' })).status).toBe(400);
  expect((await send('GET', '/nothing')).status).toBe(404);
  const batch = Array.from({ length: 1000 }, () => ({ reply: { text: 'x' } }));
  expect((await send('POST', '/control/rules', { rules: batch })).status).toBe(200);
  expect((await send('POST', '/control/rules', { rules: batch })).status).toBe(413);
});

test('lists its models', async () => {
  const { data } = await json(send('GET', '/v1/models'));
  expect(data[0]).toMatchObject({ object: 'model', id: 'scripted' });
});

test('computes deterministic embeddings: unit vectors, similarity, dimensions and base64', async () => {
  const input = ['the bicycle is broken', 'the bicycles are broken', 'kaffe og kake', ''];
  const { data } = await json(
    send('POST', '/v1/embeddings', { model: 'e', input, dimensions: 64 }),
  );
  const vectors: number[][] = data.map((row) => row.embedding as number[]);
  const dot = (a: number[], b: number[]) => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);
  for (const vector of vectors) {
    expect(vector).toHaveLength(64);
    expect(dot(vector, vector)).toBeCloseTo(1);
  }
  const [one = [], two = [], other = []] = vectors;
  expect(dot(one, two)).toBeGreaterThan(dot(one, other) + 0.2);

  const base64 = { model: 'e', input: input[0], dimensions: 64, encoding_format: 'base64' };
  const packed = (await json(send('POST', '/v1/embeddings', base64))).data[0]!.embedding as string;
  const bytes = Buffer.from(packed, 'base64');
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset, 64);
  expect([...floats].every((x, at) => Math.abs(x - (one[at] ?? 9)) < 1e-6)).toBe(true);
});

test('answers on loopback only, and no page in a browser', async () => {
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const port = Number(new URL(server.url).port);
  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  if (outside) {
    const reached = await new Promise((resolve) => {
      const socket = createConnection(port, outside.address);
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    expect(reached).toBe(false);
  }
  const page = await fetch(`${server.url}/control/calls`, {
    headers: { origin: 'https://a.example' },
  });
  expect(page.status).toBe(403);
});

test('asks an actor before the rules, which answer the rest', async () => {
  server.rules([{ reply: { text: 'a rule' } }]);
  server.play(({ messages }) =>
    messages.length === 1 ? { text: 'heard: {{context}}', fill: true } : undefined,
  );
  expect((await choice()).message.content).toBe('heard: hello there');
  expect((await choice({ messages: [user('a'), user('b')] })).message.content).toBe('a rule');
  server.play(undefined);
  expect((await choice()).message.content).toBe('a rule');
});

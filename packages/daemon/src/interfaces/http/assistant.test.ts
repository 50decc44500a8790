import type { IncomingMessage } from 'node:http';
import type {
  AssistantEvent,
  AssistantService,
  AssistantSink,
} from '@relay/contract/api/assistant';
import { ASSISTANT_STREAM, askAssistant } from '@relay/contract/client/assistant-stream';
import { type Frame, readFrames } from '@relay/contract/client/sse';
import { RelayError } from '@relay/contract/errors';
import { expect, test, vi } from 'vitest';
import { standIns, TOKEN } from './testing/stand-ins.ts';
import { bearer, type Listening, listening } from './testing/wire.ts';

const json = { 'content-type': 'application/json' };
const question = (text = 'hello') => ({
  method: 'POST',
  path: ASSISTANT_STREAM,
  headers: { ...bearer, ...json },
  body: JSON.stringify({ text }),
});

/** A fake assistant that sends what the test tells it to send. */
function scripted() {
  const turns: { text: string; sink: AssistantSink; signal: AbortSignal; end(): void }[] = [];
  const assistant: AssistantService = {
    ask: ({ text }, sink, signal) =>
      new Promise((resolve) => void turns.push({ text, sink, signal, end: resolve })),
    history: async () => [],
    stop: async () => {},
    reset: async () => {},
  };
  const turn = async (index = 0) => {
    await expect.poll(() => turns.length).toBeGreaterThan(index);
    const found = turns[index];
    if (found === undefined) throw new Error('no such turn');
    return found;
  };
  return { assistant, turns, turn };
}

async function read(response: IncomingMessage, frames: Frame[]): Promise<void> {
  try {
    for await (const frame of readFrames(response.setEncoding('utf8'))) frames.push(frame);
  } catch {
    // The test itself closed the response.
  }
}

const open = (server: Listening, signal = new AbortController().signal, text = 'hello') =>
  askAssistant(
    text,
    async (path, body, ended) => {
      const response = await server.open({
        method: 'POST',
        path,
        headers: { ...bearer, ...json },
        body,
      });
      ended.addEventListener('abort', () => response.destroy());
      if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
      return response.setEncoding('utf8');
    },
    signal,
  );

const all = async (answer: AsyncIterable<AssistantEvent>) => {
  const events: AssistantEvent[] = [];
  for await (const event of answer) events.push(event);
  return events;
};

const EVENTS: readonly AssistantEvent[] = [
  { type: 'run', id: 'r1', question: '1' },
  { type: 'text', delta: 'One mo' },
  { type: 'text_reset' },
  { type: 'text', delta: 'I look.\n\n' },
  { type: 'tool_call', id: 'c1', name: 'get_chats', arguments: { query: 'Mom' } },
  { type: 'tool_result', id: 'c1', result: 'Mom' },
  { type: 'done', text: 'Here: Mom.' },
];

test('streams an answer as events in order, each with its JSON, and ends with done', async () => {
  const { assistant, turn } = scripted();
  const server = await listening(standIns({ assistant }).deps);
  const response = await server.open(question('Where is\nMom?'));
  expect(response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
  });
  const frames: Frame[] = [];
  const ended = read(response, frames);
  const { text, sink, end } = await turn();
  expect(text).toBe('Where is\nMom?');
  for (const event of EVENTS) sink(event);
  end();
  await ended;
  expect(frames).toEqual(EVENTS.map((data) => ({ event: data.type, data })));
});

test('sends each event at once, not at the end', async () => {
  const { assistant, turn } = scripted();
  const server = await listening(standIns({ assistant }).deps);
  const answer = open(server);
  const first = answer.next();
  const { sink } = await turn();
  sink({ type: 'text', delta: 'a' });
  expect((await first).value).toEqual({ type: 'text', delta: 'a' });
  sink({ type: 'text', delta: 'b' });
  expect((await answer.next()).value).toEqual({ type: 'text', delta: 'b' });
  await answer.return();
});

test('stops the turn when the request is closed', async () => {
  const { assistant, turn } = scripted();
  const server = await listening(standIns({ assistant }).deps);
  const stop = new AbortController();
  const answer = open(server, stop.signal);
  const first = answer.next();
  const { sink, signal } = await turn();
  sink({ type: 'run', id: 'r1', question: '1' });
  await first;
  expect(signal.aborted).toBe(false);
  stop.abort(new Error('stopped'));
  await expect(answer.next()).rejects.toThrow('stopped');
  await expect.poll(() => signal.aborted).toBe(true);
});

test('stops the turn when a client disconnects before the first word', async () => {
  const { assistant, turn } = scripted();
  const server = await listening(standIns({ assistant }).deps);
  const response = await server.open(question());
  const { signal } = await turn();
  response.destroy();
  await expect.poll(() => signal.aborted).toBe(true);
});

test('completes a turn that was asked in the background when its client disconnects', async () => {
  const { assistant, turn } = scripted();
  const server = await listening(standIns({ assistant, limits: { questionsAtOnce: 1 } }).deps);
  const inBackground = () => {
    const asked = question();
    return server.open({ ...asked, body: JSON.stringify({ text: 'hello', background: true }) });
  };
  const response = await inBackground();
  const { sink, signal, end } = await turn();
  sink({ type: 'run', id: 'r1', question: '1' });
  const closed = new Promise((resolve) => response.once('close', resolve));
  response.destroy();
  await closed;
  // It still counts as a question at once, until it is answered.
  await expect.poll(async () => (await inBackground()).statusCode).toBe(429);
  expect(signal.aborted).toBe(false);
  sink({ type: 'done', text: 'Hello.' });
  end();
  await expect.poll(async () => (await inBackground()).statusCode).toBe(200);
});

test('stops a turn in the background when the server stops', async () => {
  const { assistant, turn } = scripted();
  const server = await listening(standIns({ assistant }).deps);
  const response = await server.open({
    ...question(),
    body: JSON.stringify({ text: 'hello', background: true }),
  });
  const { signal } = await turn();
  response.destroy();
  await server.app.close();
  expect(signal.aborted).toBe(true);
});

test('ends the stream when the token is rotated and when the server stops', async () => {
  let token = TOKEN;
  const { assistant, turn } = scripted();
  const { deps } = standIns({ assistant, ownerToken: () => token, limits: { pollMs: 20 } });
  const server = await listening(deps);
  const first = await server.open(question());
  token = 'another';
  await read(first, []);
  expect((await turn(0)).signal.aborted).toBe(true);
  token = TOKEN;
  const second = open(server);
  const next = second.next();
  const { signal } = await turn(1);
  await server.app.close();
  await expect(next).rejects.toMatchObject({ code: 'answer_broke_off' });
  expect(signal.aborted).toBe(true);
});

test.each([
  ['one of ours', new RelayError('model_busy', { provider: 'x' }), 'model_busy', 'x asked'],
  ['anything else', new Error('password=1'), 'internal', 'request'],
])('sends %s that is thrown as the last event, as a sentence', async (_, thrown, code, words) => {
  const assistant = { ...scripted().assistant, ask: () => Promise.reject(thrown) };
  const server = await listening(standIns({ assistant }).deps);
  const events = await all(open(server));
  expect(events).toEqual([{ type: 'error', code, message: expect.stringContaining(words) }]);
  expect(JSON.stringify(events)).not.toContain('password');
});

test('reports an answer without a last event as failed and sends nothing after the last event', async () => {
  const errors = vi.fn();
  const { assistant, turn } = scripted();
  const { deps } = standIns({ assistant });
  const server = await listening({ ...deps, log: { ...deps.log, error: errors } });
  const silent = all(open(server));
  (await turn(0)).end();
  expect(await silent).toMatchObject([{ type: 'error', code: 'internal' }]);
  expect(errors).toHaveBeenCalledTimes(1);
  const spoken = all(open(server));
  const { sink, end } = await turn(1);
  sink({ type: 'done', text: 'yes' });
  sink({ type: 'text', delta: 'more' });
  end();
  expect(await spoken).toEqual([{ type: 'done', text: 'yes' }]);
  expect(errors).toHaveBeenCalledTimes(1);
});

test('keeps a quiet turn alive with comments', async () => {
  const { assistant } = scripted();
  const server = await listening(standIns({ assistant, limits: { keepAliveMs: 20 } }).deps);
  const response = await server.open(question());
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text).toContain(': keep-alive\n\n: keep-alive\n\n');
  response.destroy();
});

test('sends a slow reader every word in a bounded number of events', async () => {
  const { assistant, turn } = scripted();
  const server = await listening(standIns({ assistant }).deps);
  const response = await server.open(question());
  response.pause();
  const { sink } = await turn();
  const words = Array.from({ length: 50_000 }, (_, n) => `word ${n} and some more of it, `);
  for (const delta of words) {
    sink({ type: 'text', delta });
    if (delta.startsWith('word 5000 ')) await new Promise(setImmediate);
  }
  sink({ type: 'done', text: '' });
  const frames: Frame[] = [];
  await read(response, frames);
  const deltas = frames.flatMap(({ data }) => ((data as { delta?: string }).delta ?? '') || []);
  expect(deltas.join('')).toBe(words.join(''));
  expect(frames.length).toBeLessThan(1_000);
});

test.each([
  ['no text', {}, 400],
  ['an empty text', { text: ' \n' }, 400],
  ['a text too long', { text: 'x'.repeat(8_001) }, 400],
  ['half a character', { text: '\ud800' }, 400],
  ['a session of one’s own choice', { text: 'hi', session: 'contact:1' }, 400],
  ['a channel of one’s own choice', { text: 'hi', channel: 'whatsapp' }, 400],
  ['a body too large', { text: 'x'.repeat(2_000_000) }, 413],
])('refuses %s before the assistant is asked', async (_, body, status) => {
  const { deps, calls } = standIns();
  const server = await listening(deps);
  const reply = await server.call({ ...question(), body: JSON.stringify(body) });
  expect(reply.status).toBe(status);
  expect(calls).not.toContain('ask');
});

test('limits the number of open questions, and one that ends makes room', async () => {
  const { assistant, turn } = scripted();
  const server = await listening(standIns({ assistant, limits: { questionsAtOnce: 2 } }).deps);
  const [first] = [await server.open(question()), await server.open(question())];
  const refused = await server.call(question());
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '10' } });
  first?.destroy();
  await expect.poll(async () => (await turn(0)).signal.aborted).toBe(true);
  const answer = open(server);
  const next = answer.next();
  (await turn(2)).sink({ type: 'done', text: 'here' });
  expect((await next).value).toEqual({ type: 'done', text: 'here' });
});

test('returns as many of the last lines as requested, and answers a reset without content', async () => {
  const asked: object[] = [];
  const line = {
    id: '7',
    role: 'user',
    content: 'hi',
    command: false,
    at: '2026-11-15T02:00:00.000Z',
    run: null,
    steps: [],
    sources: [],
    outside: false,
  } as const;
  const history = async (which: object) => {
    asked.push(which);
    return [{ ...line, steps: [], sources: [] }];
  };
  const { deps, calls } = standIns();
  const server = await listening({ ...deps, assistant: { ...deps.assistant, history } });
  const get = (query: string) =>
    server.call({ path: `${ASSISTANT_STREAM}${query}`, headers: bearer });
  expect(JSON.parse((await get('')).body)).toEqual([line]);
  await get('?limit=3&before=7');
  expect(asked).toEqual([{ limit: 50 }, { limit: 3, before: 7 }]);
  expect((await get('?before=x')).status).toBe(400);
  expect((await get('?limit=0')).status).toBe(400);
  expect((await get('?limit=201')).status).toBe(400);
  const reset = await server.call({
    method: 'POST',
    path: '/api/assistant/reset',
    headers: bearer,
  });
  expect(reset).toMatchObject({ status: 204, body: '' });
  expect(calls).toContain('reset');
});

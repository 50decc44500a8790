import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmbedderSource, endpointEmbedder } from './embedders.ts';

type Answer = (input: string[], response: ServerResponse) => void;
let server: Server;
let answer: Answer;
let asked: { path: string; key: string; model: string; input: string[] }[];

beforeEach(async () => {
  asked = [];
  answer = vectors((text) => [text.length, 0, 4]);
  server = createServer(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { model, input } = JSON.parse(text);
    asked.push({ path: request.url ?? '', key: request.headers.authorization ?? '', model, input });
    answer(input, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const json = (response: ServerResponse, status: number, body: object, headers = {}) =>
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));

const vectors =
  (of: (text: string) => number[]): Answer =>
  (input, response) =>
    json(response, 200, {
      object: 'list',
      data: input.map((text, index) => ({ object: 'embedding', index, embedding: of(text) })),
      usage: { prompt_tokens: 1, total_tokens: 1 },
    });

const host = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
const open = (apiKey: string | null = 'sk-1') =>
  endpointEmbedder({ baseUrl: `http://${host()}/v1`, model: 'small', apiKey });

test('returns a vector of length 1 for each text in order, from the given address with the given key', async () => {
  const embedder = await open();
  expect(embedder.dims).toBe(0);
  const [short, long] = await embedder.embed(['abc', 'abcdef']);
  expect([...(short ?? [])].map((value) => value.toFixed(2))).toEqual(['0.60', '0.00', '0.80']);
  expect(long?.[0]).toBeGreaterThan(short?.[0] ?? 1);
  expect(embedder).toMatchObject({ provider: host(), model: 'small', dims: 3 });
  expect(asked).toEqual([
    { path: '/v1/embeddings', key: 'Bearer sk-1', model: 'small', input: ['abc', 'abcdef'] },
  ]);
});

test('sends no authorization header without a key', async () => {
  await (await open(null)).embed(['abc']);
  expect(asked[0]?.key).toBe('');
});

test('retries a busy server when it says so', async () => {
  const usual = answer;
  const waits = async (ms: number): Promise<number> => {
    const before = asked.length;
    answer = (input, response) => {
      if (asked.length > before + 1) usual(input, response);
      else json(response, 429, { error: { message: 'busy' } }, { 'retry-after-ms': String(ms) });
    };
    const began = performance.now();
    await expect((await open()).embed(['abc'])).resolves.toHaveLength(1);
    expect(asked).toHaveLength(before + 2);
    return performance.now() - began;
  };
  const [soon, later] = [await waits(30), await waits(900)];
  expect(later).toBeGreaterThan(850);
  expect(soon).toBeLessThan(later);
});

test('reports a refusal at once, with the status and what to check', async () => {
  answer = (_, response) => json(response, 401, { error: { message: 'who are you?' } });
  await expect((await open()).embed(['abc'])).rejects.toMatchObject({
    code: 'embeddings_refused',
    message: expect.stringContaining('answered 401'),
  });
  expect(asked).toHaveLength(1);
});

test('rejects an answer whose vectors do not match the texts', async () => {
  answer = (input, response) => vectors(() => [1])(input.slice(1), response);
  await expect((await open()).embed(['abc', 'def'])).rejects.toMatchObject({
    code: 'embeddings_away',
  });
});

test('stops waiting when the caller’s signal aborts', async () => {
  answer = () => {};
  await expect((await open()).embed(['abc'], AbortSignal.timeout(50))).rejects.toMatchObject({
    code: 'embeddings_away',
  });
});

const SETTINGS = {
  embeddings: 'endpoint',
  endpoint_base_url: null,
  endpoint_model: null,
  endpoint_api_key: null,
} as const;

test('names the missing setting', async () => {
  const { current } = createEmbedderSource(async () => SETTINGS);
  await expect(current()).rejects.toMatchObject({
    message: expect.stringContaining('"endpoint_base_url" is not set'),
  });
});

test('applies changed settings from the next batch on, keeps an unchanged embedder and closes the old one', async () => {
  const opened: string[] = [];
  let embeddings: 'local' | 'off' = 'local';
  const { current } = createEmbedderSource(
    async () => ({ ...SETTINGS, embeddings }),
    async (settings) => {
      opened.push(settings.embeddings);
      if (settings.embeddings === 'off') return null;
      const close = async () => void opened.push('closed');
      return { provider: 'x', model: 'y', dims: 1, embed: async () => [], close };
    },
  );
  await Promise.all([current(), current()]);
  await current();
  embeddings = 'off';
  expect(await current()).toBeNull();
  expect(opened).toEqual(['local', 'closed', 'off']);
});

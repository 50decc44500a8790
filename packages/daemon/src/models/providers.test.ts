import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateText } from 'ai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createModelSource, openModel } from './providers.ts';

const NOTHING = {
  model_provider: null,
  model_name: null,
  model_api_key: null,
  model_base_url: null,
};

/** Records requests and returns nothing useful. */
let server: Server;
let asked: { path: string; key: string; model: string }[] = [];
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { headers, url: path = '' } = request;
    const key = headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key'] ?? '';
    asked.push({ path, key: String(key), model: JSON.parse(text).model });
    response.writeHead(400, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void server.close());
beforeEach(() => {
  asked = [];
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

test.each([
  ['openai', '/v1/chat/completions', 'Bearer sk-1', 'gpt-5-mini'],
  ['anthropic', '/v1/messages', 'sk-1', 'claude-sonnet-5'],
  ['mistral', '/v1/chat/completions', 'Bearer sk-1', 'mistral-large-latest'],
  ['google', '/v1/models/gemini-flash-latest:generateContent', 'sk-1', undefined],
])('%s is called at its own address with its own model', async (provider, path, key, model) => {
  const settings = { ...NOTHING, model_api_key: 'sk-1', model_base_url: url() };
  const opened = await openModel({ ...settings, model_provider: provider });
  expect(opened.provider).toBe(provider);
  await generateText({ model: opened.model, prompt: 'hi', maxRetries: 0 }).catch(() => {});
  expect(asked).toEqual([{ path, key, model }]);
});

test.each(['openai-compatible', 'vllm', 'ollama', ' Ollama ', 'LM Studio', 'llama.cpp', null])(
  'an own server configured as %s needs no key',
  async (model_provider) => {
    const opened = await openModel({
      ...NOTHING,
      model_provider,
      model_name: 'qwen',
      model_base_url: url(),
    });
    await generateText({ model: opened.model, prompt: 'hi', maxRetries: 0 }).catch(() => {});
    expect(asked).toEqual([{ path: '/v1/chat/completions', key: '', model: 'qwen' }]);
  },
);

test.each([
  [{}, '"model_provider" is not set'],
  [{ model_provider: 'skynet' }, '"model_provider" must be one of'],
  [{ model_provider: 'constructor' }, '"model_provider" must be one of'],
  [{ model_provider: 'openai' }, '"model_api_key" is not set'],
  [{ model_provider: 'ollama' }, '"model_name" is not set'],
  [{ model_provider: 'openai-compatible', model_name: 'x' }, '"model_base_url" is not set'],
])('with %j the error names the missing setting and how to set it', async (settings, what) => {
  const error = await openModel({ ...NOTHING, ...settings }).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: 'agent_unavailable' });
  expect(error).toHaveProperty('message', expect.stringContaining(what));
  expect(error).toHaveProperty('message', expect.stringContaining('`relay init`'));
});

test('servers on this machine have default addresses', async () => {
  for (const model_provider of ['vllm', 'ollama', 'lm-studio', 'llama.cpp'])
    await expect(openModel({ ...NOTHING, model_provider, model_name: 'x' })).resolves.toMatchObject(
      { provider: model_provider, name: 'x' },
    );
});

test('a model has the price of its provider, or the one from the settings', async () => {
  const own = { usd_per_million_input_tokens: 1, usd_per_million_output_tokens: 4 };
  const settings = { ...NOTHING, model_provider: 'anthropic', model_api_key: 'k' };
  expect((await openModel(settings)).price).toMatchObject({ from: 'assumed' });
  expect((await createModelSource(async () => settings, own).open()).price).toEqual({
    input: 1,
    output: 4,
    from: 'settings',
  });
});

test('applies a changed setting from the next turn on and keeps an unchanged model', async () => {
  let name = 'a';
  const source = createModelSource(async () => ({
    ...NOTHING,
    model_provider: 'ollama',
    model_name: name,
  }));
  const first = await source.open();
  expect((await source.open()).model).toBe(first.model);
  name = 'b';
  expect(await source.open()).toMatchObject({ name: 'b' });
});

test.each(['openai', 'anthropic', 'google', 'vllm'])(
  'an address of a hosted account inside the network is not reached (%s)',
  async (model_provider) => {
    const settings = { ...NOTHING, model_provider, model_name: 'm', model_api_key: 'sk-1' };
    const opened = await openModel({ ...settings, model_base_url: url(), isForeign: true });
    await expect(
      generateText({ model: opened.model, prompt: 'hi', maxRetries: 0 }),
    ).rejects.toThrow();
    expect(asked).toEqual([]);
  },
);

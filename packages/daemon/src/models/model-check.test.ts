import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RelayError } from '@relay/contract/errors';
import type { ModelSettings } from '@relay/contract/settings';
import { afterEach, expect, test } from 'vitest';
import { checkModel, listModels } from './model-check.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const NOTHING: ModelSettings = {
  model_provider: null,
  model_name: null,
  model_api_key: null,
  model_base_url: null,
};

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface FakeProvider {
  readonly models?: readonly unknown[];
  /** The status of a chat request for a model that is in the list; 200 answers. */
  readonly chat?: number;
  readonly key?: string;
}

/** OpenAI's protocol, as far as a check needs it. */
const provider = ({ models = [{ id: 'qwen3:8b' }], chat = 200, key }: FakeProvider = {}) =>
  serve(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const given = request.headers.authorization ?? request.headers['x-api-key'];
    if (key !== undefined && given !== `Bearer ${key}` && given !== key)
      return send(401, { error: { message: 'no' } });
    if (request.url?.startsWith('/v1/models')) return send(200, { data: models });
    if (request.url !== '/v1/chat/completions') return send(404, {});
    const { model, tools } = JSON.parse(text);
    expect(tools).toHaveLength(1);
    const known = models.some((one) => (one as { id?: string }).id === model);
    if (!known) return send(404, { error: { message: `model "${model}" not found` } });
    if (chat !== 200) return send(chat, { error: { message: 'no' } });
    const message = { role: 'assistant', content: 'ready' };
    return send(200, { id: '1', choices: [{ index: 0, message, finish_reason: 'stop' }] });
  });

const check = (settings: Partial<ModelSettings>, callTimeoutMs = 5_000) =>
  checkModel({ ...NOTHING, ...settings }, { callTimeoutMs });

async function failure(settings: Partial<ModelSettings>, callTimeoutMs?: number) {
  const error = await check(settings, callTimeoutMs).then(
    () => null,
    (thrown: RelayError) => thrown,
  );
  return error === null ? null : [error.code, error.message];
}

test('a model that answers is reported with its name and the time', async () => {
  const url = await provider();
  const trial = await check({
    model_provider: 'ollama',
    model_name: 'qwen3:8b',
    model_base_url: `${url}/v1`,
  });
  expect(trial.sentence).toMatch(/^qwen3:8b answered in \d+ ms\.$/);
});

test('a wrong key names the address, and where to get another key', async () => {
  const url = await provider({ key: 'right' });
  const settings = {
    model_provider: 'groq',
    model_name: 'qwen3:8b',
    model_api_key: 'wrong',
    model_base_url: `${url}/v1`,
  };
  expect(await failure(settings)).toEqual([
    'model_key_refused',
    `Groq does not accept the key: ${url}/v1 answered 401. Check the key at https://console.groq.com/keys, and give it again with \`relay init --provider groq --api-key\`.`,
  ]);
});

test('a missing model is answered with the models that exist, the most similar first', async () => {
  const url = await provider({ models: [{ id: 'llama3.1:8b' }, { id: 'qwen3:8b' }] });
  const settings = {
    model_provider: 'ollama',
    model_name: 'qwen3:9b',
    model_base_url: `${url}/v1`,
  };
  expect(await failure(settings)).toEqual([
    'model_not_found',
    `There is no model “qwen3:9b” at ${url}/v1. Get it with \`ollama pull qwen3:9b\`, or use one of these with --model: qwen3:8b, llama3.1:8b.`,
  ]);
});

test.each([
  ['without /v1', ''],
  ['with another path', '/api'],
])('an address %s is reported as the address, not as the model', async (_, path) => {
  const url = await provider();
  const settings = {
    model_provider: 'vllm',
    model_name: 'qwen3:8b',
    model_base_url: `${url}${path}`,
  };
  expect(await failure(settings)).toEqual([
    'model_address_wrong',
    `No model answers at ${url}${path}: it answered 404. Check the address; most end in /v1.`,
  ]);
});

test('a web page is not taken for a model', async () => {
  const url = await serve((_request, response) => void response.end('<html>Welcome</html>'));
  const settings = { model_provider: 'vllm', model_name: 'x', model_base_url: url };
  expect(await failure(settings)).toEqual([
    'model_address_wrong',
    `No model answers at ${url}: the answer is not one of a model. Check the address; most end in /v1.`,
  ]);
});

test('a server that does not run is answered with the command that starts it', async () => {
  const url = await provider();
  servers[0]?.close();
  const settings = { model_provider: 'ollama', model_name: 'x', model_base_url: `${url}/v1` };
  expect(await failure(settings)).toEqual([
    'model_offline',
    `${url}/v1 cannot be reached: nothing listens there. Start Ollama with \`ollama serve\`, or give its address with --base-url.`,
  ]);
});

test('a name without an address is reported as such', async () => {
  const settings = {
    model_provider: 'openai-compatible',
    model_name: 'x',
    model_base_url: 'http://model.invalid/v1',
  };
  expect(await failure(settings)).toEqual([
    'model_offline',
    'http://model.invalid/v1 cannot be reached: the name has no address. Check the spelling of the address, and the network of this machine.',
  ]);
});

test('a server that never answers is given up after the time of a model call', async () => {
  const url = await serve(() => {});
  const settings = { model_provider: 'llama.cpp', model_name: 'x', model_base_url: `${url}/v1` };
  expect(await failure(settings, 300)).toEqual([
    'model_no_answer',
    `x at ${url}/v1 did not answer within 0.3 s. A large model takes time to load: try again, choose a smaller one, or raise "agent.call_timeout_ms".`,
  ]);
});

test('a model without tools is reported with what its server needs', async () => {
  const url = await provider({ chat: 400 });
  const settings = {
    model_provider: 'vllm',
    model_name: 'qwen3:8b',
    model_base_url: `${url}/v1`,
  };
  expect(await failure(settings)).toEqual([
    'model_rejected_test',
    `${url}/v1 refused the test question to qwen3:8b (status 400). Choose a model that supports tools (function calling), and start vLLM with --enable-auto-tool-choice.`,
  ]);
});

test('a wrong key at Google, which answers it like a malformed request, is reported as the key', async () => {
  const url = await serve((_, response) =>
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { code: 400, details: [{ reason: 'API_KEY_INVALID' }] } })),
  );
  const settings = { model_provider: 'google', model_api_key: 'wrong', model_base_url: url };
  expect(await failure(settings)).toEqual([
    'model_key_refused',
    `Google does not accept the key: ${url} answered 400. Check the key at https://aistudio.google.com/apikey, and give it again with \`relay init --provider google --api-key\`.`,
  ]);
});

test('a listed model that OpenRouter refuses because it has no tools is not reported as missing', async () => {
  const url = await provider({
    models: [{ id: 'x/chat-only', supported_parameters: ['temperature'] }],
    chat: 404,
  });
  const settings = {
    model_provider: 'openrouter',
    model_name: 'x/chat-only',
    model_api_key: 'k',
    model_base_url: `${url}/v1`,
  };
  expect(await failure(settings)).toEqual([
    'model_rejected_test',
    `${url}/v1 refused the test question to x/chat-only (status 404). Choose a model that supports tools (function calling), and check which providers https://openrouter.ai/settings/privacy allows.`,
  ]);
});

test.each([
  ['anthropic', 400, 'and check your credit at Anthropic.'],
  ['llama.cpp', 500, 'Without --jinja it refuses tools.'],
  ['vllm', 503, 'Wait until the model is loaded, and read the log of the server.'],
  ['mistral', 503, 'Mistral has a problem; try again later.'],
])(
  '%s that answers %i to the test question is answered with the usual reason',
  async (name, status, action) => {
    const url = await serve((request, response) => {
      const isList = request.url?.includes('/models') ?? false;
      response.writeHead(isList ? 200 : status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isList ? { data: [{ id: 'x' }] } : { error: { message: 'no' } }));
    });
    const settings = {
      model_provider: name,
      model_name: 'x',
      model_api_key: 'k',
      model_base_url: `${url}/v1`,
    };
    const [code, message] = (await failure(settings)) ?? [];
    expect(code).toBe('model_rejected_test');
    expect(message).toContain(`refused the test question to x (status ${status}). `);
    expect(message).toContain(action);
  },
);

test.each([
  [{ model_provider: 'mistral' }, 'give it with `relay init --provider mistral --api-key`'],
  [{ model_provider: 'lm-studio' }, '`relay model list --provider lm-studio`'],
  [
    { model_provider: 'ollama', model_base_url: 'http://10.0.0.9:11434/v1' },
    '`relay model list --provider ollama --base-url http://10.0.0.9:11434/v1`',
  ],
  [{ model_provider: 'openai-compatible', model_name: 'x' }, '--base-url'],
  [{}, 'Choose a provider'],
])('incomplete settings %j are answered with the missing option', async (settings, action) => {
  const [code, message] = (await failure(settings)) ?? [];
  expect(code).toBe('model_incomplete');
  expect(message).toContain(action);
});

test('lists the models for agents, and proposes the embeddings of the same server', async () => {
  const url = await provider({
    models: [
      { id: 'qwen3:8b' },
      { id: 'nomic-embed-text' },
      { id: 'whisper-1' },
      { id: 'chat-only', supported_parameters: ['temperature'] },
      { id: 'with tools\n' },
      { nothing: true },
    ],
  });
  const settings = { ...NOTHING, model_provider: 'ollama', model_base_url: `${url}/v1/` };
  expect(await listModels(settings)).toEqual({
    provider: 'ollama',
    models: ['qwen3:8b'],
    embeddings: { model: 'nomic-embed-text', base_url: `${url}/v1/` },
  });
});

test('reads the lists of Anthropic and Google with their own headers', async () => {
  const asked: unknown[] = [];
  const url = await serve(({ url: path, headers }, response) => {
    asked.push([path, headers['x-api-key'] ?? headers['x-goog-api-key']]);
    const google = { models: [{ name: 'models/gemini-x', supportedGenerationMethods: [] }] };
    const one = {
      models: [
        ...google.models,
        { name: 'models/gemini-y', supportedGenerationMethods: ['generateContent'] },
      ],
    };
    response.end(JSON.stringify(path?.includes('pageSize') ? one : { data: [{ id: 'claude' }] }));
  });
  const at = { ...NOTHING, model_api_key: 'k', model_base_url: url };
  expect((await listModels({ ...at, model_provider: 'anthropic' })).models).toEqual(['claude']);
  expect((await listModels({ ...at, model_provider: 'google' })).models).toEqual(['gemini-y']);
  expect(asked).toEqual([
    ['/models?limit=1000', 'k'],
    ['/models?pageSize=1000', 'k'],
  ]);
});

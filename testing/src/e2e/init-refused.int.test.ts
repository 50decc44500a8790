// `relay init` with settings that cannot work: each time a sentence with the next step, nothing is saved, and the exit code
// is not 0. The cases are the table in docs/models.md.
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { PROVIDERS, type ProviderName } from '@relay/contract/agent/providers';
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRelay, type Relay } from './relay.ts';

const PAGE = new URL('../../../docs/models.md', import.meta.url);
const MODEL = 'qwen3:8b';

/** What a provider answers below each path: to a request for its models, and to any other. */
const ANSWERS: Readonly<Record<string, readonly [list: Answer, chat: Answer]>> = {
  '/v1': [[200, listOf(MODEL)], readyFor(MODEL)],
  '/keyed/v1': [
    [401, {}],
    [401, {}],
  ],
  // Google answers a wrong key like a malformed request.
  '/google/v1beta': [
    [400, { error: { details: [{ reason: 'API_KEY_INVALID' }] } }],
    [400, {}],
  ],
  '/no-credit/v1': [
    [200, listOf('gpt-5-mini')],
    [429, {}],
  ],
  '/no-credit/anthropic': [
    [200, listOf('claude-sonnet-5')],
    [400, {}],
  ],
  '/no-tools/v1': [
    [200, listOf('gemma3:4b')],
    [400, {}],
  ],
  '/no-endpoint/v1': [
    [200, { data: [{ id: 'x/chat-only', supported_parameters: ['temperature'] }] }],
    [404, {}],
  ],
  '/no-parser/v1': [
    [200, listOf('Qwen/Qwen3-8B')],
    [400, {}],
  ],
  '/unloaded/v1': [
    [200, { data: [] }],
    [404, {}],
  ],
  '/loading/v1': [
    [503, {}],
    [503, {}],
  ],
};

type Answer = readonly [status: number, body: object] | ((model: string) => [number, object]);

function listOf(id: string): object {
  return { data: [{ id }] };
}

function readyFor(known: string): Answer {
  const message = { role: 'assistant', content: 'ready' };
  return (model) =>
    model === known
      ? [200, { id: '1', choices: [{ index: 0, message, finish_reason: 'stop' }] }]
      : [404, { error: { message: 'no model' } }];
}

/** Below `/hangs` it never answers, and below `/page` it is a web page. */
function startProvider(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { url = '' } = request;
    if (url.startsWith('/hangs/')) return;
    if (url.startsWith('/page')) return void response.end('<html>Welcome</html>');
    const [status, answer] = answerTo(request, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function answerTo({ method, url = '' }: IncomingMessage, body: string): readonly [number, object] {
  const [, answers] = Object.entries(ANSWERS).find(([path]) => url.startsWith(`${path}/`)) ?? [];
  const answer = answers?.[method === 'GET' ? 0 : 1] ?? [404, {}];
  return typeof answer === 'function' ? answer(JSON.parse(body).model) : answer;
}

let relay: Relay;
let provider: Server;
let port = 0;
let closedPort = 0;
beforeAll(async () => {
  provider = await startProvider();
  port = (provider.address() as AddressInfo).port;
  const closed = await startProvider();
  closedPort = (closed.address() as AddressInfo).port;
  closed.close();
  relay = await openRelay();
  await relay.start();
}, 600_000);
afterAll(async () => {
  provider.closeAllConnections();
  provider.close();
  await relay.end();
});

const at = (path: string) => `http://127.0.0.1:${port}${path}`;
async function init(words: string, key = '') {
  const skipped = ['--skip-link', '--skip-probe', '--skip-grants'];
  const child = relay.spawn(['init', ...skipped, ...words.split(' ')], {}, key);
  const [out, err, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { exit, out, err };
}
const saved = async () => {
  const { json } = await relay.call('GET', '/api/settings');
  return (json as { model: object }).model;
};

interface Refusal {
  readonly fault: string;
  readonly provider: ProviderName;
  /** The address that is given; it stands for the provider's own. */
  readonly address: () => string;
  /** The address in the table, if it is not the provider's own. */
  readonly shown?: string;
  readonly model?: string;
  readonly key?: string;
}

const LOCAL = 'http://127.0.0.1:11434';
const REFUSALS: readonly Refusal[] = [
  { fault: 'No key', provider: 'groq', address: () => at('/keyed/v1'), model: MODEL },
  ...(['openai', 'groq'] as const).map((provider) => ({
    ...{ fault: 'Wrong key', provider, address: () => at('/keyed/v1') },
    ...{ model: MODEL, key: 'sk-wrong' },
  })),
  { fault: 'Wrong key', provider: 'anthropic', address: () => at('/keyed/v1'), key: 'sk-wrong' },
  { fault: 'Wrong key', provider: 'google', address: () => at('/google/v1beta'), key: 'sk-wrong' },
  {
    ...{ fault: 'A server that asks for a key', provider: 'vllm', model: MODEL },
    address: () => at('/keyed/v1'),
  },
  {
    ...{ fault: 'Wrong address', provider: 'ollama', model: MODEL, shown: LOCAL },
    address: () => at(''),
  },
  {
    ...{ fault: 'The address of a web page', provider: 'llama.cpp', model: MODEL },
    address: () => at('/page'),
  },
  {
    ...{ fault: 'https instead of http', provider: 'ollama', model: MODEL },
    address: () => at('/v1').replace('http', 'https'),
    shown: 'https://127.0.0.1:11434/v1',
  },
  {
    ...{ fault: 'Missing model', provider: 'ollama', model: 'qwen3:9b' },
    address: () => at('/v1'),
  },
  {
    ...{ fault: 'No model is loaded', provider: 'lm-studio', model: 'openai/gpt-oss-20b' },
    address: () => at('/unloaded/v1'),
  },
  {
    ...{ fault: 'A model without tools', provider: 'ollama', model: 'gemma3:4b' },
    address: () => at('/no-tools/v1'),
  },
  {
    ...{ fault: 'A model without tools', provider: 'openrouter', model: 'x/chat-only' },
    ...{ address: () => at('/no-endpoint/v1'), key: 'sk-right' },
  },
  {
    ...{ fault: 'A server without tools', provider: 'vllm', model: 'Qwen/Qwen3-8B' },
    address: () => at('/no-parser/v1'),
  },
  {
    ...{ fault: 'No credit', provider: 'openai', key: 'sk-right' },
    address: () => at('/no-credit/v1'),
  },
  {
    ...{ fault: 'No credit', provider: 'anthropic', key: 'sk-right' },
    address: () => at('/no-credit/anthropic'),
  },
  {
    ...{ fault: 'The model is still loading', provider: 'llama.cpp', model: 'local' },
    address: () => at('/loading/v1'),
  },
  {
    ...{ fault: 'Ollama is down', provider: 'ollama', model: MODEL },
    address: () => `http://127.0.0.1:${closedPort}/v1`,
  },
  {
    ...{ fault: 'No answer in time', provider: 'ollama', model: MODEL },
    address: () => at('/hangs/v1'),
  },
];

const titleOf = ({ fault, provider }: Refusal) => `${fault} (${PROVIDERS[provider].title})`;

/** The rows of the table in docs/models.md: what `relay init` says for each fault, and its exit code. */
async function documented(): Promise<ReadonlyMap<string, readonly string[]>> {
  const page = await readFile(PAGE, 'utf8');
  const rows = page.split('\n').filter((line) => /^\| .*Nothing was saved/.test(line));
  return new Map(
    rows.map((row) => {
      const [fault = '', provider, ...said] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [`${fault} (${provider})`, said];
    }),
  );
}

describe('relay init saves nothing, as docs/models.md shows it', () => {
  test.each(REFUSALS.map((refusal) => [titleOf(refusal), refusal] as const))(
    '%s',
    {
      timeout: 240_000,
    },
    async (title, { provider, address, shown, model, key }) => {
      verifies('SETUP-MODEL');
      const before = await saved();
      const named = model === undefined ? '' : ` --model ${model}`;
      const secret = key === undefined ? '' : ' --api-key';
      const words = `--provider ${provider} --base-url ${address()}${named}${secret}`;
      const { exit, out, err } = await init(words, key);
      // Before it, the command says that it tests the model.
      const said = (err.trim().split('\n').at(-1) ?? '').replaceAll(
        address(),
        shown ?? PROVIDERS[provider].baseUrl ?? '',
      );
      expect([said, String(exit)]).toEqual((await documented()).get(title));
      expect(out).toBe('');
      expect(exit).toBeGreaterThan(0);
      if (key !== undefined) expect(err).not.toContain(key);
      expect(await saved()).toEqual(before);
    },
  );

  test.each(['localhost:11434/v1', '127.0.0.1:11434/v1', 'ollama'])(
    'with %s as the address',
    async (address) => {
      const { exit, err } = await init(`--provider ollama --model ${MODEL} --base-url ${address}`);
      expect(err).toContain(
        'The request is not valid: "model_base_url": must be an address such as http://127.0.0.1:8000/v1.',
      );
      expect(exit).toBe(2);
      expect(await saved()).toMatchObject({ provider: null, base_url: null });
    },
  );

  test('the table shows no other case', async () => {
    expect([...(await documented()).keys()]).toEqual(REFUSALS.map(titleOf));
  });

  test('with a wrong key over the API, and never shows the key', async () => {
    const body = {
      model_provider: 'groq',
      model_name: MODEL,
      model_api_key: 'sk-wrong',
      model_base_url: at('/keyed/v1'),
    };
    const refused = await relay.call('POST', '/api/init', body);
    expect(refused).toMatchObject({
      status: 400,
      json: {
        code: 'model_not_saved',
        reason: 'model_key_refused',
        error: expect.stringMatching(/^Groq does not accept the key: .* Nothing was saved\.$/),
        action: expect.stringContaining('https://console.groq.com/keys'),
      },
    });
    expect(JSON.stringify(refused)).not.toContain('sk-wrong');
    expect(await saved()).toMatchObject({ provider: null, has_key: false });
    expect((await relay.run('model')).out).toBe(
      'Your agents have no model: "model_provider" is not set. Set one up with `relay init`.\n',
    );
  });
});

test('what init refuses is saved on request, listed, tested and put right', {
  timeout: 120_000,
}, async () => {
  verifies('SETUP-DOCTOR');
  const wrong = `--provider ollama --model other --base-url ${at('/v1')}`;
  expect(await init(`${wrong} --no-verify`)).toMatchObject({ exit: 0 });
  expect(await relay.run('model', 'test')).toMatchObject({
    exit: 1,
    out: expect.stringContaining('There is no model “other”'),
  });
  expect((await relay.run('model', 'list')).out).toBe(`${MODEL}\n`);
  const right = await init(`--provider ollama --model ${MODEL} --base-url ${at('/v1')}`);
  expect(right.out).toContain(`✓ Model: ${MODEL} answered.`);
  expect(await relay.run('model', 'test')).toMatchObject({ exit: 0 });
  expect((await relay.run('doctor')).out).toMatch(
    /^✓ model +Ollama answers and has the model qwen3:8b\.$/m,
  );
});

test('config set, get and unset change one setting, in the file or in the daemon', {
  timeout: 120_000,
}, async () => {
  verifies('SETUP-CONFIG');
  const value = async (name: string) => (await relay.run('config', 'get', name)).out.trim();
  expect((await relay.run('config', 'set', 'pacing.per_day', '41')).out).toBe(
    'pacing.per_day = 41\n',
  );
  expect(await value('pacing.per_day')).toBe('41');
  await relay.run('config', 'unset', 'pacing.per_day');
  expect(await value('pacing.per_day')).toBe('200');
  const file = await relay.run('config', 'set', 'webhooks.allow', '127.0.0.1:5678,[::1]:5678');
  expect(file.out).toContain('It applies after a restart');
  expect(await value('webhooks.allow')).toBe('[]');
  await relay.stop();
  expect(await value('webhooks.allow')).toBe('["127.0.0.1:5678","[::1]:5678"]');
  for (const [args, sentence] of [
    [['set', 'pacing.per_dya', '4'], '"pacing.per_day"'],
    [['set', 'pacing.per_day', 'many'], 'Nothing was changed: "pacing.per_day": expected number'],
    [['set', 'model_api_key', 'sk-1'], '`relay init'],
    [['set', 'backup.passphrase', 'four words'], '`relay backup encrypt`'],
    [['set', 'traces.headers', 'a=b'], 'is a secret'],
  ] as const) {
    expect(await relay.run('config', ...args)).toMatchObject({
      exit: 2,
      err: expect.stringContaining(sentence),
    });
  }
});

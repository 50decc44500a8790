// `relay init` with settings that cannot work: each time a sentence with the next step, nothing is saved, and the exit code
// is not 0. The table of all of them is recorded in docs/models.md.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRelay, type Relay } from './relay.ts';

const MODEL = 'qwen3:8b';
const KEY = 'sk-right';

/** A provider with one model; below `/hangs` it never answers. */
function startProvider(): Promise<Server> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { url = '', headers } = request;
    if (url.startsWith('/hangs')) return;
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url.startsWith('/keyed/') && headers.authorization !== `Bearer ${KEY}`) {
      return void send(401, { error: { message: 'Incorrect API key provided' } });
    }
    if (url.endsWith('/v1/models')) return void send(200, { data: [{ id: MODEL }] });
    if (!url.endsWith('/v1/chat/completions')) return void send(404, {});
    if (JSON.parse(text).model !== MODEL) return void send(404, { error: { message: 'no model' } });
    const message = { role: 'assistant', content: 'ready' };
    send(200, { id: '1', choices: [{ index: 0, message, finish_reason: 'stop' }] });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
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
  await relay.configure({ agent: { call_timeout_ms: 2_000 } });
  await relay.start();
}, 600_000);
afterAll(async () => {
  provider.closeAllConnections();
  provider.close();
  await relay.end();
});

const named = (text: string) =>
  text.replaceAll(String(port), '11434').replaceAll(String(closedPort), '11434');
const init = (words: string, key?: string) =>
  relay.runWith(
    {},
    ...['init', '--skip-link', '--skip-probe', '--skip-grants', ...words.split(' ')],
    ...(key === undefined ? [] : ['--api-key']),
  );
const at = (path: string, on = port) => `http://127.0.0.1:${on}${path}`;
const saved = async () => {
  const { json } = await relay.call('GET', '/api/settings');
  return (json as { model: object }).model;
};

describe('relay init saves nothing', () => {
  test.each([
    [
      'a missing key',
      () => `--provider groq --model ${MODEL} --base-url ${at('/keyed/v1')}`,
      'The model is not set up: "model_api_key" is not set, and groq needs one. Nothing was saved. Create a key at https://console.groq.com/keys, and give it with `relay init --provider groq --api-key`.',
    ],
    [
      'a server that refuses the key',
      () => `--provider ollama --model ${MODEL} --base-url ${at('/keyed/v1')}`,
      'Ollama does not accept the key: http://127.0.0.1:11434/keyed/v1 answered 401. Nothing was saved. This server needs a key; give it with `relay init --provider ollama --api-key`.',
    ],
    [
      'a wrong address',
      () => `--provider ollama --model ${MODEL} --base-url ${at('')}`,
      'No model answers at http://127.0.0.1:11434: it answered 404. Nothing was saved. Check the address; most end in /v1.',
    ],
    [
      'a model that does not exist',
      () => `--provider ollama --model qwen3:9b --base-url ${at('/v1')}`,
      'There is no model “qwen3:9b” at http://127.0.0.1:11434/v1. Nothing was saved. Get it with `ollama pull qwen3:9b`, or use one of these with --model: qwen3:8b.',
    ],
    [
      'Ollama that does not run',
      () => `--provider ollama --model ${MODEL} --base-url ${at('/v1', closedPort)}`,
      'http://127.0.0.1:11434/v1 cannot be reached: nothing listens there. Nothing was saved. Start Ollama with `ollama serve`, or give its address with --base-url.',
    ],
    [
      'a server that does not answer in time',
      () => `--provider ollama --model ${MODEL} --base-url ${at('/hangs/v1')}`,
      'qwen3:8b at http://127.0.0.1:11434/hangs/v1 did not answer within 2 s. Nothing was saved. A large model takes time to load: try again, choose a smaller one, or raise "agent.call_timeout_ms".',
    ],
  ])('with %s', { timeout: 120_000 }, async (_, words, sentence) => {
    verifies('SETUP-MODEL');
    const before = await saved();
    const { exit, out, err } = await init(words());
    expect(named(err)).toContain(sentence);
    expect(out).toBe('');
    expect(exit).not.toBe(0);
    expect(await saved()).toEqual(before);
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
  expect((await relay.run('doctor')).out).toMatch(/^✓ model +Ollama answers and has qwen3:8b\.$/m);
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
    [['set', 'pacing.per_day', 'many'], 'Nothing was changed: "pacing.per_day"'],
    [['set', 'model_api_key', 'sk-1'], '`relay init'],
    [['set', 'traces.headers', 'a=b'], 'is a secret'],
  ] as const) {
    expect(await relay.run('config', ...args)).toMatchObject({
      exit: 2,
      err: expect.stringContaining(sentence),
    });
  }
});

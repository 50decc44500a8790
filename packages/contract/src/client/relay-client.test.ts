import { describe, expect, expectTypeOf, test } from 'vitest';
import { RelayApiError, RelayConnectionError } from './api-error.ts';
import type { RelayErrorCode } from './codes.ts';
import { createRelayClient, type RelayClient, type RelayClientOptions } from './relay-client.ts';

type Fetched = [url: string, init: RequestInit & { headers: Record<string, string> }];

/** A client whose fetch gives these answers in turn; what was fetched stands in `calls`. */
function clientOf(answers: (Response | Error)[], options: RelayClientOptions = {}) {
  const calls: Fetched[] = [];
  const fetch = async (...call: unknown[]) => {
    calls.push(call as Fetched);
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer;
    return answer;
  };
  return { calls, relay: createRelayClient({ token: 'secret', fetch, ...options }) };
}

const refused = (status: number, body: object, headers = {}) =>
  Response.json(body, { status, headers });

test('calls the daemon on this machine with the token, unless told otherwise', async () => {
  const { relay, calls } = clientOf([Response.json({}), Response.json({})]);
  await relay.get('/api/status');
  expect(calls[0]?.[0]).toBe('http://127.0.0.1:3214/api/status');
  expect(calls[0]?.[1].headers.authorization).toBe('Bearer secret');
  let asked = 0;
  const token = async () => `secret ${++asked}`;
  const other = clientOf([Response.json({}), Response.json({})], {
    baseUrl: 'http://relay/',
    token,
  });
  await other.relay.get('/api/status');
  await other.relay.get('/api/status');
  expect(other.calls.map(([url, { headers }]) => [url, headers.authorization])).toEqual([
    ['http://relay/api/status', 'Bearer secret 1'],
    ['http://relay/api/status', 'Bearer secret 2'],
  ]);
});

test('never follows the daemon elsewhere with the token', async () => {
  const { relay, calls } = clientOf([Response.json({})]);
  await relay.get('/api/status');
  expect(calls[0]?.[1].redirect).toBe('error');
});

describe('a key of idempotency', () => {
  const body = { to: '+15550000001', text: 'Hello' };

  test('is made once for a call and kept while it is tried again', async () => {
    const { relay, calls } = clientOf([
      new TypeError('fetch failed'),
      refused(503, {}),
      Response.json({}),
      Response.json({}),
    ]);
    await relay.post('/api/whatsapp/messages', { body });
    await relay.post('/api/whatsapp/messages', { body });
    const keys = calls.map(([, { headers }]) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
  });

  test('of the caller is used as it is', async () => {
    const { relay, calls } = clientOf([Response.json({}), Response.json({})]);
    const header = { 'idempotency-key': 'mine' };
    await relay.post('/api/whatsapp/messages', { body, header });
    await relay.tools.get_chats({}, { idempotencyKey: 'mine too' });
    expect(calls.map(([, { headers }]) => headers['idempotency-key'])).toEqual([
      'mine',
      'mine too',
    ]);
  });

  test('is not invented for calls that take none, and those are not tried again', async () => {
    const { relay, calls } = clientOf([new TypeError('fetch failed'), Response.json({})]);
    const failed = relay.post('/api/hold', { body: {} });
    await expect(failed).rejects.toBeInstanceOf(RelayConnectionError);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.[1].headers).not.toHaveProperty('idempotency-key');
  });
});

describe('what is thrown', () => {
  test('a refusal has the code of the table, status, sentence, details, and whether to try again', async () => {
    const body = {
      error: 'Too many requests. Try again in 9 s.',
      code: 'rate_limited',
      details: 'D.',
    };
    const { relay } = clientOf([refused(429, body, { 'retry-after': '9' })], { retries: 0 });
    const thrown = await relay.get('/api/status').catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(RelayApiError);
    expect(thrown).toMatchObject({
      name: 'RelayApiError',
      status: 429,
      code: 'rate_limited' satisfies RelayErrorCode,
      sentence: 'Too many requests. Try again in 9 s.',
      details: 'D.',
      retryable: true,
      retryAfterMs: 9_000,
    });
  });

  test('what stays refused is not retryable', async () => {
    const { relay } = clientOf([refused(403, { error: 'No.', code: 'program_only' })]);
    await expect(relay.get('/api/status')).rejects.toMatchObject({ status: 403, retryable: false });
  });

  test('no answer is a RelayConnectionError with its cause', async () => {
    const cause = new TypeError('fetch failed');
    const { relay } = clientOf([cause], { retries: 0 });
    await expect(relay.get('/api/status')).rejects.toMatchObject({
      name: 'RelayConnectionError',
      retryable: true,
      cause,
    });
  });

  test('an answer that takes too long is given up', async () => {
    const fetch = (_url: unknown, init?: RequestInit) =>
      new Promise<Response>((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      );
    const { relay } = clientOf([], { fetch, timeoutMs: 5, retries: 0 });
    await expect(relay.get('/api/status')).rejects.toBeInstanceOf(RelayConnectionError);
  });

  test('whoever aborts gets their own reason', async () => {
    const fetch = async () => {
      throw new TypeError('aborted');
    };
    const { relay } = clientOf([], { fetch });
    const reason = new Error('enough');
    await expect(relay.get('/api/status', { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
  });
});

test('a tool is called by its name, with what it takes', async () => {
  const { relay, calls } = clientOf([Response.json({ chats: [] }), Response.json({ chats: [] })]);
  expect(await relay.tools.get_chats({ unread_only: false })).toEqual({ chats: [] });
  await relay.tools.get_chats();
  expect(calls.map(([url, { method, body }]) => [url, method, body])).toEqual([
    ['http://127.0.0.1:3214/api/tools/get_chats', 'POST', '{"unread_only":false}'],
    ['http://127.0.0.1:3214/api/tools/get_chats', 'POST', '{}'],
  ]);
});

test('tools and routes are typed', () => {
  const never = (relay: RelayClient) => {
    // @ts-expect-error no such tool
    relay.tools.send_money({});
    // @ts-expect-error it is no text
    relay.tools.get_chats({ unread_only: 'yes' });
    // @ts-expect-error no such route
    relay.get('/api/nothing');
  };
  expect(never).toBeTypeOf('function');
  expectTypeOf<RelayClient['tools']['get_chats']>().returns.resolves.toHaveProperty('chats');
});

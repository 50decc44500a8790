import { describe, expect, expectTypeOf, test } from 'vitest';
import { RelayApiError, RelayConnectionError } from './api-error.ts';
import type { RelayErrorCode } from './codes.ts';
import { createRelayClient, type RelayClient, type RelayClientOptions } from './relay-client.ts';

type Fetched = [url: string, init: RequestInit & { headers: Record<string, string> }];

/** A client whose fetch returns these responses in turn; `calls` contains the requests. */
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

test('calls the daemon on this machine with the token by default', async () => {
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

test('never follows a redirect with the token', async () => {
  const { relay, calls } = clientOf([Response.json({})]);
  await relay.get('/api/status');
  expect(calls[0]?.[1].redirect).toBe('error');
});

describe('version 1', () => {
  const page = { data: [], next_cursor: null };

  test('has a function for each operation, for the account `default` unless another is named', async () => {
    const { relay, calls } = clientOf([
      Response.json(page),
      Response.json(page),
      Response.json({}),
    ]);
    const listed = await relay.v1.conversations.list({ query: { limit: 5 } });
    expectTypeOf(listed.next_cursor).toEqualTypeOf<string | null>();
    expectTypeOf(listed.data[0]?.conversation_id).toEqualTypeOf<string | undefined>();
    await relay.v1.chats.messages({ path: { account: 'sales', chat_id: 'c' } });
    await relay.v1.grants.put({ path: { contact_id: 'p' }, body: { can_read: true } });
    expect(calls.map(([url, { method }]) => [method, new URL(url).pathname])).toEqual([
      ['GET', '/api/v1/accounts/default/conversations'],
      ['GET', '/api/v1/accounts/sales/chats/c/messages'],
      ['PUT', '/api/v1/accounts/default/contacts/p/grant'],
    ]);
    expect(calls.map(([, { headers }]) => typeof headers['idempotency-key'])).toEqual([
      'undefined',
      'undefined',
      'string',
    ]);
  });

  test('throws problem details as errors with code, action and reason', async () => {
    const problem = {
      ...{ type: '/docs/reference/errors.md#scope_missing', title: 'Forbidden', status: 403 },
      ...{ detail: 'This token does not have the scope events:read.', code: 'scope_missing' },
      ...{ action: 'Create another.', request_id: 'r' },
    };
    const { relay } = clientOf([refused(403, problem)]);
    const failed = await relay.v1.events.list().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(RelayApiError);
    expect(failed).toMatchObject({
      status: 403,
      code: 'scope_missing',
      sentence: problem.detail,
      action: 'Create another.',
    });
  });

  test('sends a file with its type, and again the same if it must be repeated', async () => {
    const stored = { id: 'm', bytes: 3, sha256: 'f' };
    const { relay, calls } = clientOf([
      refused(503, {}, { 'retry-after': '0' }),
      Response.json(stored, { status: 201 }),
    ]);
    const body = new Blob(['abc'], { type: 'image/png' });
    const uploaded = await relay.v1.media.upload({ body, query: { file_name: 'a.png' } });
    expectTypeOf(uploaded.id).toEqualTypeOf<string>();
    expect(uploaded).toEqual(stored);
    expect(calls.map(([url, init]) => [new URL(url).search, init.body])).toEqual([
      ['?file_name=a.png', body],
      ['?file_name=a.png', body],
    ]);
    const [first, second] = calls.map(([, { headers }]) => headers);
    expect(first?.['content-type']).toBe('image/png');
    expect(second).toEqual(first);
  });

  test('gets a file as a blob, or a part of it, and the problem if there is none', async () => {
    const problem = {
      ...{ type: '/docs/reference/errors.md#media_not_found', title: 'Not Found', status: 404 },
      ...{ detail: 'There is no media with this id.', code: 'media_not_found', request_id: 'r' },
    };
    // Bytes that are not text must not change on the way.
    const bytes = Uint8Array.of(0xff, 0x00, 0xfe);
    const { relay, calls } = clientOf([
      new Response(bytes, { headers: { 'content-type': 'image/png' } }),
      new Response(bytes.subarray(1), { status: 206 }),
      refused(404, problem),
    ]);
    const path = { media_id: 'm' };
    const file = await relay.v1.media.get({ path });
    expectTypeOf(file).toEqualTypeOf<Blob>();
    expect([file.type, new Uint8Array(await file.arrayBuffer())]).toEqual(['image/png', bytes]);
    const part = await relay.v1.media.get({ path, header: { range: 'bytes=1-' } });
    expect(part.size).toBe(2);
    expect(calls[1]?.[1].headers).toMatchObject({ accept: '*/*', range: 'bytes=1-' });
    const failed = await relay.v1.media.get({ path }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ status: 404, code: 'media_not_found' });
  });

  test('requires what an operation requires', () => {
    const check = (relay: RelayClient) => {
      // @ts-expect-error the chat is missing
      void relay.v1.chats.get();
      // @ts-expect-error there is no such field
      void relay.v1.messages.send({ body: { to: '1', text: 'Hi', colour: 'red' } });
      // @ts-expect-error a file is a blob
      void relay.v1.media.upload({ body: 'abc' });
    };
    expect(check).toBeTypeOf('function');
  });
});

describe('idempotency key', () => {
  const body = { to: '+15550000001', text: 'Hello' };

  test('creates one key per call and keeps it for retries', async () => {
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

  test('uses the caller’s key', async () => {
    const { relay, calls } = clientOf([Response.json({}), Response.json({})]);
    const header = { 'idempotency-key': 'mine' };
    await relay.post('/api/whatsapp/messages', { body, header });
    await relay.tools.get_chats({}, { idempotencyKey: 'mine too' });
    expect(calls.map(([, { headers }]) => headers['idempotency-key'])).toEqual([
      'mine',
      'mine too',
    ]);
  });

  test('creates no key for calls that take none, and does not retry them', async () => {
    const { relay, calls } = clientOf([new TypeError('fetch failed'), Response.json({})]);
    const failed = relay.post('/api/hold', { body: {} });
    await expect(failed).rejects.toBeInstanceOf(RelayConnectionError);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.[1].headers).not.toHaveProperty('idempotency-key');
  });
});

describe('errors', () => {
  test('a refusal has code, status, sentence, details, and whether to retry', async () => {
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

  test('a permanent refusal is not retryable', async () => {
    const { relay } = clientOf([refused(403, { error: 'No.', code: 'program_only' })]);
    await expect(relay.get('/api/status')).rejects.toMatchObject({ status: 403, retryable: false });
  });

  test('throws a RelayConnectionError with its cause if there is no response', async () => {
    const cause = new TypeError('fetch failed');
    const { relay } = clientOf([cause], { retries: 0 });
    await expect(relay.get('/api/status')).rejects.toMatchObject({
      name: 'RelayConnectionError',
      retryable: true,
      cause,
    });
  });

  test('gives up on a response that takes too long', async () => {
    const fetch = (_url: unknown, init?: RequestInit) =>
      new Promise<Response>((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      );
    const { relay } = clientOf([], { fetch, timeoutMs: 5, retries: 0 });
    await expect(relay.get('/api/status')).rejects.toBeInstanceOf(RelayConnectionError);
  });

  test('throws the reason of whoever aborts', async () => {
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

test('calls a tool by its name with its arguments', async () => {
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
    // @ts-expect-error it is not a string
    relay.tools.get_chats({ unread_only: 'yes' });
    // @ts-expect-error no such route
    relay.get('/api/nothing');
  };
  expect(never).toBeTypeOf('function');
  expectTypeOf<RelayClient['tools']['get_chats']>().returns.resolves.toHaveProperty('chats');
});

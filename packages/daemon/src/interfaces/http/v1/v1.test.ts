// What all operations of version 1 have in common, over the route table; what each does is tested with a daemon.
import { type V1Surface, v1 } from '@relay/contract/api/v1';
import { createEventReader } from '@relay/contract/client/sse';
import { ERRORS, RelayError } from '@relay/contract/errors';
import type { ErrorSpec } from '@relay/contract/errors/spec';
import { expect, test } from 'vitest';
import { PROGRAM_TOKEN } from '../testing/programs.ts';
import { standIns } from '../testing/stand-ins.ts';
import { bearer, type Call, listening } from '../testing/wire.ts';

const BASE = '/api/v1/accounts/default';
const json = { 'content-type': 'application/json' };

const served = async (overrides: Parameters<typeof standIns>[0] = {}) => {
  const { deps, calls } = standIns(overrides);
  const server = await listening(deps);
  const call = async (path: string, options: Partial<Call> = {}) => {
    const { status, headers, body } = await server.call({ headers: bearer, ...options, path });
    return { status, headers, body: JSON.parse(body) };
  };
  return { server, call, calls };
};

test('answers errors as problem details with a code, an action and the request’s id', async () => {
  const { call } = await served();
  const { status, headers, body } = await call(`${BASE}/conversations?limit=lots&colour=red`);
  expect([status, headers['content-type']]).toEqual([400, 'application/problem+json']);
  expect(v1.problem.parse(body)).toEqual(body);
  expect(body).toEqual({
    type: '/docs/reference/errors.md#invalid_request',
    title: 'Bad Request',
    status: 400,
    detail: expect.stringContaining('limit'),
    code: 'invalid_request',
    errors: [{ field: 'limit', detail: expect.any(String) }, expect.any(Object)],
    request_id: headers['x-request-id'],
  });
});

test('answers another account, an unknown path and a missing token in the same form', async () => {
  const { call } = await served();
  const other = await call('/api/v1/accounts/sales/conversations');
  expect([other.status, other.body.code]).toEqual([404, 'account_not_found']);
  expect(other.body.detail).toBe('There is no account sales.');
  const unknown = await call(`${BASE}/nothing`);
  expect([unknown.status, unknown.body.code]).toEqual([404, 'route_not_found']);
  const nobody = await call(`${BASE}/conversations`, { headers: {} });
  expect([nobody.status, nobody.body.code]).toEqual([401, 'unauthorized']);
  // The routes of the specifications keep their bodies.
  const seed = await call('/api/instances?limit=lots');
  expect(seed.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(Object.keys(seed.body)).toEqual(['error', 'code']);
});

test('sends the request id and the rate limit with every response, and when to come back', async () => {
  const { call } = await served({ limits: { requestsPerMinute: 2 } });
  for (const left of ['1', '0']) {
    const { status, headers } = await call(BASE);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'ratelimit-limit': '2',
      'ratelimit-remaining': left,
      'ratelimit-reset': expect.stringMatching(/^\d+$/),
    });
  }
  const limited = await call(BASE);
  expect([limited.status, limited.headers['retry-after']]).toEqual([
    429,
    expect.stringMatching(/^\d+$/),
  ]);
  const refused = await call(BASE, { headers: {} });
  expect(refused.headers).toHaveProperty('ratelimit-remaining');
  const stopping = await served({ stopping: () => true });
  expect((await stopping.call(BASE)).headers['retry-after']).toBe('5');
});

test('names the scope that a client’s token lacks', async () => {
  const { call } = await served();
  const headers = { authorization: `Bearer ${PROGRAM_TOKEN}` };
  const { status, body } = await call(`${BASE}/events`, { headers });
  expect([status, body.code]).toEqual([403, 'scope_missing']);
  expect(body.action).toContain('events:read');
});

test('tells a client of the API and a caller of a tool each what it can do', async () => {
  const { deps } = standIns();
  const unknown = () => Promise.reject(new RelayError('chat_unknown', { chat: 'Cleo' }));
  const surface = new Proxy({}, { get: () => unknown }) as V1Surface;
  const { call } = await served({ clients: { ...deps.clients, v1: () => surface, call: unknown } });
  const headers = { authorization: `Bearer ${PROGRAM_TOKEN}`, ...json };
  const message = { method: 'POST', headers, body: JSON.stringify({ to: 'Cleo', text: 'Hello' }) };
  const { body } = await call(`${BASE}/messages`, message);
  expect(body).toMatchObject({
    code: 'chat_unknown',
    action:
      'List chats at /api/v1/accounts/default/chats, or contacts at /api/v1/accounts/default/contacts.',
  });
  const tool = await call('/api/tools/send_message', { method: 'POST', headers, body: '{}' });
  expect(tool.body).toEqual({
    error: 'There is no chat Cleo that this client may use.',
    code: 'chat_unknown',
    action: 'Call the tool get_chats for the chats it may read.',
  });
});

test('names only paths that exist in what a program can do about an error', async () => {
  const { server } = await served();
  const paths = new Set(server.app.routes.map(({ url }) => url.replace(/:(\w+)/g, '{$1}')));
  const named = Object.values<ErrorSpec>(ERRORS).flatMap(({ action = '', actionFor = {} }) =>
    [action, actionFor.api ?? ''].flatMap((text) => text.match(/[/]api[/][\w/{}]*/g) ?? []),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !paths.has(path))).toEqual([]);
});

test('refuses a cursor that another list returned', async () => {
  const { call } = await served();
  const cursor = Buffer.from('chats\n10').toString('base64url');
  for (const wrong of [cursor, 'x', Buffer.from('conversations\nx').toString('base64url')]) {
    const { status, body } = await call(`${BASE}/conversations?cursor=${wrong}`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  }
});

test('documents the headers of each response, and a stream as it is sent', async () => {
  const { call } = await served();
  const { body } = await call('/api/v1/openapi.json');
  const operations = Object.values(body.paths as Record<string, Record<string, Documented>>);
  for (const { operationId, responses } of operations.flatMap((verbs) => Object.values(verbs))) {
    for (const [status, { headers }] of Object.entries(responses)) {
      const passing = ['429', '503'].includes(status) ? ['retry-after'] : [];
      expect([operationId, status, Object.keys(headers).sort()]).toEqual([
        ...[operationId, status],
        ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', ...passing, 'x-request-id'],
      ]);
    }
  }
  const [, stream] = Object.entries(body.paths).find(([path]) => path.endsWith('/events')) ?? [];
  const { content = {} } = (stream as Record<string, Documented>).get?.responses['200'] ?? {};
  const read: unknown[] = [];
  const reader = createEventReader((event) => read.push(event));
  reader.feed(String(content['text/event-stream']?.example));
  expect(read).toEqual([expect.objectContaining({ kind: 'message.received' })]);
});

interface Documented {
  readonly operationId: string;
  readonly responses: Record<
    string,
    { readonly headers: object; readonly content?: Record<string, { readonly example?: unknown }> }
  >;
}

test('documents each operation with examples that its own schemas accept', async () => {
  const { server } = await served();
  const operations = server.app.routes.filter(({ url }) => url.startsWith('/api/v1/accounts/'));
  expect(operations.length).toBeGreaterThan(35);
  for (const { schema, config } of operations) {
    const { operationId, body, querystring, response } = schema as unknown as {
      operationId: string;
      body?: { parse(given: unknown): unknown };
      querystring?: { parse(given: unknown): unknown };
      response: Record<
        number,
        { content: Record<string, { schema: { parse(given: unknown): unknown } }> }
      >;
    };
    expect(operationId).toMatch(/^[a-z]+\.[a-z]+$/);
    const example = config?.example;
    const answer = response[200] ?? response[201];
    const [{ schema: schemaOf } = {}] = Object.values(answer?.content ?? {});
    expect(schemaOf?.parse(example?.response)).toEqual(example?.response);
    if (body !== undefined) expect(() => body.parse(example?.body)).not.toThrow();
    querystring?.parse(example?.query ?? {});
  }
});

test('lets every write of version 1 take an idempotency key', async () => {
  const kept: string[] = [];
  const { call, server } = await served({
    keptResponses: {
      once: async ({ key, actor }, run) => {
        kept.push(`${actor} ${key}`);
        return run();
      },
    },
  });
  const writes = server.app.routes.filter(
    ({ url, method }) => url.startsWith('/api/v1/accounts/') && method !== 'GET',
  );
  for (const { url, method, config } of writes) {
    const given = config?.example;
    const path = url
      .replace(':account', 'default')
      .replace(/:(\w+)/g, (_whole, name: string) => given?.params?.[name] ?? '');
    await call(path, {
      method: String(method),
      headers: { ...bearer, ...(given?.body && json), 'idempotency-key': 'k 1' },
      ...(given?.body && { body: JSON.stringify(given.body) }),
    });
    expect(kept.at(-1)).toBe(`owner ${method} ${path} k 1`);
  }
});

test('answers liveness and readiness without a token, and with no data of the owner’s', async () => {
  const { server } = await served();
  const ask = async (path: string) => {
    const { status, body } = await server.call({ path });
    return [status, JSON.parse(body)];
  };
  expect(await ask('/healthz')).toEqual([200, { status: 'ok' }]);
  expect(await ask('/readyz')).toEqual([200, { status: 'ready' }]);
});

test('is alive but not ready while the database does not answer', async () => {
  const { deps } = standIns();
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const events = { ...deps.events, latest: () => Promise.reject(refused) };
  const { server } = await served({ events });
  expect((await server.call({ path: '/healthz' })).status).toBe(200);
  const { status, body } = await server.call({ path: '/readyz' });
  expect([status, JSON.parse(body).code]).toEqual([503, 'database_unavailable']);
  // The private server ends when its disk is full.
  const full = await served({ events, isDatabaseDiskFull: async () => true });
  const answer = await full.server.call({ path: '/readyz' });
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([507, 'database_full']);
});

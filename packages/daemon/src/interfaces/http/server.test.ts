import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createHttpServer } from './server.ts';
import { INSTANCE_ID, instance, listedInstance } from './testing/conversations.ts';
import { standIns, TOKEN } from './testing/stand-ins.ts';
import { bearer, listening } from './testing/wire.ts';

test('serves seed 003’s routes with its status codes and shapes', async () => {
  const server = await listening(standIns().deps);
  const json = { ...bearer, 'content-type': 'application/json' };
  const payload = {
    objective: 'Get a quote',
    target_contact: '+56912345678',
    todos: [{ text: 'a' }],
  };
  const created = await server.call({
    method: 'POST',
    path: '/api/instances',
    headers: json,
    body: JSON.stringify(payload),
  });
  expect([created.status, JSON.parse(created.body)]).toEqual([
    201,
    { id: INSTANCE_ID, state: 'CREATED' },
  ]);
  const listed = await server.call({
    path: '/api/instances?state=CREATED&limit=5',
    headers: bearer,
  });
  expect(JSON.parse(listed.body)).toEqual([listedInstance]);
  expect(listed.headers['content-type']).toBe('application/json; charset=utf-8');
  for (const verb of ['cancel', 'pause', 'resume']) {
    const path = `/api/instances/${INSTANCE_ID}/${verb}`;
    const { status, body } = await server.call({ method: 'POST', path, headers: bearer });
    expect([status, JSON.parse(body)]).toEqual([200, instance]);
  }
});

test('documents every API route with operationId, summary, tags, responses and errors', async () => {
  const server = await listening(standIns().deps);
  const { body } = await server.call({ path: '/api/openapi.json', headers: bearer });
  const document = JSON.parse(body);
  expect(document.openapi).toBe('3.1.0');
  const documented = new Set<string>();
  for (const [path, methods] of Object.entries<Record<string, Record<string, unknown>>>(
    document.paths,
  )) {
    for (const [method, operation] of Object.entries(methods)) {
      documented.add(`${method.toUpperCase()} ${path}`);
      expect(operation).toMatchObject({
        operationId: expect.any(String),
        summary: expect.any(String),
        tags: expect.arrayContaining([expect.any(String)]),
      });
      expect(Object.keys(operation.responses as object)).toEqual(
        expect.arrayContaining(['401', '403', '421', '429', '500', '503']),
      );
    }
  }
  const served = server.app.routes
    .filter(({ schema }) => !(schema as { hide?: boolean } | undefined)?.hide)
    .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
  expect([...documented].sort()).toEqual(served.sort());
});

test('serves a reference page with one hashed inline script and nothing from other origins', async () => {
  const server = await listening(standIns().deps);
  const { status, body, headers } = await server.call({ path: '/api/docs', headers: bearer });
  expect(status).toBe(200);
  expect(body).not.toMatch(/https?:\/\//);
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/script-src 'self' 'sha256-[\w+/]{43}='/);
  expect(policy).not.toMatch(/https?:|\*/);
  const script = await server.call({ path: '/api/docs/reference.js', headers: bearer });
  expect(script.headers['content-type']).toContain('text/javascript');
  expect(script.body.length).toBeGreaterThan(100_000);
}, 20_000);

test('forbids framing, sniffing and foreign content on every response, errors included', async () => {
  const server = await listening(standIns().deps);
  for (const headers of [bearer, {}]) {
    const answer = await server.call({ path: '/api/status', headers });
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.headers['content-security-policy']).not.toContain('unsafe');
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
  }
});

test('ends streams and idle connections at once on close, and lets a running request finish', async () => {
  const [reached, result] = [Promise.withResolvers<void>(), Promise.withResolvers<[]>()];
  const checks = () => {
    reached.resolve();
    return result.promise;
  };
  // Nothing is cut off by force: a connection that is not closed would keep the server open.
  const { deps, events } = standIns({ checks, limits: { drainMs: 600_000 } });
  const app = await createHttpServer(deps);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const agent = new Agent({ keepAlive: true });
  const get = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ port, path, agent, headers: bearer }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      sent.on('error', reject).end();
    });
  const idle = await get('/api/status');
  const stream = get('/api/events');
  await expect.poll(events.subscribers).toBe(1);
  const running = get('/api/doctor');
  await reached.promise;
  const closed = app.close();
  expect(await stream).toBe(200);
  result.resolve([]);
  expect(await running).toBe(200);
  await closed;
  expect(idle).toBe(200);
  agent.destroy();
});

test('closes in bounded time although a request never finishes', async () => {
  const reached = Promise.withResolvers<void>();
  const checks = () => {
    reached.resolve();
    return new Promise<never>(() => {});
  };
  const server = await listening(standIns({ checks, limits: { drainMs: 100 } }).deps);
  const hanging = server
    .call({ path: '/api/doctor', headers: bearer })
    .catch((error) => error.code);
  await reached.promise;
  await server.app.close();
  expect(await hanging).toBe('ECONNRESET');
});

async function trickle(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}

test('cuts off headers or a body that never end', async () => {
  const { deps, calls } = standIns({ limits: { headersMs: 100, bodyMs: 100 } });
  const { port, host } = await listening(deps);
  const slowHeaders = await trickle(port, `GET / HTTP/1.1\r\nHost: ${host}\r\n`);
  expect(slowHeaders).toContain('400');
  const head = `POST /api/instances HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n`;
  const slowBody = await trickle(port, `${head}Authorization: Bearer ${TOKEN}\r\n\r\n{`);
  const refused = await trickle(port, `${head}\r\n{`);
  expect(slowBody).toBe('');
  expect(refused).toContain('401');
  expect(calls).toEqual([]);
});

test('answers bytes that are not HTTP with an error in the usual shape', async () => {
  const { port } = await listening(standIns().deps);
  const answer = await trickle(port, 'nonsense\r\n\r\n');
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
    error: 'The request is not valid: it is not valid HTTP.',
    code: 'invalid_request',
  });
});

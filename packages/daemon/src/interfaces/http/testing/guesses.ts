// Sends thousands of wrong credentials, each from what looks like another caller.
import { expect } from 'vitest';
import { createHttpServer } from '../server.ts';
import { standIns, TOKEN } from './stand-ins.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;
const PATHS = ['/api/status', '/api/instances', '/api/events', '/api/export', '/nowhere'];

/** A different caller every time, in everything that a caller can choose. */
function guess(n: number) {
  const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  return {
    method: METHODS[n % METHODS.length] ?? 'GET',
    url: `${PATHS[n % PATHS.length]}?n=${n}&token=${n}`,
    remoteAddress: `127.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
    headers: {
      host: ['127.0.0.1:3214', 'localhost:3214', '[::1]:3214'][n % 3] ?? '',
      ...(n % 2 === 0
        ? { authorization: `Bearer ${TOKEN}${n}` }
        : { cookie: `relay_session_3214=${n}; other=${n}` }),
      'x-real-ip': address,
      'x-client-ip': address,
      'user-agent': `agent ${n}`,
      'content-type': 'application/json',
    },
    payload: `{"n":${n}}`,
  };
}

/**
 * Expects that the first 20 get 401, all others 429, that no service is called, and that the right token still works.
 */
export async function guessTimes(count: number): Promise<void> {
  const { deps, calls } = standIns({ port: 3214 });
  const app = await createHttpServer(deps);
  const statuses = new Map<number, number>();
  for (let n = 0; n < count; n += 500) {
    const batch = Array.from({ length: 500 }, (_, i) => app.inject(guess(n + i)));
    for (const { statusCode } of await Promise.all(batch)) {
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    }
  }
  expect(Object.fromEntries(statuses)).toEqual({ 401: 20, 429: count - 20 });
  expect(calls).toEqual([]);

  const headers = { host: '127.0.0.1:3214', authorization: `Bearer ${TOKEN}` };
  const right = await app.inject({ url: '/api/status', headers });
  expect(right.statusCode).toBe(200);
  await app.close();
}

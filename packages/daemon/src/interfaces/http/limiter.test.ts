import { expect, test } from 'vitest';
import { createLimiter } from './guard.ts';
import { createHttpServer } from './server.ts';
import { guessTimes } from './testing/guesses.ts';
import { standIns, TOKEN } from './testing/stand-ins.ts';

test('counts per key and starts again after a minute', () => {
  let now = 0;
  const limiter = createLimiter(2, () => now);
  expect([limiter.hit('a'), limiter.hit('a'), limiter.hit('b')]).toEqual([null, null, null]);
  now = 20_000;
  expect(limiter.hit('a')).toBe(40);
  now = 60_000;
  expect(limiter.hit('a')).toBeNull();
});

test('refuses and rate-limits 2,000 wrong guesses, whatever fields they vary', () =>
  guessTimes(2_000));

test('limits guesses of login codes too', async () => {
  const { deps } = standIns({ port: 3214 });
  const app = await createHttpServer(deps);
  const statuses = [];
  for (let n = 0; n < 30; n++) {
    const url = `/login?code=${n}`;
    statuses.push((await app.inject({ url, headers: { host: '127.0.0.1:3214' } })).statusCode);
  }
  expect(statuses).toEqual([...Array(20).fill(401), ...Array(10).fill(429)]);
  await app.close();
});

test('tells a principal over its limit when to retry', async () => {
  const { deps } = standIns({ port: 3214, limits: { requestsPerMinute: 2 } });
  const app = await createHttpServer(deps);
  const headers = { host: '127.0.0.1:3214', authorization: `Bearer ${TOKEN}` };
  await app.inject({ url: '/api/status', headers });
  await app.inject({ url: '/api/status', headers });
  const third = await app.inject({ url: '/api/status', headers });
  expect(third.statusCode).toBe(429);
  expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
  expect(third.json().code).toBe('rate_limited');
  await app.close();
});

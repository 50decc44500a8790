// Tests who may read the metrics: the owner, and a client with the scope for it.
import type { TokenClient } from '@relay/contract/api/credentials';
import { expect, test } from 'vitest';
import { PROGRAM_TOKEN } from './testing/programs.ts';
import { standIns } from './testing/stand-ins.ts';
import { bearer, listening } from './testing/wire.ts';

const program = { authorization: `Bearer ${PROGRAM_TOKEN}` };

async function scrapedWith(scopes: TokenClient['scopes']) {
  const { deps, calls } = standIns();
  const findClient = async (hash: string) => {
    const found = await deps.clientTokens.findClient(hash);
    return found && { ...found, scopes };
  };
  const server = await listening({ ...deps, clientTokens: { ...deps.clientTokens, findClient } });
  return {
    calls,
    get: (path: string, headers: object) => server.call({ path, headers: { ...headers } }),
  };
}

test('returns metrics to the owner in Prometheus format', async () => {
  const { get } = await scrapedWith([]);
  const answer = await get('/metrics', bearer);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(answer.body).toBe('relay_hold 0\n');
});

test('returns metrics to a client with the scope metrics:read, which allows nothing else', async () => {
  const { get } = await scrapedWith(['metrics:read']);
  expect((await get('/metrics', program)).status).toBe(200);
  expect((await get('/api/status', program)).status).toBe(403);
});

test('reads the figures of the account that the caller means', async () => {
  const { deps, calls } = standIns();
  const text = async ({ status, figures, isMain }: Parameters<typeof deps.metrics.text>[0]) =>
    `${isMain} ${(await status()).pid} ${(await figures()).limits.usd_per_day}`;
  const server = await listening({ ...deps, metrics: { ...deps.metrics, text } });
  expect((await server.call({ path: '/metrics', headers: bearer })).body).toBe('true 1 5');
  expect(calls).toEqual(['status', 'figures']);
});

test('refuses a client with any other scope', async () => {
  const { get, calls } = await scrapedWith(['messages:read', 'ledger:read']);
  expect((await get('/metrics', program)).status).toBe(403);
  expect((await get('/metrics', {})).status).toBe(401);
  expect(calls).not.toContain('metrics');
});

// A whole daemon and its API behind PgBouncer in transaction mode, where every transaction may use another connection.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PgBouncer, startPgBouncer } from '../pgbouncer.ts';
import { verifies } from '../verifies.ts';
import { openRelay, type Relay } from './relay.ts';

const POOL = 3;

let relay: Relay;
let pooler: PgBouncer;
beforeAll(async () => {
  relay = await openRelay();
  const direct = relay.database?.daemonUrl;
  if (direct === undefined) throw new Error('this test needs the shared server');
  pooler = await startPgBouncer(direct, { poolSize: POOL });
  await relay.configure({ prepared_statements: false });
  await relay.start({ DATABASE_URL: pooler.url });
});
afterAll(async () => {
  await relay?.end();
  await pooler?.stop();
});

it('serves the API through PgBouncer in transaction mode with a few connections', async () => {
  verifies('SCALE-POOLER');
  const people = Array.from({ length: 20 }, (_, index) => `+1415555${3000 + index}`);
  const created = await Promise.all(people.map((one) => relay.create(one)));
  expect(new Set(created).size).toBe(people.length);
  const lists = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      relay.call(
        'GET',
        ['/api/instances', '/api/status', '/api/v1/accounts/default/events'][index % 3] ?? '',
      ),
    ),
  );
  expect(lists.map(({ status }) => status)).toEqual(lists.map(() => 200));
  expect(await pooler.show('POOLS')).toMatchObject([{ pool_mode: 'transaction' }]);
  const servers = await pooler.show('SERVERS');
  expect(servers.length).toBeGreaterThan(0);
  expect(servers.length).toBeLessThanOrEqual(POOL);
  expect((await pooler.show('CLIENTS')).length).toBeGreaterThan(servers.length);
});

it('refuses a pooler that drops what Relay asks a connection for, and says what to set', async () => {
  const other = await openRelay();
  const direct = other.database?.daemonUrl ?? '';
  const wrong = await startPgBouncer(direct, {
    poolSize: POOL,
    change: (shipped) => shipped.replace(/ connect_query=.*/, ''),
  });
  try {
    await other.configure({ prepared_statements: false });
    const { exit, err } = await other.runWith({ DATABASE_URL: wrong.url }, 'start');
    expect(exit).toBe(9);
    expect(err).toContain('set connect_query as in compose.fleet.yaml');
  } finally {
    await other.end();
    await wrong.stop();
  }
});

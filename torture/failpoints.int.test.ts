// Tests the failpoints themselves: a daemon dies at the named point, and what was durable by then stays.
import { once } from 'node:events';
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import { type FreshDatabase, freshDatabase, onServer } from '@relay/testing/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const FAILPOINTS = new URL('./failpoints.ts', import.meta.url).href;
let demo: Demo;
let database: FreshDatabase;
let instance: string;

beforeAll(async () => {
  database = await freshDatabase();
  demo = await startDemo({ databaseUrl: database.url, preloads: [FAILPOINTS] });
  const wish = { objective: 'Agree on a day', target_contact: '+14155550100' };
  instance = (await demo.relay.ok<{ id: string }>('POST', '/api/instances', wish)).id;
});
afterAll(async () => {
  await demo.stop();
  await database.drop();
});

/** Sends a message to a daemon that dies at the point; returns whether the message is in the outbox. */
async function dyingAt(point: string, message: string): Promise<boolean> {
  await demo.kill();
  await demo.restart({ RELAY_FAILPOINT: point });
  const child = demo.daemon?.child;
  const send = () => demo.relay.call('POST', `/api/instances/${instance}/send`, { message });
  child?.kill('SIGUSR2');
  const [ended] = await Promise.all([child && once(child, 'exit'), send().catch(() => null)]);
  expect(ended).toEqual([null, 'SIGKILL']);
  const { rows } = await onServer(database.url, (client) =>
    client.query('SELECT FROM relay.outbox WHERE body = $1', [message]),
  );
  return rows.length === 1;
}

describe('a daemon that dies at a named point', () => {
  it('has written nothing before the statement', async () => {
    expect(await dyingAt('outbox:before:1', 'before')).toBe(false);
  });

  it('has written everything after the commit', async () => {
    expect(await dyingAt('outbox:after:1', 'after')).toBe(true);
  });

  it('counts how often the point was reached', async () => {
    await demo.kill();
    await demo.restart({ RELAY_FAILPOINT: 'outbox:after:2', RELAY_FAILPOINT_NOW: '1' });
    const path = `/api/instances/${instance}/send`;
    expect(await demo.relay.call('POST', path, { message: 'one' })).toMatchObject({ status: 200 });
    await expect(demo.relay.call('POST', path, { message: 'two' })).rejects.toThrow();
  });
});

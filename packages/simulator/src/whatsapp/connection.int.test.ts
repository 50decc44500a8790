import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Client, textOf, until } from './testing/client.ts';
import {
  createPairedFixture,
  expectNoFailures,
  type NetworkFixture,
  waitForText,
} from './testing/fixture.ts';

let cast: NetworkFixture;

afterEach(() => {
  cast.network.faults.clear();
  expectNoFailures(cast);
});

describe('a connection that ends', () => {
  beforeAll(async () => {
    cast = await createPairedFixture();
  });

  afterAll(() => cast.end());

  test('offline queue replay on reconnect', async () => {
    const { bob, client, me } = cast;
    client.reconnect = false;
    const closes = client.closes.length;
    me.disconnect();
    expect(await client.closed(closes + 1)).toBe(428);
    await until(() => !me.companions.get(1)?.connection, 'the server to notice');
    const ids: string[] = [];
    for (let i = 0; i < 25; i += 1) ids.push(await bob.send(me, `offline-${i}`));
    expect(me.companions.get(1)?.pending.filter(({ tag }) => tag === 'message')).toHaveLength(25);
    client.reconnect = true;
    client.connect();
    const arrived = () => client.upserts.filter((m) => textOf(m)?.startsWith('offline-'));
    await until(() => arrived().length === 25, 'everything that waited');
    expect(arrived().map(({ key }) => key.id)).toEqual(ids);
    await until(() => me.companions.get(1)?.pending.length === 0, 'every acknowledgement');
    expect(arrived()).toHaveLength(25);
  });

  test('resends unacknowledged stanzas after the connection was cut', async () => {
    const { bob, client, me, network } = cast;
    const opens = client.opens;
    network.faults.set({ latencyMs: 200 });
    const id = await bob.send(me, 'cut off');
    me.disconnect();
    network.faults.clear();
    await client.opened(opens + 1);
    expect((await client.received('cut off')).key.id).toBe(id);
  });

  test('stream error 440 (conflict replaced)', async () => {
    const { client, network } = cast;
    const closes = client.closes.length;
    const other = new Client(network, client.auth).connect();
    await other.opened();
    expect(await client.closed(closes + 1)).toBe(440);
    await other.end();
    const opens = client.opens;
    client.connect();
    await client.opened(opens + 1);
  });

  test.each([500, 503, 515])('stream error %i -> reconnects', async (code) => {
    const { bob, client, me } = cast;
    const { closes, opens } = { closes: client.closes.length, opens: client.opens };
    me.disconnect(code);
    expect(await client.closed(closes + 1)).toBe(code);
    await client.opened(opens + 1);
    await client.socket.sendMessage(bob.jid(), { text: `after ${code}` });
    await waitForText(bob, `after ${code}`);
  });

  test('edge routing intro (ED header)', async () => {
    const { client, me } = cast;
    const opens = client.opens;
    me.disconnect(515);
    await client.opened(opens + 1);
    expect(me.companions.get(1)?.connection?.routing?.toString()).toBe('sim-route');
  });

  test('a refused login closes with its reason', async () => {
    const { client, me, network } = cast;
    client.reconnect = false;
    const closes = client.closes.length;
    network.faults.set({ refuseLogin: 403 });
    me.disconnect(515);
    await client.closed(closes + 1);
    client.connect();
    expect(await client.closed(closes + 2)).toBe(403);
    network.faults.clear();
    const opens = client.opens;
    client.reconnect = true;
    client.connect();
    await client.opened(opens + 1);
  });

  test('unlink from phone -> 401', async () => {
    const { client, me } = cast;
    const closes = client.closes.length;
    me.unlink(1);
    expect(await client.closed(closes + 1)).toBe(401);
    expect(me.companions.size).toBe(0);
  });

  test('login after unlink -> failure 401', async () => {
    const { client } = cast;
    const closes = client.closes.length;
    client.connect();
    expect(await client.closed(closes + 1)).toBe(401);
  });
});

describe('a companion that logs out', () => {
  beforeEach(async () => {
    cast = await createPairedFixture();
  });

  afterEach(() => cast.end());

  test('logout removes the device from the account', async () => {
    const { client, me } = cast;
    const closes = client.closes.length;
    await client.socket.logout();
    await until(() => me.companions.size === 0, 'the device to be gone');
    expect(await client.closed(closes + 1)).toBe(401);
  });
});

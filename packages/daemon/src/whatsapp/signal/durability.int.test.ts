// Tests with a real Baileys on the simulated network: what is durable when, and what a fault causes.
import { TransportStoreFault } from '@relay/core/ports/transport';
import { describe, expect, it } from 'vitest';
import { until } from './testing/durable-client.ts';
import { MemoryWireStore } from './testing/memory-wire-store.ts';
import { aMoment, openWorld } from './testing/world.ts';

describe('nothing is sent before it is durable', () => {
  it('holds back the receipt of a message until the message is in the inbox', async () => {
    const world = await openWorld();
    const { owner, client } = await world.linked();
    const ann = world.person('Ann');
    await client.keys.settled();
    const before = world.fromDevices('receipt');
    client.store.hold();
    await ann.send(owner, 'hello');
    await aMoment();
    expect(client.keys.stats.received).toBe(1);
    expect(client.texts).toEqual([]);
    expect(client.hints).toBe(0);
    expect(world.fromDevices('receipt')).toBe(before);
    client.store.letGo();
    await until(() => world.fromDevices('receipt') > before, 'the receipt');
    expect(client.texts).toEqual(['hello']);
    expect(client.hints).toBe(1);
  });

  it('holds back a message until the keys that encrypted it are stored', async () => {
    const world = await openWorld();
    const { client } = await world.linked();
    const ann = world.person('Ann');
    await client.send(ann.jid(), 'first');
    await until(() => ann.messages().length === 1, 'the first');
    await client.keys.settled();
    client.store.hold();
    await client.send(ann.jid(), 'second');
    await aMoment();
    expect(ann.messages()).toHaveLength(1);
    client.store.letGo();
    await until(() => ann.messages().length === 2, 'the second');
  });

  it('holds back the answer to pairing until the credentials are stored', async () => {
    const world = await openWorld();
    const owner = world.person('Owner');
    const client = world.device();
    await client.open();
    client.connect();
    const qr = await until(() => client.connections.findLast((update) => update.qr)?.qr, 'a code');
    client.store.hold();
    const signed = () =>
      world.network.stanzas.some(({ stanza }) =>
        JSON.stringify(stanza).includes('pair-device-sign'),
      );
    void owner.scan(qr);
    await until(() => client.keys.credentials.me, 'the pairing');
    await aMoment();
    expect(signed()).toBe(false);
    expect(client.store.disk.credentials).toBeNull();
    client.store.letGo();
    await until(signed, 'the answer');
    expect(Buffer.from(client.store.disk.credentials ?? []).toString()).toContain(owner.phone);
    await until(() => client.count('open') > 0, 'the opening');
  });
});

describe('a fault of the store', () => {
  it('ends the socket, and what was held back is never sent', async () => {
    const world = await openWorld();
    const { owner, client } = await world.linked();
    const ann = world.person('Ann');
    await client.send(ann.jid(), 'first');
    await until(() => ann.messages().length === 1, 'the first');
    await client.keys.settled();
    client.store.hold();
    await client.send(ann.jid(), 'second');
    await ann.send(owner, 'lost to this process');
    await until(() => client.keys.stats.received === 1, 'the message');
    const receipts = world.fromDevices('receipt');
    client.store.break(new TransportStoreFault('lease_lost', 'Another daemon has the account.'));
    await until(() => client.count('close') > 1, 'the close');
    client.store.letGo();
    await aMoment();
    expect(ann.messages().filter(({ fromMe }) => !fromMe)).toHaveLength(1);
    expect(world.fromDevices('receipt')).toBe(receipts);
    await expect(client.keys.saveCredentials({})).rejects.toThrow('Another daemon');
    await expect(client.keys.settled()).rejects.toThrow('Another daemon');

    const again = world.device({
      store: new MemoryWireStore({ disk: client.store.disk }),
    });
    await again.open();
    again.connect();
    await until(() => again.texts.includes('lost to this process'), 'the redelivery');
    await again.send(ann.jid(), 'second');
    await until(() => ann.messages().some(({ text }) => text === 'second'), 'the second');
    expect(ann.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
  });

  it('stops at an unreadable record and changes nothing', async () => {
    const world = await openWorld();
    const { owner, client } = await world.linked();
    const ann = world.person('Ann');
    await ann.send(owner, 'hello');
    await until(() => client.texts.length === 1, 'the message');
    await client.keys.settled();
    await client.end();
    const { disk } = client.store;
    for (const [name, bytes] of disk.keys) {
      if (name.startsWith('1 ')) disk.keys.set(name, bytes.slice(0, 40));
    }
    const stored = new Map(disk.keys);
    const again = world.device({ store: new MemoryWireStore({ disk }) });
    await again.open();
    again.connect();
    await until(() => again.count('open') === 1, 'the opening');
    await ann.send(owner, 'unreadable');
    await until(() => again.count('close') === 1, 'the close');
    await aMoment();
    const sessions = (keys: Map<string, Uint8Array>) =>
      [...keys].filter(([name]) => /^[14] /.test(name));
    expect(sessions(disk.keys)).toEqual(sessions(stored));
    expect(again.texts).toEqual(['hello']);
    await expect(again.keys.settled()).rejects.toMatchObject({ kind: 'unreadable' });
  });

  it('is raised for unreadable credentials, and no new identity is created', async () => {
    const world = await openWorld();
    const store = new MemoryWireStore();
    store.disk.credentials = Buffer.from('{"noiseKey":');
    await expect(world.device({ store }).open()).rejects.toMatchObject({
      kind: 'unreadable',
    });
    store.disk.credentials = Buffer.from('{}');
    await expect(world.device({ store }).open()).rejects.toMatchObject({
      kind: 'unreadable',
    });
  });
});

describe('pre-keys', () => {
  it('are counted in the credentials only once stored, and eight are created in advance', async () => {
    const world = await openWorld();
    const { client } = await world.linked();
    await client.keys.settled();
    const counts = JSON.parse(Buffer.from(client.store.disk.credentials ?? []).toString());
    expect(counts.nextPreKeyId - counts.firstUnuploadedPreKeyId).toBe(8);
    for (let id = counts.firstUnuploadedPreKeyId; id < counts.nextPreKeyId; id++) {
      expect(client.store.disk.keys.has(`3 ${id}`)).toBe(true);
    }
  });
});

// A real Baileys over the simulated network: what is durable when, and what comes of a fault.
import { WireFault } from '@relay/core/ports/wire-store';
import { createNetwork, type Network } from '@relay/simulator/whatsapp/network';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyCache } from './key-cache.ts';
import { DurableClient, type DurableClientOptions, until } from './testing/durable-client.ts';
import { MemoryWireStore } from './testing/memory-wire-store.ts';

let network: Network;
let clients: DurableClient[];
let phones = 0;

beforeEach(async () => {
  network = await createNetwork();
  clients = [];
});

afterEach(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await network.close();
});

async function linked(options: DurableClientOptions = {}) {
  const owner = network.addAccount({ phone: `4915500000${++phones}`, name: 'Owner' });
  const client = new DurableClient(network.url, options);
  clients.push(client);
  await client.pair(owner);
  return { owner, client };
}

const person = (name: string) =>
  network.addAccount({ phone: `4915600000${++phones}`, name, habits: { receipts: true } });

/** Stanzas that the network has from companions since it was last asked to forget. */
const sentByCompanions = (tag: string) =>
  network.stanzas.filter(({ direction, stanza }) => direction === 'in' && stanza.tag === tag);

/** The ciphertexts that the network handed to the client. */
const ciphertexts = (match: (stanza: BinaryNode) => boolean = () => true) =>
  network.stanzas
    .filter(
      ({ direction, stanza }) => direction === 'out' && stanza.tag === 'message' && match(stanza),
    )
    .flatMap(({ stanza }) => {
      const encs = Array.isArray(stanza.content)
        ? stanza.content.filter(({ tag }) => tag === 'enc')
        : [];
      return encs.map(({ attrs, content }) => ({
        from: String(stanza.attrs.participant ?? stanza.attrs.from),
        type: attrs.type as 'pkmsg' | 'msg',
        ciphertext: Buffer.from(content as Uint8Array),
      }));
    });

const aMoment = () => new Promise((resolve) => setTimeout(resolve, 200));

const numbered = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`);

describe('messages both ways at once with one contact', () => {
  it.each([
    ['commits at once', 0, undefined],
    ['commits that take 3 ms', 3, undefined],
    ['a cache that holds next to nothing', 1, new KeyCache({ maxBytes: 3000 })],
  ])('200 of 200 arrive in either direction with %s', async (_title, delayMs, cache) => {
    const { owner, client } = await linked({
      store: new MemoryWireStore({ delayMs }),
      ...(cache && { cache }),
    });
    const ann = person('Ann');
    await ann.send(owner, 'hello');
    await until(() => client.texts.includes('hello'), 'the greeting');
    await client.send(ann.jid(), 'hello back');

    const incoming = numbered('in', 200);
    const outgoing = numbered('out', 200);
    await Promise.all([
      ...incoming.map((text) => ann.send(owner, text)),
      ...outgoing.map((text) => client.send(ann.jid(), text)),
    ]);

    await until(() => client.texts.length >= 201, 'all that came in', 30_000);
    expect(new Set(client.texts)).toEqual(new Set(['hello', ...incoming]));
    const got = () => ann.messages().filter(({ fromMe }) => !fromMe);
    await until(() => got().length >= 201, 'all that went out', 30_000);
    expect(ann.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
    expect(client.keys.stats).toMatchObject({ received: 201, undecryptable: 0 });
    expect(client.hints).toBeGreaterThan(0);
  });
});

describe('nothing leaves before it is durable', () => {
  it('keeps the receipt of a message back until the message is in the inbox', async () => {
    const { owner, client } = await linked();
    const ann = person('Ann');
    await client.keys.settled();
    const before = sentByCompanions('receipt').length;
    client.store.hold();
    await ann.send(owner, 'hello');
    await aMoment();
    expect(client.keys.stats.received).toBe(1);
    expect(client.texts).toEqual([]);
    expect(client.hints).toBe(0);
    expect(sentByCompanions('receipt').length).toBe(before);
    client.store.letGo();
    await until(() => sentByCompanions('receipt').length > before, 'the receipt');
    expect(client.texts).toEqual(['hello']);
    expect(client.hints).toBe(1);
  });

  it('keeps a message back until the keys that sealed it are stored', async () => {
    const { client } = await linked();
    const ann = person('Ann');
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

  it('keeps the answer to pairing back until the credentials are stored', async () => {
    const owner = network.addAccount({ phone: `4915500000${++phones}`, name: 'Owner' });
    const client = new DurableClient(network.url);
    clients.push(client);
    await client.open();
    client.connect();
    const qr = await until(() => client.connections.findLast((update) => update.qr)?.qr, 'a code');
    client.store.hold();
    const signed = () =>
      network.stanzas.some(({ stanza }) => JSON.stringify(stanza).includes('pair-device-sign'));
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
  it('ends the socket, and what was held back never leaves', async () => {
    const { owner, client } = await linked();
    const ann = person('Ann');
    await client.send(ann.jid(), 'first');
    await until(() => ann.messages().length === 1, 'the first');
    await client.keys.settled();
    client.store.hold();
    await client.send(ann.jid(), 'second');
    await ann.send(owner, 'lost to this process');
    await until(() => client.keys.stats.received === 1, 'the message');
    const receipts = sentByCompanions('receipt').length;
    client.store.break(new WireFault('lease_lost', 'Another daemon has the account.'));
    await until(() => client.count('close') > 1, 'the close');
    client.store.letGo();
    await aMoment();
    expect(ann.messages().filter(({ fromMe }) => !fromMe)).toHaveLength(1);
    expect(sentByCompanions('receipt').length).toBe(receipts);
    await expect(client.keys.saveCredentials({})).rejects.toThrow('Another daemon');
    await expect(client.keys.settled()).rejects.toThrow('Another daemon');

    const again = new DurableClient(network.url, {
      store: new MemoryWireStore({ disk: client.store.disk }),
    });
    clients.push(again);
    await again.open();
    again.connect();
    await until(() => again.texts.includes('lost to this process'), 'the redelivery');
    await again.send(ann.jid(), 'second');
    await until(() => ann.messages().some(({ text }) => text === 'second'), 'the second');
    expect(ann.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
  });

  it('stops at a record that cannot be read, and changes nothing', async () => {
    const { owner, client } = await linked();
    const ann = person('Ann');
    await ann.send(owner, 'hello');
    await until(() => client.texts.length === 1, 'the message');
    await client.keys.settled();
    await client.end();
    const { disk } = client.store;
    for (const [name, bytes] of disk.keys) {
      if (name.startsWith('1 ')) disk.keys.set(name, bytes.slice(0, 40));
    }
    const stored = new Map(disk.keys);
    const again = new DurableClient(network.url, { store: new MemoryWireStore({ disk }) });
    clients.push(again);
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

  it('is what credentials that cannot be read are, and never a new identity', async () => {
    const store = new MemoryWireStore();
    store.disk.credentials = Buffer.from('{"noiseKey":');
    await expect(new DurableClient(network.url, { store }).open()).rejects.toMatchObject({
      kind: 'unreadable',
    });
    store.disk.credentials = Buffer.from('{}');
    await expect(new DurableClient(network.url, { store }).open()).rejects.toMatchObject({
      kind: 'unreadable',
    });
  });
});

describe('a ciphertext that comes again', () => {
  it('is answered with what was in it, once in the inbox', async () => {
    const { owner, client } = await linked({ store: new MemoryWireStore({ delayMs: 2 }) });
    const ann = person('Ann');
    network.faults.set({ duplicateDeliveries: true });
    for (const text of numbered('twice', 10)) await ann.send(owner, text);
    await until(() => client.keys.stats.journalHits === 10, 'the repetitions');
    expect(client.texts).toEqual(numbered('twice', 10));
    expect(client.keys.stats).toMatchObject({ received: 10, undecryptable: 0 });
  });

  it('is not answered under the name of another sender', async () => {
    const { owner, client } = await linked();
    const ann = person('Ann');
    const eve = person('Eve');
    await eve.send(owner, 'I am Eve');
    await ann.send(owner, 'a secret of Ann');
    await until(() => client.texts.length === 2, 'the messages');
    const { signalRepository } = client.socket;
    const secret = ciphertexts(({ attrs }) => attrs.from === ann.jid()).at(-1);
    if (!secret) throw new Error('the network did not see it');
    const { type, ciphertext } = secret;
    const again = await signalRepository.decryptMessage({ jid: ann.jid(), type, ciphertext });
    expect(Buffer.from(again).toString()).toContain('a secret of Ann');
    await expect(
      signalRepository.decryptMessage({ jid: eve.jid(), type, ciphertext }),
    ).rejects.toThrow();
    expect(client.keys.stats).toMatchObject({ journalHits: 1, undecryptable: 1 });
  });

  it('is answered too when the own phone sent it, which is no mail', async () => {
    const { client } = await linked();
    const shared = ciphertexts(({ attrs }) => attrs.category === 'peer');
    expect(shared.length).toBeGreaterThan(0);
    for (const { from, type, ciphertext } of shared) {
      const plain = await client.socket.signalRepository.decryptMessage({
        jid: from,
        type,
        ciphertext,
      });
      expect(plain.length).toBeGreaterThan(0);
    }
    expect(client.keys.stats).toMatchObject({ journalHits: shared.length, received: 0 });
    expect(client.store.disk.inbox.size).toBe(0);
  });
});

describe('groups', () => {
  it('reads messages in any order, also across a restart, and is read by the members', async () => {
    const { owner, client } = await linked();
    const ann = person('Ann');
    const group = network.createGroup({ subject: 'Us', owner: ann, members: [owner] });
    await ann.send(group.jid, 'first');
    await until(() => client.texts.length === 1, 'the first');
    const latest = ciphertexts(({ attrs }) => attrs.from === group.jid).at(-1);
    await client.end();
    for (const text of numbered('later', 4)) await ann.send(group.jid, text);
    const companion = owner.companions.get(1);
    companion?.pending.reverse();

    const again = new DurableClient(network.url, {
      store: new MemoryWireStore({ disk: client.store.disk }),
      cache: new KeyCache({ maxBytes: 1 }),
    });
    clients.push(again);
    await again.open();
    again.connect();
    await until(() => again.texts.length === 5, 'the rest');
    expect(again.texts.slice(1)).toEqual(numbered('later', 4).reverse());
    const repeated = {
      group: group.jid,
      authorJid: latest?.from ?? '',
      msg: latest?.ciphertext ?? Buffer.alloc(0),
    };
    const plain = await again.socket.signalRepository.decryptGroupMessage(repeated);
    expect(Buffer.from(plain).toString()).toContain('first');

    for (const text of numbered('answer', 3)) await again.send(group.jid, text);
    const answers = () => ann.messages().filter(({ fromMe }) => !fromMe);
    await until(() => answers().length === 3, 'the answers');
    expect(ann.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
    expect(again.keys.stats.undecryptable).toBe(0);
  });
});

describe('pre-keys', () => {
  it('are counted in the credentials only when stored, and eight are kept in advance', async () => {
    const { client } = await linked();
    await client.keys.settled();
    const counts = JSON.parse(Buffer.from(client.store.disk.credentials ?? []).toString());
    expect(counts.nextPreKeyId - counts.firstUnuploadedPreKeyId).toBe(8);
    for (let id = counts.firstUnuploadedPreKeyId; id < counts.nextPreKeyId; id++) {
      expect(client.store.disk.keys.has(`3 ${id}`)).toBe(true);
    }
  });
});

describe('many accounts in one process', () => {
  it('keep their keys apart while one contact writes to all of them at once', async () => {
    const cache = new KeyCache();
    const accounts = [await linked({ cache }), await linked({ cache }), await linked({ cache })];
    const ann = person('Ann');
    const texts = numbered('to all', 30);
    await Promise.all(
      accounts.flatMap(({ owner, client }) => [
        ...texts.map((text) => ann.send(owner, text)),
        ...texts.map((text) => client.send(ann.jid(), text)),
      ]),
    );
    for (const { client } of accounts) {
      await until(() => client.texts.length === 30, 'all messages');
      expect(client.keys.stats.undecryptable).toBe(0);
    }
    await until(() => ann.messages().filter(({ fromMe }) => !fromMe).length === 90, 'all answers');
    expect(ann.counts()).toMatchObject({ undecryptable: 0 });
  });
});

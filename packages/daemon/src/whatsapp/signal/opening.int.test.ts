import { EMPTY_MESSAGE } from '@relay/core/ports/transport';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, it } from 'vitest';
import { KeyCache } from './key-records.ts';
import { until } from './testing/durable-client.ts';
import { MemoryWireStore } from './testing/memory-wire-store.ts';
import { numbered, openWorld } from './testing/world.ts';

// PROPERTY_RUNS requests the long run.
const COUNT = process.env.PROPERTY_RUNS ? 200 : 60;

describe('messages both ways at once with one contact', () => {
  it.each([
    ['commits at once', 0, undefined],
    ['commits that take 3 ms', 3, undefined],
    ['a cache that holds next to nothing', 1, new KeyCache({ maxBytes: 3000 })],
  ])('all arrive in both directions with %s', async (_title, delayMs, cache) => {
    const world = await openWorld();
    const { owner, client } = await world.linked({
      store: new MemoryWireStore({ delayMs }),
      ...(cache && { cache }),
    });
    const ann = world.person('Ann');
    await ann.send(owner, 'hello');
    await until(() => client.texts.includes('hello'), 'the greeting');
    await client.send(ann.jid(), 'hello back');

    const incoming = numbered('in', COUNT);
    const outgoing = numbered('out', COUNT);
    await Promise.all([
      ...incoming.map((text) => ann.send(owner, text)),
      ...outgoing.map((text) => client.send(ann.jid(), text)),
    ]);

    await until(() => client.texts.length > COUNT, 'all received messages', 30_000);
    expect(new Set(client.texts)).toEqual(new Set(['hello', ...incoming]));
    const got = () => ann.messages().filter(({ fromMe }) => !fromMe);
    await until(() => got().length > COUNT, 'all that went out', 30_000);
    expect(ann.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
    expect(client.keys.stats).toMatchObject({ received: COUNT + 1, undecryptable: 0 });
    expect(client.hints).toBeGreaterThan(0);
  });
});

describe('a new session while messages of the old one are in transit', () => {
  /** Both have written, so that the session is established. */
  async function acquainted() {
    const world = await openWorld();
    const { owner, client } = await world.linked();
    const ann = world.person('Ann');
    const unread: string[] = [];
    world.network.events.on('undecryptable', ({ id }) => unread.push(id));
    const got = () => ann.messages().flatMap(({ fromMe, text }) => (fromMe ? [] : (text ?? [])));
    await ann.send(owner, 'hello');
    await until(() => client.texts.length === 1, 'the greeting');
    await client.send(ann.jid(), 'hello back');
    await until(() => got().length === 1, 'the answer');
    return { world, owner, client, ann, got, unread };
  }

  it('still decrypts what is sent on it', async () => {
    const { owner, client, ann, got, unread } = await acquainted();
    await client.socket.assertSessions([ann.jid()], true);
    await ann.send(owner, 'on the old one');
    await until(() => client.texts.length === 2, 'the message of the old session');
    await client.send(ann.jid(), 'on the new one');
    await until(() => got().length === 2, 'the message of the new session');
    expect(got().at(-1)).toBe('on the new one');
    expect(unread).toEqual([]);
  });

  it('still decrypts what is answered on it', async () => {
    const { world, owner, client, ann, got } = await acquainted();
    await client.socket.assertSessions([ann.jid()], true);
    world.network.faults.set({ latencyMs: 300 });
    await ann.send(owner, 'on the old one');
    await client.send(ann.jid(), 'on the new one');
    await until(() => got().length === 2, 'the message of the new session');
    expect(client.texts).toHaveLength(1);
    await ann.send(owner, 'answered on the new one');
    await until(() => client.texts.length === 3, 'both');
    expect(client.texts.slice(1)).toEqual(['on the old one', 'answered on the new one']);
    expect(client.keys.stats).toMatchObject({ undecryptable: 0 });
  });
});

describe('a ciphertext that arrives again', () => {
  it('is acknowledged and stored once in the inbox, although the journal has no copy of it', async () => {
    const world = await openWorld();
    const { owner, client } = await world.linked({ store: new MemoryWireStore({ delayMs: 2 }) });
    const ann = world.person('Ann');
    const unread: string[] = [];
    world.network.events.on('undecryptable', ({ id }) => unread.push(id));
    world.network.faults.set({ duplicateDeliveries: true });
    for (const text of numbered('twice', 10)) await ann.send(owner, text);
    await until(() => client.keys.stats.journalHits === 10, 'the repetitions');
    expect(client.texts).toEqual(numbered('twice', 10));
    world.network.faults.set({ duplicateDeliveries: false });
    await ann.send(owner, 'afterwards');
    await until(() => client.texts.includes('afterwards'), 'what came behind them');
    expect(client.keys.stats).toMatchObject({ received: 11, undecryptable: 0 });
    expect(unread).toEqual([]);
  });

  it('is not answered for another sender', async () => {
    const world = await openWorld();
    const { owner, client } = await world.linked();
    const ann = world.person('Ann');
    const eve = world.person('Eve');
    await eve.send(owner, 'I am Eve');
    await ann.send(owner, 'a secret of Ann');
    await until(() => client.texts.length === 2, 'the messages');
    const { signalRepository } = client.socket;
    const secret = world.ciphertexts(({ attrs }) => attrs.from === ann.jid()).at(-1);
    if (!secret) throw new Error('the network did not see it');
    const { type, ciphertext } = secret;
    const again = await signalRepository.decryptMessage({ jid: ann.jid(), type, ciphertext });
    expect(new Uint8Array(again)).toEqual(EMPTY_MESSAGE);
    await expect(
      signalRepository.decryptMessage({ jid: eve.jid(), type, ciphertext }),
    ).rejects.toThrow();
    expect(client.keys.stats).toMatchObject({ journalHits: 1, undecryptable: 1 });
  });

  it('is answered from the journal if the own phone sent it, although it is not an inbox message', async () => {
    const world = await openWorld();
    const { client } = await world.linked();
    const shared = world.ciphertexts(({ attrs }) => attrs.category === 'peer');
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
  it('decrypts messages in any order, also after a restart, and is decrypted by the members', async () => {
    const world = await openWorld();
    const { owner, client } = await world.linked();
    const ann = world.person('Ann');
    const group = world.network.createGroup({ subject: 'Us', owner: ann, members: [owner] });
    await ann.send(group.jid, 'first');
    await until(() => client.texts.length === 1, 'the first');
    const latest = world.ciphertexts(({ attrs }) => attrs.from === group.jid).at(-1);
    await client.end();
    for (const text of numbered('later', 4)) await ann.send(group.jid, text);
    const companion = owner.companions.get(1);
    companion?.pending.reverse();

    const again = world.device({
      store: new MemoryWireStore({ disk: client.store.disk }),
      cache: new KeyCache({ maxBytes: 1 }),
    });
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
    expect(new Uint8Array(plain)).toEqual(EMPTY_MESSAGE);

    for (const text of numbered('answer', 3)) await again.send(group.jid, text);
    const answers = () => ann.messages().filter(({ fromMe }) => !fromMe);
    await until(() => answers().length === 3, 'the answers');
    expect(ann.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
    expect(again.keys.stats.undecryptable).toBe(0);
  });
});

describe('many accounts in one process', () => {
  it('keep their keys separate while one contact writes to all of them at once', async () => {
    const world = await openWorld();
    const cache = new KeyCache();
    const accounts = [
      await world.linked({ cache }),
      await world.linked({ cache }),
      await world.linked({ cache }),
    ];
    const ann = world.person('Ann');
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

describe('a message under the LID of a contact who was known by number only', () => {
  /** Their session began under the number, and nobody has asked for their devices. */
  async function knownByNumber() {
    const world = await openWorld();
    const { owner, client } = await world.linked();
    const ann = world.person('Ann');
    ann.knownAs = 'pn';
    await ann.send(owner, 'by number');
    await until(() => client.texts.length === 1, 'the first message');
    const asksAgain = () =>
      world.network.stanzas.filter(
        ({ direction, stanza }) =>
          direction === 'in' && stanza.tag === 'receipt' && stanza.attrs.type === 'retry',
      ).length;
    return { owner, client, ann, asksAgain };
  }

  it('is decrypted with the session of the number, without a retry', async () => {
    verifies('IDENTITY-LID-SESSION');
    const { owner, client, ann, asksAgain } = await knownByNumber();
    ann.knownAs = 'both';
    await ann.send(owner, 'by LID');
    await ann.send(owner, 'by LID again');
    await until(() => client.texts.length === 3, 'the messages under the LID');
    expect(client.texts).toEqual(['by number', 'by LID', 'by LID again']);
    expect(asksAgain()).toBe(0);
    expect(client.keys.stats.undecryptable).toBe(0);
    await client.send(ann.jid('pn'), 'an answer');
    await until(() => ann.counts().distinct === 1, 'the answer');
    expect(ann.counts().undecryptable).toBe(0);
  });

  it('is decrypted even if the message does not contain the number, which was looked up before', async () => {
    verifies('IDENTITY-LID-SESSION');
    const { owner, client, ann, asksAgain } = await knownByNumber();
    ann.knownAs = 'lid';
    const { lidMapping } = client.socket.signalRepository;
    expect(await lidMapping.getLIDForPN(ann.jid('pn'))).toBe(ann.jid('lid'));
    await ann.send(owner, 'by LID');
    await until(() => client.texts.length === 2, 'the message under the LID');
    expect(asksAgain()).toBe(0);
  });

  it('is decrypted even if a session under the LID began meanwhile, which stays valid', async () => {
    verifies('IDENTITY-LID-SESSION');
    const { owner, client, ann, asksAgain } = await knownByNumber();
    ann.knownAs = 'both';
    ann.switchOff();
    await client.send(ann.jid('pn'), 'on a session under the LID');
    await ann.send(owner, 'on the session under the number');
    await until(() => client.texts.length === 2, 'the message of the older session');
    ann.switchOn();
    await until(() => ann.counts().distinct === 1, 'the message on the newer session');
    await ann.send(owner, 'on the newer session');
    await until(() => client.texts.length === 3, 'the message of the newer session');
    await client.send(ann.jid('lid'), 'goodbye');
    await until(() => ann.counts().distinct === 2, 'the last message');
    expect(asksAgain()).toBe(0);
    expect(ann.counts().undecryptable).toBe(0);
    expect(client.keys.stats.undecryptable).toBe(0);
  });
});

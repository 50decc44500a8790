// Tests of what every TransportStore guarantees, run against the one in memory and the one in PostgreSQL, so that tests
// on the first are valid for the second.
import {
  EMPTY_MESSAGE,
  type InboxEntry,
  type TransportStore,
  type TransportStoreFault,
  type TransportUnit,
} from '@relay/core/ports/transport';
import { describe, expect, test } from 'vitest';

export interface WireStoreFixture {
  /** Opens the account's store; one that was open before becomes unusable. */
  open(): Promise<TransportStore>;
  /** The stored messages in order, as `<chat> <sender> <id> <content>`. */
  inbox(): Promise<string[]>;
  /** Corrupts the stored credentials. */
  damageCredentials(): Promise<void>;
  /** Makes the next writes fail as if the database had gone. */
  breakDown(): Promise<void>;
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | null | undefined): string | null =>
  value ? new TextDecoder().decode(value) : null;

export const message = (id: string, content = id): InboxEntry => ({
  chat: 'chat',
  sender: 'sender',
  id,
  stanza: bytes('{}'),
  content: bytes(content),
});

const put = (id: string, value: string): TransportUnit => ({
  keys: [{ kind: 1, id, value: bytes(value) }],
});

export function wireStoreBehaviour(name: string, makeWorld: () => Promise<WireStoreFixture>): void {
  describe(`a transport store ${name}`, () => {
    test('has no credentials and no keys for an account that was never linked', async () => {
      const store = await (await makeWorld()).open();
      expect(await store.credentials()).toBeNull();
      expect(await store.read(1, ['a', 'b'])).toEqual(new Map());
      expect(await store.journal(bytes('x'.repeat(32)))).toBeNull();
    });

    test('has everything of a durable unit, also when opened again', async () => {
      const world = await makeWorld();
      const first = await world.open();
      const digest = bytes('d'.repeat(32));
      await first.submit({
        credentials: bytes('me'),
        keys: [
          { kind: 1, id: 'a', value: bytes('session') },
          { kind: 2, id: 'a', value: bytes('other kind') },
          { kind: 1, id: 'empty', value: bytes('') },
        ],
        journal: [{ digest, plain: bytes('hello') }],
        inbox: [message('1', 'hello')],
      });
      await first.close();
      const store = await world.open();
      expect(text(await store.credentials())).toBe('me');
      const keys = await store.read(1, ['a', 'absent', 'empty']);
      expect([...keys].map(([id, value]) => [id, text(value)])).toEqual(
        expect.arrayContaining([
          ['a', 'session'],
          ['empty', ''],
        ]),
      );
      expect(keys.size).toBe(2);
      expect(text(await store.journal(digest))).toBe('hello');
      expect(await world.inbox()).toEqual(['chat sender 1 hello']);
    });

    test('keeps the last of many writes to a key, and nothing after a deletion', async () => {
      const store = await (await makeWorld()).open();
      void store.submit(put('a', '1'));
      void store.submit(put('b', '1'));
      void store.submit(put('a', '2'));
      void store.submit({ keys: [{ kind: 1, id: 'b', value: null }] });
      await store.submit({});
      const keys = await store.read(1, ['a', 'b']);
      expect([...keys].map(([id, value]) => [id, text(value)])).toEqual([['a', '2']]);
      await store.submit({ keys: [{ kind: 1, id: 'a', value: null }] });
      await store.submit(put('b', '3'));
      expect([...(await store.read(1, ['a', 'b'])).keys()]).toEqual(['b']);
    });

    test('stores a message once and keeps the order of arrival', async () => {
      const world = await makeWorld();
      const store = await world.open();
      const ids = Array.from({ length: 60 }, (_, index) => `m${index}`);
      for (const id of ids) void store.submit({ inbox: [message(id), message(id, 'again')] });
      await store.submit({ inbox: [message('m7', 'later')] });
      expect(await world.inbox()).toEqual(ids.map((id) => `chat sender ${id} ${id}`));
    });

    test('keeps the plaintext of the first decryption of a ciphertext', async () => {
      const store = await (await makeWorld()).open();
      const digest = bytes('e'.repeat(32));
      await store.submit({ journal: [{ digest, plain: bytes('first') }] });
      await store.submit({ journal: [{ digest, plain: bytes('second') }] });
      expect(text(await store.journal(digest))).toBe('first');
    });

    test('knows a ciphertext whose content went to the inbox, and keeps no copy of it', async () => {
      const store = await (await makeWorld()).open();
      const digest = bytes('e'.repeat(32));
      await store.submit({ journal: [{ digest, plain: null }], inbox: [message('1', 'hello')] });
      expect(new Uint8Array((await store.journal(digest)) ?? [])).toEqual(EMPTY_MESSAGE);
      await store.submit({ journal: [{ digest, plain: bytes('again') }] });
      expect(new Uint8Array((await store.journal(digest)) ?? [])).toEqual(EMPTY_MESSAGE);
    });

    test.each([
      ['NUL', 'a\0b'],
      ['a lone surrogate', 'a\ud800b'],
      ['nothing', ''],
      ['a mark of our own', '~x'],
      ['slashes and quotes', 'a/b"{,}\\'],
      ['too much for an index', Array.from({ length: 6_000 }, (_, i) => i.toString(36)).join('')],
    ])('accepts ids with %s', async (_, id) => {
      const world = await makeWorld();
      const store = await world.open();
      const entry = { ...message('1', 'hi'), chat: id, sender: id, id };
      await store.submit({ ...put(id, 'value'), inbox: [entry] });
      expect(text((await store.read(1, [id])).get(id))).toBe('value');
      expect(await world.inbox()).toHaveLength(1);
    });

    test('counts submitted and durable units, and reports when one is durable', async () => {
      const store = await (await makeWorld()).open();
      const seen: number[] = [];
      const stop = store.onDurable(() => seen.push(store.durable));
      const units = Array.from({ length: 5 }, (_, index) => store.submit(put('a', `${index}`)));
      expect([store.submitted, store.durable]).toEqual([5, 0]);
      await Promise.all(units);
      expect([store.submitted, store.durable]).toEqual([5, 5]);
      expect(seen.at(-1)).toBe(5);
      stop();
      await store.submit(put('a', 'more'));
      expect(seen.at(-1)).toBe(5);
    });

    test('deletes credentials and keys in order with other units, and keeps received messages', async () => {
      const world = await makeWorld();
      const store = await world.open();
      const digest = bytes('f'.repeat(32));
      void store.submit({ ...put('a', '1'), credentials: bytes('me'), inbox: [message('1')] });
      void store.submit({ journal: [{ digest, plain: bytes('kept') }] });
      void store.forget();
      await store.submit(put('b', 'of the next link'));
      expect(await store.credentials()).toBeNull();
      expect([...(await store.read(1, ['a', 'b'])).keys()]).toEqual(['b']);
      expect(text(await store.journal(digest))).toBe('kept');
      expect(await world.inbox()).toHaveLength(1);
      expect(store.durable).toBe(4);
    });

    test('makes the first store unusable when opened a second time', async () => {
      const world = await makeWorld();
      const first = await world.open();
      const faults = faultsOf(first);
      await first.submit(put('a', '1'));
      const second = await world.open();
      await expect(first.submit(put('a', '2'))).rejects.toMatchObject({ kind: 'lease_lost' });
      await expect(first.read(1, ['a'])).rejects.toMatchObject({ kind: 'lease_lost' });
      expect(text((await second.read(1, ['a'])).get('a'))).toBe('1');
      expect(faults).toEqual(['lease_lost']);
    });

    test('faults permanently on an unreadable record, and rewrites nothing', async () => {
      const world = await makeWorld();
      const first = await world.open();
      await first.submit({ credentials: bytes('me') });
      await world.damageCredentials();
      const store = await world.open();
      const faults = faultsOf(store);
      await expect(store.credentials()).rejects.toMatchObject({ kind: 'unreadable' });
      await expect(store.submit({ credentials: bytes('new') })).rejects.toMatchObject({
        kind: 'unreadable',
      });
      expect(faults).toEqual(['unreadable']);
      await expect((await world.open()).credentials()).rejects.toMatchObject({
        kind: 'unreadable',
      });
    });

    test('faults and rejects pending units when the database goes away, and works when opened again', async () => {
      const world = await makeWorld();
      const first = await world.open();
      await first.submit(put('a', '1'));
      const faults = faultsOf(first);
      await world.breakDown();
      const lost = [first.submit(put('a', '2')), first.submit(put('a', '3'))];
      for (const unit of lost) await expect(unit).rejects.toMatchObject({ kind: 'unavailable' });
      expect(faults).toEqual(['unavailable']);
      expect(first.durable).toBe(1);
      const late: string[] = [];
      first.onFault((fault) => late.push(fault.kind));
      const store = await world.open();
      expect(late).toEqual(['unavailable']);
      expect(text((await store.read(1, ['a'])).get('a'))).toBe('1');
      await store.submit(put('a', '4'));
      expect(text((await store.read(1, ['a'])).get('a'))).toBe('4');
    });

    test('writes everything submitted before close, and nothing after', async () => {
      const world = await makeWorld();
      const first = await world.open();
      const faults = faultsOf(first);
      void first.submit(put('a', '1'));
      await first.close();
      await expect(first.submit(put('a', '2'))).rejects.toMatchObject({ kind: 'unavailable' });
      const store = await world.open();
      expect(text((await store.read(1, ['a'])).get('a'))).toBe('1');
      expect(faults).toEqual([]);
    });
  });
}

function faultsOf(store: TransportStore): TransportStoreFault['kind'][] {
  const kinds: TransportStoreFault['kind'][] = [];
  store.onFault((fault) => kinds.push(fault.kind));
  return kinds;
}

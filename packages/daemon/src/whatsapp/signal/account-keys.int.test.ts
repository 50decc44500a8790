// A real Baileys over the simulated network: what is durable when, and what comes of a fault.
import { createNetwork, type Network } from '@relay/simulator/whatsapp/network';
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

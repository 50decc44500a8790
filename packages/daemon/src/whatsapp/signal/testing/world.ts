// A simulated network for a test, devices linked to it, and a record of what crossed it.
import { createNetwork, type Network } from '@relay/simulator/whatsapp/network';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { onTestFinished } from 'vitest';
import { DurableClient, type DurableClientOptions } from './durable-client.ts';

const FIRST_PHONE = 4_915_500_000_000;

export interface World {
  readonly network: Network;
  /** A Relay device that is not linked yet. */
  device(options?: DurableClientOptions): DurableClient;
  linked(options?: DurableClientOptions): Promise<{ owner: Person; client: DurableClient }>;
  person(name: string): Person;
  /** The number of stanzas with this tag from devices. */
  fromDevices(tag: string): number;
  /** What the network delivered to devices. */
  ciphertexts(match: (stanza: BinaryNode) => boolean): Ciphertext[];
}

export type Person = ReturnType<Network['addAccount']>;

export interface Ciphertext {
  readonly from: string;
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Buffer;
}

export async function openWorld(): Promise<World> {
  const network = await createNetwork();
  const clients: DurableClient[] = [];
  let people = 0;
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await network.close();
  });
  const person = (name: string) =>
    network.addAccount({ phone: String(FIRST_PHONE + ++people), name });
  const device = (options?: DurableClientOptions) => {
    const client = new DurableClient(network.url, options);
    clients.push(client);
    return client;
  };
  return {
    network,
    person,
    device,
    async linked(options) {
      const owner = person('Owner');
      const client = device(options);
      await client.pair(owner);
      return { owner, client };
    },
    fromDevices: (tag) =>
      network.stanzas.filter(({ direction, stanza }) => direction === 'in' && stanza.tag === tag)
        .length,
    ciphertexts: (match) =>
      network.stanzas
        .filter(({ direction, stanza }) => direction === 'out' && stanza.tag === 'message')
        .flatMap(({ stanza }) => (match(stanza) ? sealedIn(stanza) : [])),
  };
}

function sealedIn({ attrs, content }: BinaryNode): Ciphertext[] {
  const parts = Array.isArray(content) ? content.filter(({ tag }) => tag === 'enc') : [];
  return parts.map((part) => ({
    from: String(attrs.participant ?? attrs.from),
    type: part.attrs.type as Ciphertext['type'],
    ciphertext: Buffer.from(part.content as Uint8Array),
  }));
}

export const aMoment = () => new Promise((resolve) => setTimeout(resolve, 200));

export const numbered = (word: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`);

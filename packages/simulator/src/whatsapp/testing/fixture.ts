// Test fixture: a network, its people, and a paired client of the first one. Invariant: a test that leaves the
// simulator with a failure or an unknown request fails.
import { expect } from 'vitest';
import { createNetwork, type Network } from '../network.ts';
import type { SimulatedAccount } from '../people/account.ts';
import type { SeenMessage } from '../people/mailbox.ts';
import { Client, until } from './client.ts';

export interface NetworkFixture {
  network: Network;
  me: SimulatedAccount;
  bob: SimulatedAccount;
  carol: SimulatedAccount;
  client: Client;
  end(): Promise<void>;
}

/** Creates all people; the client is not connected yet. */
export async function createFixture(): Promise<NetworkFixture> {
  const network = await createNetwork();
  const client = new Client(network);
  return {
    network,
    me: network.addAccount({ phone: '15550000001', name: 'Me' }),
    bob: network.addAccount({ phone: '15550000002', name: 'Bob' }),
    carol: network.addAccount({ phone: '15550000003', name: 'Carol' }),
    client,
    end: async () => {
      await client.end();
      await network.close();
    },
  };
}

export async function createPairedFixture(): Promise<NetworkFixture> {
  const cast = await createFixture();
  await cast.client.pair(cast.me);
  return cast;
}

export function expectNoFailures({ network }: NetworkFixture): void {
  expect(network.failures).toEqual([]);
  expect([...network.unknown]).toEqual([]);
}

export function waitForText(person: SimulatedAccount, text: string): Promise<SeenMessage> {
  return until(
    () => person.messages().find((message) => message.text === text),
    `${person.name} to see "${text}"`,
  );
}

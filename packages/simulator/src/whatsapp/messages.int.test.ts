import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, type Network } from './network.ts';
import type { Account } from './people/account.ts';
import { Client, until } from './testing/client.ts';

let network: Network;
let me: Account;
let bob: Account;
let client: Client;

beforeAll(async () => {
  network = await createNetwork();
  me = network.addAccount({ phone: '15550000001', name: 'Me' });
  bob = network.addAccount({ phone: '15550000002', name: 'Bob' });
  client = await new Client(network).pair(me);
});

afterEach(() => {
  expect(network.failures).toEqual([]);
  expect([...network.unknown]).toEqual([]);
});

afterAll(async () => {
  await client.end();
  await network.close();
});

const seenBy = (person: Account, text: string) =>
  until(
    () => person.messages().find((message) => message.text === text),
    `${person.name} to see "${text}"`,
  );

describe('between two people', () => {
  test('1:1 in, LID addressed', async () => {
    const id = await bob.send(me, 'in-lid', { addressing: 'lid' });
    const message = await client.received('in-lid');
    expect(message.upsertType).toBe('notify');
    expect(message.pushName).toBe('Bob');
    expect(message.key).toMatchObject({
      id,
      fromMe: false,
      remoteJid: bob.jid('lid'),
      remoteJidAlt: bob.jid('pn'),
    });
    await until(() => bob.messages({ with: me })[0]?.status === 'delivered', 'the second tick');
  });

  test('1:1 in, PN addressed', async () => {
    await bob.send(me, 'in-pn', { addressing: 'pn' });
    const { key } = await client.received('in-pn');
    expect(key).toMatchObject({ remoteJid: bob.jid('pn'), remoteJidAlt: bob.jid('lid') });
  });

  test('1:1 out + delivered + read', async () => {
    bob.habits.reads = true;
    const acks: string[] = [];
    client.socket.ws.on('CB:ack,class:message', (ack: { attrs: { id: string } }) =>
      acks.push(ack.attrs.id),
    );
    const sent = await client.socket.sendMessage(bob.jid('pn'), { text: 'out-1' });
    const seen = await seenBy(bob, 'out-1');
    expect(seen).toMatchObject({ id: sent?.key.id, from: me.phone, chat: me.phone, fromMe: false });
    await until(() => client.status(sent?.key.id) === 4, 'read');
    expect(acks).toEqual([sent?.key.id]);
    expect(seen.status).toBe('read');
    bob.habits.reads = false;
  });

  test('own phone copy (DSM)', async () => {
    const sent = await client.socket.sendMessage(bob.jid('pn'), { text: 'out-dsm' });
    const copy = await seenBy(me, 'out-dsm');
    expect(copy).toMatchObject({ id: sent?.key.id, fromMe: true, chat: bob.phone });
    await until(() => me.messages({ with: bob }).at(-1)?.status === 'delivered', 'the tick');
  });

  test('phone sends, companion sees fromMe', async () => {
    const id = await me.send(bob, 'from-my-phone');
    const { key } = await client.received('from-my-phone');
    expect(key).toMatchObject({ id, fromMe: true, remoteJid: bob.jid('lid') });
    expect(await seenBy(bob, 'from-my-phone')).toMatchObject({ id, fromMe: false });
  });
});

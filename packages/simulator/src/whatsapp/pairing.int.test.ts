import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Client, memoryAuth, until } from './testing/client.ts';
import {
  createFixture,
  expectNoFailures,
  type NetworkFixture,
  waitForText,
} from './testing/fixture.ts';

let cast: NetworkFixture;

beforeEach(async () => {
  cast = await createFixture();
});

afterEach(async () => {
  await cast.end();
  expectNoFailures(cast);
});

/** Waits for the QR code, as a person does, and then requests a code instead. */
async function codeFrom(client: Client, phone: string): Promise<string> {
  client.connect();
  await client.qr();
  return client.socket.requestPairingCode(phone);
}

describe('pairing', () => {
  test('pair by QR, with the history of the phone', async () => {
    const { bob, client, me } = cast;
    const at = new Date('2023-11-14T22:13:20Z');
    const old = await bob.send(me, 'old history', { at });
    await waitForText(me, 'old history');
    const answer = await me.send(bob, 'old answer', { at });
    const linked: number[] = [];
    cast.network.events.on('linked', ({ device }) => linked.push(device));
    await client.pair(me);
    expect(linked).toEqual([1]);
    expect(client.closes).toEqual([515]);
    expect(client.auth.creds.me).toMatchObject({
      id: `${me.phone}:1@s.whatsapp.net`,
      lid: `${me.lid}:1@lid`,
    });
    await until(() => client.history.length >= 2, 'the history');
    const history = client.history.map(({ key, message, messageTimestamp }) => ({
      id: key.id,
      fromMe: key.fromMe,
      chat: key.remoteJid,
      text: message?.conversation,
      at: Number(messageTimestamp),
    }));
    const chat = bob.jid('lid');
    const seconds = at.getTime() / 1000;
    expect(history).toEqual(
      expect.arrayContaining([
        { id: old, fromMe: false, chat, text: 'old history', at: seconds },
        { id: answer, fromMe: true, chat, text: 'old answer', at: seconds },
      ]),
    );
  });

  test('refuses the QR code of a client that disconnected', async () => {
    const { client, me } = cast;
    client.connect();
    const qr = await client.qr();
    await client.end();
    await until(() => client.closes.length > 0, 'the end');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(me.scan(qr)).rejects.toThrow('unknown or has expired');
    expect(me.companions.size).toBe(0);
  });

  test('pairing code', async () => {
    const { bob, client, me } = cast;
    const code = await codeFrom(client, me.phone);
    expect(code).toMatch(/^[0-9A-Z]{8}$/);
    const shown = `${code.slice(0, 4)}-${code.slice(4)}`;
    expect(await me.pairCode(shown)).toEqual({ linked: true, device: 1 });
    await client.opened();
    const id = await bob.send(me, 'hi there');
    expect((await client.received('hi there')).key.id).toBe(id);
  });

  test('a wrong code links nobody', async () => {
    const { client, me } = cast;
    const code = await codeFrom(client, me.phone);
    const wrong = `${code.startsWith('A') ? 'B' : 'A'}${code.slice(1)}`;
    await expect(me.pairCode(wrong)).rejects.toThrow();
    expect(me.companions.size).toBe(0);
  });

  test.each(['QR', 'code'])('asks an account with a passkey for it (%s)', async (way) => {
    const { client, network } = cast;
    const dora = network.addAccount({ phone: '15550000004', name: 'Dora', passkey: true });
    const asked: string[] = [];
    const code = way === 'code' ? await codeFrom(client, dora.phone) : undefined;
    if (!code) client.connect();
    const qr = await client.qr();
    client.socket.ws.on('CB:notification', (stanza: { attrs: { type: string } }) =>
      asked.push(stanza.attrs.type),
    );
    const linking = await (code ? dora.pairCode(code) : dora.scan(qr));
    expect(linking).toEqual({ linked: false, reason: 'passkey_required' });
    await until(() => asked.includes('passkey_prologue_request'), 'the notification');
    expect(dora.companions.size).toBe(0);
    expect(client.opens).toBe(0);
  });

  test('lets two companions of one account send and receive, and contacts learn of the second', async () => {
    const { bob, client, me, network } = cast;
    const bobs = new Client(network);
    await bobs.pair(bob);
    await client.pair(me);
    await bobs.socket.sendMessage(me.jid(), { text: 'to one' });
    await client.received('to one');

    const second = new Client(network, memoryAuth()).connect();
    await me.scan(await second.qr());
    await second.opened();
    await until(() => me.companions.get(2)?.pending.length === 0, 'the first sync');
    expect([...me.companions.keys()]).toEqual([1, 2]);

    const id = await bob.send(me, 'to both');
    for (const one of [client, second]) expect((await one.received('to both')).key.id).toBe(id);
    await bobs.socket.sendMessage(me.jid(), { text: 'to both again' });
    for (const one of [client, second]) await one.received('to both again');

    const sent = await second.socket.sendMessage(bob.jid(), { text: 'from the second' });
    expect((await client.received('from the second')).key).toMatchObject({
      id: sent?.key.id,
      fromMe: true,
    });
    expect((await bobs.received('from the second')).key.fromMe).toBe(false);
    expect(await waitForText(bob, 'from the second')).toMatchObject({ id: sent?.key.id });

    me.unlink(2);
    expect(await second.closed(second.closes.length + 1)).toBe(401);
    await client.socket.sendMessage(bob.jid(), { text: 'still here' });
    await waitForText(bob, 'still here');
    await bobs.end();
  });
});

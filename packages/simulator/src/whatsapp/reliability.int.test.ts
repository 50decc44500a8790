import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Network } from './network.ts';
import { textOf, until } from './testing/client.ts';
import {
  createPairedFixture,
  expectNoFailures,
  type NetworkFixture,
  waitForText,
} from './testing/fixture.ts';

const CIPHERTEXT_STUB = 2;
let cast: NetworkFixture;

beforeAll(async () => {
  cast = await createPairedFixture();
});

afterEach(() => {
  cast.network.faults.clear();
  expectNoFailures(cast);
});

afterAll(() => cast.end());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('undecryptable messages', () => {
  test('inbound decrypt failure -> retry receipt -> resend', async () => {
    const { bob, client, me, network } = cast;
    const retries: { id: string; device: number }[] = [];
    network.events.on('receipt', ({ device, id, type }) => {
      if (type === 'retry') retries.push({ id, device });
    });
    const id = await bob.send(me, 'broken-then-ok', { corrupt: true });
    const stub = await until(
      () => client.upserts.find((m) => m.messageStubType === CIPHERTEXT_STUB),
      'the stub',
    );
    expect(stub.key.id).toBe(id);
    const message = await client.received('broken-then-ok');
    expect(message.key.id).toBe(id);
    expect(message.retryCount).toBe(1);
    const both = [0, 1].map((device) => ({ id, device }));
    expect(retries.sort((a, b) => a.device - b.device)).toEqual(both);
    expect(me.counts().undecryptable).toBe(0);
  });

  test('a resent message waits for its own acknowledgement, not for that of the first', async () => {
    const { bob, client, me, network } = cast;
    network.events.on('receipt', function goMute({ device, type }) {
      if (type !== 'retry' || device === 0) return;
      network.events.off('receipt', goMute);
      network.faults.set({ mute: true });
    });
    const id = await bob.send(me, 'asked for before the line broke', { corrupt: true });
    // Baileys refuses a message it could not decrypt, some time after it requested it again.
    const refused = ({ stanza: { attrs, tag } }: Network['stanzas'][number]) =>
      tag === 'ack' && attrs.id === id && attrs.error !== undefined;
    await until(() => network.stanzas.some(refused), 'the refusal');
    network.faults.clear();
    me.disconnect();
    await client.received('asked for before the line broke');
  });

  test('a group message that cannot be decrypted is resent to the device that asked', async () => {
    const { bob, carol, client, me, network } = cast;
    const group = network.createGroup({ subject: 'noisy', owner: bob, members: [me, carol] });
    await bob.send(group, 'group-broken', { corrupt: true });
    await client.received('group-broken');
    expect(await waitForText(carol, 'group-broken')).toMatchObject({ chat: group.jid });
    expect(carol.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
  });

  test('a companion that lost its sender keys gets them again', async () => {
    const { bob, client, me, network } = cast;
    const group = network.createGroup({ subject: 'forgetful', owner: bob, members: [me] });
    await bob.send(group, 'with its key');
    await client.received('with its key');
    client.auth.forget('sender-key');
    const id = await bob.send(group, 'without a key');
    const message = await client.received('without a key');
    expect(message.key.id).toBe(id);
    expect(message.retryCount).toBe(1);
  });

  test('peer cannot decrypt ours -> retry receipt -> Baileys resends', async () => {
    const { bob, client, network } = cast;
    await client.socket.sendMessage(bob.jid(), { text: 'before' });
    await waitForText(bob, 'before');
    const failed: string[] = [];
    network.events.on('undecryptable', ({ id }) => failed.push(id));
    await bob.loseSessions();
    const sent = await client.socket.sendMessage(bob.jid(), { text: 'needs-retry' });
    expect((await waitForText(bob, 'needs-retry')).id).toBe(sent?.key.id);
    expect(failed).toEqual([sent?.key.id]);
    expect(bob.counts()).toEqual({ distinct: 2, duplicates: 0, undecryptable: 0 });
  });

  test('an undecryptable message without a retry stays, and is counted', async () => {
    const { bob, client } = cast;
    bob.habits.retries = false;
    await bob.loseSessions();
    const sent = await client.socket.sendMessage(bob.jid(), { text: 'lost on bob' });
    const status = () => bob.messages().find(({ id }) => id === sent?.key.id)?.status;
    await until(() => status() === 'undecryptable', 'the failure');
    expect(bob.counts().undecryptable).toBe(1);
    expect(cast.network.counts().undecryptable).toBe(1);
    bob.habits.retries = true;
  });
});

describe('messages in the wrong order', () => {
  test('are decrypted all the same', async () => {
    const { bob, client, me, network } = cast;
    network.faults.set({ reorderDeliveries: true });
    for (const text of ['first', 'second', 'third']) await bob.send(me, text);
    for (const text of ['first', 'second', 'third']) await client.received(text);
    const order = client.upserts.map(textOf).filter((text) => text !== undefined);
    expect(order.slice(-3)).toEqual(['second', 'first', 'third']);
  });
});

describe('duplicates', () => {
  test('duplicate delivery (same stanza twice)', async () => {
    const { bob, client, me, network } = cast;
    network.faults.set({ duplicateDeliveries: true });
    const id = await bob.send(me, 'dup-me');
    await client.received('dup-me');
    await until(() => me.companions.get(1)?.pending.length === 0, 'both acknowledgements');
    await pause(300);
    expect(client.upserts.filter((m) => textOf(m) === 'dup-me')).toHaveLength(1);
    const delivered = network.stanzas.filter(
      ({ direction, stanza }) =>
        direction === 'out' && stanza.tag === 'message' && stanza.attrs.id === id,
    );
    expect(delivered).toHaveLength(2);
  });

  test('same id, re-encrypted (server replays after lost ack)', async () => {
    const { bob, client, me } = cast;
    await bob.send(me, 'same-id', { id: 'SAMEID1' });
    await bob.send(me, 'same-id', { id: 'SAMEID1' });
    const copies = () => client.upserts.filter((m) => textOf(m) === 'same-id');
    await until(() => copies().length === 2, 'both upserts');
    expect(new Set(copies().map(({ key }) => key.id))).toEqual(new Set(['SAMEID1']));
  });

  test('a message that a client sends twice is counted as a duplicate and shown once', async () => {
    const { bob, client } = cast;
    const before = bob.counts();
    for (const _ of [1, 2]) {
      await client.socket.relayMessage(
        bob.jid(),
        { conversation: 'twice' },
        { messageId: 'TWICE1' },
      );
    }
    await until(() => bob.counts().duplicates === before.duplicates + 1, 'the duplicate');
    expect(bob.counts().distinct).toBe(before.distinct + 1);
    expect(bob.messages().filter(({ text }) => text === 'twice')).toHaveLength(1);
  });
});

describe('faults of the server', () => {
  test.each([463, 429, 479])('ack with error %i surfaces', async (code) => {
    const { bob, client, network } = cast;
    network.faults.set({ ackError: code });
    const sent = await client.socket.sendMessage(bob.jid(), { text: `nacked-${code}` });
    await until(() => client.status(sent?.key.id) === 0, 'the error');
    await pause(100);
    expect(bob.messages().some(({ text }) => text === `nacked-${code}`)).toBe(false);
  });

  test('a swallowed message is neither acknowledged nor delivered', async () => {
    const { bob, client, network } = cast;
    network.faults.set({ swallowMessages: true });
    const sent = await client.socket.sendMessage(bob.jid(), { text: 'swallowed' });
    await pause(200);
    expect(client.status(sent?.key.id)).toBe(1);
    expect(bob.messages().some(({ text }) => text === 'swallowed')).toBe(false);
    expect(acksFor(sent?.key.id)).toBe(0);
  });

  test('a message with a withheld ack is delivered', async () => {
    const { bob, client, network } = cast;
    network.faults.set({ withholdAcks: true });
    const sent = await client.socket.sendMessage(bob.jid(), { text: 'unacknowledged' });
    await waitForText(bob, 'unacknowledged');
    await until(() => client.status(sent?.key.id) === 3, 'the receipt');
    expect(acksFor(sent?.key.id)).toBe(0);
  });

  test('latency delays stanzas of the server and keeps their order', async () => {
    const { bob, client, me, network } = cast;
    network.faults.set({ latencyMs: 150 });
    const start = Date.now();
    const ids: string[] = [];
    for (let i = 0; i < 10; i += 1) ids.push(await bob.send(me, `late-${i}`));
    await client.received('late-9');
    expect(Date.now() - start).toBeGreaterThanOrEqual(150);
    const late = client.upserts.filter((m) => textOf(m)?.startsWith('late-'));
    expect(late.map(({ key }) => key.id)).toEqual(ids);
  });

  test('an iq request can be answered late or never', async () => {
    const { client, network } = cast;
    const ping = () =>
      client.socket.query(
        {
          tag: 'iq',
          attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' },
          content: [{ tag: 'ping', attrs: {} }],
        },
        500,
      );
    network.faults.set({ iqDelayMs: { 'w:p/get/ping': 200 } });
    const start = Date.now();
    await ping();
    expect(Date.now() - start).toBeGreaterThanOrEqual(195);
    network.faults.set({ iqIgnore: ['w:p/get/ping'] });
    await expect(ping()).rejects.toThrow();
  });

  test('a time lock is announced and can be queried', async () => {
    const { client, me } = cast;
    const until463 = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);
    const locks = () => client.connections.map((c) => c.reachoutTimeLock).filter((l) => l);
    me.timeLock(until463);
    await until(() => locks().length > 0, 'the news');
    expect(locks().at(-1)).toMatchObject({ isActive: true, timeEnforcementEnds: until463 });
    const asked = await client.socket.fetchAccountReachoutTimelock();
    expect(asked).toMatchObject({ isActive: true, timeEnforcementEnds: until463 });
    me.timeLock(undefined);
    await until(() => locks().at(-1)?.isActive === false, 'the release');
  });
});

function acksFor(id: string | null | undefined): number {
  return cast.network.stanzas.filter(
    ({ direction, stanza }) =>
      direction === 'out' && stanza.tag === 'ack' && stanza.attrs.id === id,
  ).length;
}

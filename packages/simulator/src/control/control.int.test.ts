import {
  type BinaryNode,
  downloadMediaMessage,
  getBinaryNodeChildBuffer,
} from '@whiskeysockets/baileys';
import { toDataURL } from 'qrcode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, type Network } from '../whatsapp/network.ts';
import { Client, SILENT, until } from '../whatsapp/testing/client.ts';
import { type ControlServer, startControl } from './server.ts';
import { ControlClient } from './testing/control-client.ts';

const [ANA, BEN, EVE, DORA] = ['15550000001', '15550000002', '15550000003', '15550000004'];
const jid = (phone: string) => `${phone}@s.whatsapp.net`;

let network: Network;
let control: ControlServer;
let remote: ControlClient;
let anas: Client;
let bens: Client;

/** The clients use only the network's address; people, phones and faults are controlled over HTTP. */
beforeAll(async () => {
  network = await createNetwork();
  control = await startControl(network);
  remote = new ControlClient(control.url);
  anas = new Client(network);
  bens = new Client(network);
});

afterAll(async () => {
  await Promise.all([anas.end(), bens.end()]);
  await control.close();
  await network.close();
  expect(network.failures).toEqual([]);
  expect([...network.unknown]).toEqual([]);
});

const write = (from: string, message: unknown) =>
  remote.ok<{ id: string }>(`POST /accounts/${from}/messages`, message);

describe('accounts', () => {
  test('are created with a phone and a name', async () => {
    for (const [phone, name] of [
      [ANA, 'Ana'],
      [BEN, 'Ben'],
      [EVE, 'Eve'],
    ]) {
      const account = await remote.ok('POST /accounts', { phone: `+${phone}`, name });
      expect(account).toEqual({ phone, name, lid: expect.stringMatching(/^\d+$/) });
    }
  });

  test('hide their number until it is revealed', async () => {
    const phone = '15550000005';
    await remote.ok('POST /accounts', { phone, name: 'Flo', knownAs: 'lid' });
    const byNumber = { to: EVE, text: 'hello', addressing: 'pn' };
    expect(await remote.ask(`POST /accounts/${phone}/messages`, byNumber)).toEqual({
      status: 409,
      body: { error: `${phone} is known as lid only.` },
    });
    await remote.ok(`POST /accounts/${phone}/known-as`, { knownAs: 'both' });
    await write(phone, byNumber);
    await remote.sees(EVE, { from: phone, text: 'hello' });
  });

  test('link a companion by the picture of its QR code', async () => {
    anas.connect();
    const qr = await toDataURL(await anas.qr());
    expect(qr).toMatch(/^data:image\/png;base64,/);
    expect(await remote.ok(`POST /accounts/${ANA}/scan`, { qr })).toEqual({
      linked: true,
      device: 1,
    });
    await anas.opened();
    expect(anas.auth.creds.me?.id).toBe(`${ANA}:1@s.whatsapp.net`);
  });

  test('link a companion by its pairing code, and by no other code', async () => {
    bens.connect();
    await bens.qr();
    const code = await bens.socket.requestPairingCode(BEN);
    expect(await remote.ok(`POST /accounts/${BEN}/pair-code`, { code })).toMatchObject({
      linked: true,
    });
    await bens.opened();

    const stray = new Client(network).connect();
    await stray.qr();
    const right = await stray.socket.requestPairingCode(EVE);
    const wrong = `${right.startsWith('A') ? 'B' : 'A'}${right.slice(1)}`;
    const heard = await remote.ask(`POST /accounts/${EVE}/pair-code`, { code: wrong });
    expect(heard).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/^Not linked/) },
    });
    await stray.end();
  });

  test('with a passkey link no companion, and say so', async () => {
    await remote.ok('POST /accounts', { phone: DORA, name: 'Dora', passkey: true });
    const client = new Client(network).connect();
    const qr = await client.qr();
    expect(await remote.ok(`POST /accounts/${DORA}/scan`, { qr })).toEqual({
      linked: false,
      reason: 'passkey_required',
    });
    await client.end();
  });
});

describe('messages', () => {
  test('reach the companion, and their author sees the delivery state', async () => {
    const { id } = await write(EVE, { to: ANA, text: 'hello Ana', addressing: 'pn' });
    const { key } = await anas.received('hello Ana');
    expect(key).toMatchObject({ id, remoteJid: jid(EVE) });
    await remote.sees(EVE, { id, status: 'delivered' });
    await anas.socket.readMessages([key]);
    await remote.sees(EVE, { id, status: 'read' });
  });

  test('from the companion are decrypted, and read when the person opens the chat', async () => {
    const sent = await anas.socket.sendMessage(jid(EVE), { text: 'hello Eve' });
    const seen = await remote.sees(EVE, { text: 'hello Eve' });
    expect(seen).toMatchObject({ id: sent?.key.id, from: ANA, chat: ANA, status: 'received' });
    await until(() => anas.status(sent?.key.id) === 3, 'delivered');
    await remote.ok(`POST /accounts/${EVE}/read`, { with: ANA });
    await until(() => anas.status(sent?.key.id) === 4, 'read');
    await remote.sees(ANA, { id: seen.id, fromMe: true, status: 'read' });
  });

  test('pass between two companions', async () => {
    await anas.socket.sendMessage(jid(BEN), { text: 'from Ana’s companion' });
    await bens.received('from Ana’s companion');
    await remote.sees(BEN, { text: 'from Ana’s companion', from: ANA });
  });

  test('are listed with one person or with all', async () => {
    await write(BEN, { to: ANA, text: 'Ben here' });
    await remote.sees(ANA, { text: 'Ben here' });
    const withEve = await remote.messages(ANA, `+${EVE}`);
    expect(withEve.map(({ text }) => text)).toEqual(['hello Ana', 'hello Eve']);
    expect((await remote.messages(ANA)).map(({ chat }) => chat)).toContain(BEN);
  });

  test('can quote, react, edit and delete', async () => {
    const { id } = await write(EVE, { to: ANA, text: 'first wording' });
    await anas.received('first wording');
    await write(EVE, { to: ANA, text: 'as I said', quoted: id });
    const { message } = await anas.received('as I said');
    expect(message?.extendedTextMessage?.contextInfo).toMatchObject({
      stanzaId: id,
      quotedMessage: { conversation: 'first wording' },
    });

    await write(EVE, { to: ANA, reaction: { id, emoji: '👍' } });
    const reaction = await until(
      () => anas.upserts.find((one) => one.message?.reactionMessage?.text === '👍'),
      'the reaction',
    );
    expect(reaction.message?.reactionMessage?.key?.id).toBe(id);

    await write(EVE, { to: ANA, text: 'second wording', edit: id });
    const changes = () => anas.updates.filter(({ key }) => key.id === id);
    await until(
      () => changes().find(({ update }) => JSON.stringify(update).includes('second wording')),
      'the edit',
    );
    await write(EVE, { to: ANA, delete: id });
    await until(() => changes().find(({ update }) => update.message === null), 'the deletion');
  });

  test('carry media in both directions', async () => {
    const file = Buffer.from('%PDF-1.4 to and fro '.repeat(300));
    const mimetype = 'application/pdf';
    const data = file.toString('base64');
    const media = { kind: 'document', data, mimetype, fileName: 'there.pdf' };
    await write(EVE, { to: ANA, media });
    const there = await until(
      () => anas.upserts.find((one) => one.message?.documentMessage?.fileName === 'there.pdf'),
      'the document',
    );
    const context = { logger: SILENT, reuploadRequest: anas.socket.updateMediaMessage };
    expect(await downloadMediaMessage(there, 'buffer', {}, context)).toEqual(file);

    const document = { document: file, mimetype, fileName: 'back.pdf', caption: 'and back' };
    await anas.socket.sendMessage(jid(EVE), document);
    const { id, media: shown } = await remote.sees(EVE, { text: 'and back' });
    expect(shown).toEqual({ kind: 'document', mimetype });
    const back = await remote.ok(`GET /accounts/${EVE}/messages/${id}/media`);
    expect(back).toEqual({ kind: 'document', mimetype, data });
  });

  test.each(['image', 'video', 'audio'] as const)('carry %s', async (kind) => {
    const mimetype = `${kind}/example`;
    const data = Buffer.from(`not really ${kind}`).toString('base64');
    const { id } = await write(EVE, { to: ANA, media: { kind, data, mimetype } });
    const arrived = await until(() => anas.upserts.find(({ key }) => key.id === id), kind);
    expect(arrived.message?.[`${kind}Message`]).toMatchObject({ mimetype });
    const back = await remote.ok(`GET /accounts/${ANA}/messages/${id}/media`);
    expect(back).toEqual({ kind, mimetype, data });
  });

  test('are queued for a phone that is off', async () => {
    await remote.ok(`POST /accounts/${EVE}/power`, { on: false });
    const sent = await anas.socket.sendMessage(jid(EVE), { text: 'while off' });
    await remote.sees(ANA, { text: 'while off', status: 'sent' });
    expect((await remote.messages(EVE)).some(({ text }) => text === 'while off')).toBe(false);
    await remote.ok(`POST /accounts/${EVE}/power`, { on: true });
    await remote.sees(EVE, { text: 'while off' });
    await until(() => anas.status(sent?.key.id) === 3, 'the second tick');
  });
});

describe('groups', () => {
  test('are created, written to by everybody, and changed', async () => {
    const group = { subject: 'Three', owner: EVE, members: [ANA, BEN] };
    const { id } = await remote.ok<{ id: string }>('POST /groups', group);
    expect(id).toMatch(/^\d+@g\.us$/);
    const hello = await write(EVE, { to: id, text: 'hello all' });
    for (const client of [anas, bens]) {
      expect((await client.received('hello all')).key).toMatchObject({
        id: hello.id,
        remoteJid: id,
      });
    }
    await anas.socket.sendMessage(id, { text: 'hello from Ana' });
    await remote.sees(EVE, { text: 'hello from Ana', chat: id, from: ANA });
    expect((await remote.messages(EVE, id)).map(({ text }) => text)).toEqual([
      'hello all',
      'hello from Ana',
    ]);
    await remote.ok(`POST /groups/${id}/changes`, { by: EVE, subject: 'Two', remove: [BEN] });
    const { participants, subject } = await anas.socket.groupMetadata(id);
    expect([subject, participants.length]).toEqual(['Two', 2]);
  });
});

describe('the service', () => {
  test('refuses messages only while the fault is set', async () => {
    await remote.ok('POST /faults', { ackError: 463 });
    const refused = await anas.socket.sendMessage(jid(EVE), { text: 'refused' });
    await until(() => anas.status(refused?.key.id) === 0, 'the refusal');
    await remote.ok('DELETE /faults');
    await anas.socket.sendMessage(jid(EVE), { text: 'accepted' });
    await remote.sees(EVE, { text: 'accepted' });
    expect((await remote.messages(EVE)).some(({ text }) => text === 'refused')).toBe(false);
  });

  test('forbids new chats until a given time, and allows them again', async () => {
    const told: string[] = [];
    anas.socket.ws.on('CB:notification,type:mex', (stanza: BinaryNode) => {
      told.push(String(getBinaryNodeChildBuffer(stanza, 'update')));
    });
    await remote.ok(`POST /accounts/${ANA}/time-lock`, { until: '2030-01-01T00:00:00Z' });
    await remote.ok(`POST /accounts/${ANA}/time-lock`, { until: null });
    await until(() => told.length === 2, 'both notifications');
    expect(told[0]).toContain('"time_enforcement_ends":"1893456000"');
    expect(told[1]).toContain('"is_active":false');
  });

  test('disconnects with a code or by cutting the connection, and queues what arrives meanwhile', async () => {
    for (const [body, expected] of [
      [{ code: 503 }, 503],
      [{}, 428],
    ] as const) {
      const { closes, opens } = { closes: anas.closes.length, opens: anas.opens };
      const { devices } = await remote.ok<{ devices: number[] }>(
        `POST /accounts/${ANA}/disconnect`,
        body,
      );
      expect(devices).toEqual([1]);
      await write(EVE, { to: ANA, text: `after ${expected}` });
      expect(await anas.closed(closes + 1)).toBe(expected);
      await anas.opened(opens + 1);
      await anas.received(`after ${expected}`);
    }
  });

  test('shows the stanzas that crossed it', async () => {
    const { id } = await write(EVE, { to: ANA, text: 'on the wire' });
    await anas.received('on the wire');
    const query = `account=${ANA}&tag=message&direction=out`;
    const { stanzas } = await remote.ok<{ stanzas: { stanza: { attrs: { id: string } } }[] }>(
      `GET /stanzas?${query}`,
    );
    expect(stanzas.find(({ stanza }) => stanza.attrs.id === id)).toEqual({
      at: expect.any(String),
      direction: 'out',
      current: true,
      account: ANA,
      device: 1,
      stanza: {
        tag: 'message',
        attrs: expect.objectContaining({ id, notify: 'Eve' }),
        content: [
          {
            tag: 'enc',
            attrs: expect.objectContaining({ v: '2' }),
            content: { base64: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) },
          },
        ],
      },
    });
  });

  test('counts distinct, duplicate and undecryptable messages of recipients', async () => {
    const counts = () => remote.ok<Record<string, number>>(`GET /counts?account=${EVE}`);
    const before = await counts();
    expect(before).toMatchObject({ duplicates: 0, undecryptable: 0 });
    for (const _ of [1, 2]) {
      const message = { conversation: 'twice' };
      await anas.socket.relayMessage(jid(EVE), message, { messageId: 'TWICE1' });
    }
    await remote.sees(EVE, { text: 'twice' });
    await remote.ok(`POST /accounts/${EVE}/habits`, { retries: false });
    await remote.ok(`POST /accounts/${EVE}/lose-sessions`);
    await anas.socket.sendMessage(jid(EVE), { text: 'lost' });
    await remote.sees(EVE, { status: 'undecryptable' });
    const distinct = Number(before.distinct) + 1;
    expect(await counts()).toEqual({ distinct, duplicates: 1, undecryptable: 1 });
    const all = await remote.ok<Record<string, number>>('GET /counts');
    expect(all).toMatchObject({ duplicates: 1, undecryptable: 1 });
    expect(all.distinct).toBeGreaterThan(distinct);
  });

  test('unlinks with 401', async () => {
    const closes = bens.closes.length;
    await remote.ok(`POST /accounts/${BEN}/disconnect`, { code: 401 });
    expect(await bens.closed(closes + 1)).toBe(401);
    expect(await remote.ok(`POST /accounts/${BEN}/disconnect`)).toEqual({ devices: [] });
  });
});

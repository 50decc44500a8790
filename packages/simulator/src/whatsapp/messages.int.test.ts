import { downloadMediaMessage } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { SILENT, until } from './testing/client.ts';
import {
  createPairedFixture,
  expectNoFailures,
  type NetworkFixture,
  waitForText,
} from './testing/fixture.ts';

let cast: NetworkFixture;

beforeAll(async () => {
  cast = await createPairedFixture();
});

afterEach(() => expectNoFailures(cast));

afterAll(() => cast.end());

describe('between two people', () => {
  test('1:1 in, LID addressed', async () => {
    const { bob, client, me } = cast;
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
    const { bob, client, me } = cast;
    await bob.send(me, 'in-pn', { addressing: 'pn' });
    const { key } = await client.received('in-pn');
    expect(key).toMatchObject({ remoteJid: bob.jid('pn'), remoteJidAlt: bob.jid('lid') });
  });

  test('names a person who hides their number by LID only, until they reveal it', async () => {
    const { client, me, network } = cast;
    const ann = network.addAccount({ phone: '15550000701', name: 'Ann', knownAs: 'lid' });
    await ann.send(me, 'number hidden');
    const { key } = await client.received('number hidden');
    expect(key).toMatchObject({ remoteJid: ann.jid('lid') });
    expect(key.remoteJidAlt).toBeUndefined();
    const { participants } = await client.socket.groupMetadata(
      network.createGroup({ subject: 'G', owner: me, members: [ann] }).jid,
    );
    expect(participants.find(({ id }) => id === ann.jid('lid'))?.phoneNumber).toBeUndefined();
    await expect(ann.send(me, 'by number', { addressing: 'pn' })).rejects.toThrow('another name');

    ann.knownAs = 'both';
    await ann.send(me, 'number revealed');
    expect((await client.received('number revealed')).key).toMatchObject({
      remoteJid: ann.jid('lid'),
      remoteJidAlt: ann.jid('pn'),
    });
  });

  test('names a person without a LID by number only, and gives them one later', async () => {
    const { client, me, network } = cast;
    const ben = network.addAccount({ phone: '15550000702', name: 'Ben', knownAs: 'pn' });
    await ben.send(me, 'no LID');
    const { key } = await client.received('no LID');
    expect(key).toMatchObject({ remoteJid: ben.jid('pn') });
    expect(key.remoteJidAlt).toBeUndefined();
    const { lidMapping } = client.socket.signalRepository;
    expect(await lidMapping.getLIDForPN(ben.jid('pn'))).toBeNull();

    ben.knownAs = 'both';
    await ben.send(me, 'by LID now');
    expect((await client.received('by LID now')).key).toMatchObject({
      remoteJid: ben.jid('lid'),
      remoteJidAlt: ben.jid('pn'),
    });
  });

  test('1:1 out + delivered + read', async () => {
    const { bob, client, me } = cast;
    const acks: string[] = [];
    client.socket.ws.on('CB:ack,class:message', (ack: { attrs: { id: string } }) =>
      acks.push(ack.attrs.id),
    );
    const sent = await client.socket.sendMessage(bob.jid('pn'), { text: 'out-1' });
    const seen = await waitForText(bob, 'out-1');
    expect(seen).toMatchObject({ id: sent?.key.id, from: me.phone, chat: me.phone, fromMe: false });
    await until(() => client.status(sent?.key.id) === 3, 'delivered');
    expect(seen.status).toBe('received');
    bob.read(me);
    await until(() => client.status(sent?.key.id) === 4, 'read');
    expect(acks).toEqual([sent?.key.id]);
    expect((await waitForText(bob, 'out-1')).status).toBe('read');
  });

  test('shows the companion what the phone sends by number to a new contact', async () => {
    const { client, me, network } = cast;
    const stranger = network.addAccount({ phone: '15550000777', name: 'New' });
    await me.send(stranger, 'phone-to-new-number', { addressing: 'pn' });
    const { key } = await client.received('phone-to-new-number');
    expect(key).toMatchObject({ fromMe: true, remoteJid: stranger.jid('pn') });
    await waitForText(stranger, 'phone-to-new-number');
  });

  test('sends read receipts at once for a person who reads at once', async () => {
    const { bob, client } = cast;
    bob.habits.reads = true;
    const sent = await client.socket.sendMessage(bob.jid(), { text: 'out-read' });
    await until(() => client.status(sent?.key.id) === 4, 'read');
    bob.habits.reads = false;
  });

  test('delivers a first message to a stranger by phone number, and one from a stranger', async () => {
    const { client, me, network } = cast;
    const dan = network.addAccount({ phone: '15550000004', name: 'Dan' });
    const sent = await client.socket.sendMessage(dan.jid('pn'), { text: 'hello stranger' });
    expect((await waitForText(dan, 'hello stranger')).id).toBe(sent?.key.id);
    const eve = network.addAccount({ phone: '15550000005', name: 'Eve' });
    await eve.send(me, 'you do not know me');
    expect((await client.received('you do not know me')).key.remoteJid).toBe(eve.jid());
  });

  test('shows one tick for a phone that is off until it is on again', async () => {
    const { bob, client, me } = cast;
    bob.switchOff();
    const sent = await client.socket.sendMessage(bob.jid(), { text: 'while off' });
    const mine = () => me.messages({ with: bob }).find(({ id }) => id === sent?.key.id);
    await until(() => mine()?.status === 'sent', 'one tick');
    expect(bob.messages().some(({ text }) => text === 'while off')).toBe(false);
    bob.switchOn();
    await waitForText(bob, 'while off');
    await until(() => client.status(sent?.key.id) === 3, 'two ticks');
    expect(mine()?.status).toBe('delivered');
  });

  test('own phone copy (DSM)', async () => {
    const { bob, client, me } = cast;
    const sent = await client.socket.sendMessage(bob.jid('pn'), { text: 'out-dsm' });
    const copy = await waitForText(me, 'out-dsm');
    expect(copy).toMatchObject({ id: sent?.key.id, fromMe: true, chat: bob.phone });
    await until(() => me.messages({ with: bob }).at(-1)?.status === 'delivered', 'the tick');
  });

  test('phone sends, companion sees fromMe', async () => {
    const { bob, client, me } = cast;
    const id = await me.send(bob, 'from-my-phone');
    const { key } = await client.received('from-my-phone');
    expect(key).toMatchObject({ id, fromMe: true, remoteJid: bob.jid('lid') });
    expect(await waitForText(bob, 'from-my-phone')).toMatchObject({ id, fromMe: false });
  });

  test('delivers a message to oneself between phone and companion in both directions', async () => {
    const { client, me } = cast;
    const sent = await client.socket.sendMessage(me.jid('pn'), { text: 'note to self' });
    expect(await waitForText(me, 'note to self')).toMatchObject({
      id: sent?.key.id,
      chat: me.phone,
    });
    const id = await me.send(me, 'note from the phone');
    expect((await client.received('note from the phone')).key).toMatchObject({ id, fromMe: true });
  });

  test('readMessages -> read receipt at contact', async () => {
    const { bob, client, me } = cast;
    const id = await bob.send(me, 'read me');
    const { key } = await client.received('read me');
    await client.socket.readMessages([key]);
    const status = () => bob.messages().find((message) => message.id === id);
    await until(() => status()?.status === 'read', 'the blue ticks');
    expect(status()?.receipts).toEqual({ [me.phone]: 'read' });
  });

  test('onWhatsApp', async () => {
    const { bob, client } = cast;
    const found = await client.socket.onWhatsApp(bob.phone, '19999999999');
    expect(found).toEqual([expect.objectContaining({ jid: bob.jid('pn'), exists: true })]);
  });

  test('onWhatsApp answers another spelling of a number with the registered one', async () => {
    const { client, network } = cast;
    const ana = network.addAccount({
      phone: '553196348800',
      name: 'Ana',
      dialled: '5531996348800',
    });
    const found = await client.socket.onWhatsApp('+5531996348800');
    expect(found).toEqual([{ jid: ana.jid('pn'), exists: true }]);
  });
});

describe('more than text', () => {
  test('reaction in/out', async () => {
    const { bob, client, me } = cast;
    const sent = await client.socket.sendMessage(bob.jid(), { text: 'react to this' });
    const { id } = await waitForText(bob, 'react to this');
    await bob.react(me, id, '👍');
    const reaction = await until(
      () => client.upserts.find((message) => message.message?.reactionMessage?.text === '👍'),
      'the reaction',
    );
    expect(reaction.message?.reactionMessage?.key?.id).toBe(sent?.key.id);
    const theirs = await bob.send(me, 'and to this');
    const { key } = await client.received('and to this');
    await client.socket.sendMessage(bob.jid(), { react: { text: '🔥', key } });
    const seen = await waitForText(bob, '🔥');
    expect(seen.content?.reactionMessage?.key?.id).toBe(theirs);
  });

  test('media out (upload) + in (download)', async () => {
    const { bob, client, me, network } = cast;
    const file = Buffer.from('%PDF-1.4 hello media '.repeat(500));
    const mimetype = 'application/pdf';
    const document = { document: file, mimetype, fileName: 'a.pdf', caption: 'a file' };
    await client.socket.sendMessage(bob.jid(), document);
    const { id } = await waitForText(bob, 'a file');
    expect(network.storedMedia).toBe(1);
    expect(await bob.download(id)).toEqual(file);

    const answer = Buffer.from('%PDF-1.4 answer '.repeat(700));
    await bob.send(me, { document: answer, mimetype, fileName: 'back.pdf' });
    const received = await until(
      () => client.upserts.find((m) => m.message?.documentMessage?.fileName === 'back.pdf'),
      'the document',
    );
    const context = { logger: SILENT, reuploadRequest: client.socket.updateMediaMessage };
    expect(await downloadMediaMessage(received, 'buffer', {}, context)).toEqual(answer);
  });

  test('an edit and a deletion from the phone reach the companion', async () => {
    const { bob, client, me } = cast;
    const id = await bob.send(me, 'first wording');
    const { key } = await client.received('first wording');
    await bob.send(me, { text: 'second wording', edit: { ...key, remoteJid: me.jid() } });
    const edited = await until(
      () => client.updates.find(({ key, update }) => key.id === id && update.message),
      'the edit',
    );
    expect(JSON.stringify(edited.update.message)).toContain('second wording');
    await bob.send(me, { delete: { ...key, remoteJid: me.jid() } });
    await until(
      () => client.updates.find(({ key, update }) => key.id === id && update.message === null),
      'the deletion',
    );
  });
});

describe('app state', () => {
  test('app state: phone sets push name -> creds.me.name + presence', async () => {
    const { client, me, network } = cast;
    const presences: string[] = [];
    network.events.on('presence', ({ stanza }) => presences.push(stanza.attrs.name ?? ''));
    await me.modify({ pushNameSetting: 'Renamed Me' });
    await until(() => client.auth.creds.me?.name === 'Renamed Me', 'the name');
    await until(() => presences.includes('Renamed Me'), 'the presence');
  });

  test('app state: Baileys chatModify(mute) reaches phone; phone pin reaches Baileys', async () => {
    const { bob, client, me, network } = cast;
    const changes: { by: number; index: string[] }[] = [];
    network.events.on('appState', (change) => changes.push(change));
    const pinned: unknown[] = [];
    client.socket.ev.on('chats.update', (chats) =>
      pinned.push(...chats.filter((chat) => chat.pinned)),
    );
    await client.socket.chatModify({ mute: 8 * 3_600_000 }, bob.jid());
    await until(() => changes.length > 0, 'the change');
    expect(changes).toMatchObject([{ by: 1, index: ['mute', bob.jid()] }]);
    await me.modify({ pin: true }, bob);
    await until(() => pinned.length > 0, 'the pin');
    expect(pinned).toMatchObject([{ id: bob.jid() }]);
  });
});

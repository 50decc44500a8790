import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:https';
import { verifies } from '@relay/testing/verifies';
import { downloadMediaMessage, type WAMessage } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LoggedStanza } from './events.ts';
import type { MediaDownloadFault, MediaUploadFault } from './faults.ts';
import { mediaPartOf } from './media.ts';
import { SILENT, until } from './testing/client.ts';
import { createPairedFixture, expectNoFailures, type NetworkFixture } from './testing/fixture.ts';

let cast: NetworkFixture;

beforeAll(async () => {
  cast = await createPairedFixture();
});

afterEach(() => {
  cast.network.faults.clear();
  expectNoFailures(cast);
});

afterAll(() => cast.end());

const FILE = randomBytes(50_000);

const arrival = (id: string): Promise<WAMessage> =>
  until(() => cast.client.upserts.find(({ key }) => key.id === id), `message ${id}`);

function fetched(message: WAMessage): Promise<Buffer> {
  const reuploadRequest = cast.client.socket.updateMediaMessage;
  return downloadMediaMessage(message, 'buffer', {}, { logger: SILENT, reuploadRequest });
}

/** Baileys 7.0.0-rc14 does not ask by itself: it looks for the status where its own error does not have it. */
async function fetchedAgain(message: WAMessage): Promise<Buffer> {
  return fetched(await cast.client.socket.updateMediaMessage(message));
}

describe('each kind of media', () => {
  const OUT = [
    ['image', { image: FILE, mimetype: 'image/jpeg', caption: 'a picture' }, 'image/jpeg'],
    ['video', { video: FILE, mimetype: 'video/mp4' }, 'video/mp4'],
    [
      'voice',
      { audio: FILE, ptt: true, mimetype: 'audio/ogg; codecs=opus' },
      'audio/ogg; codecs=opus',
    ],
    ['audio', { audio: FILE, mimetype: 'audio/mp4' }, 'audio/mp4'],
    [
      'document',
      { document: FILE, fileName: 'a.pdf', mimetype: 'application/pdf' },
      'application/pdf',
    ],
    ['sticker', { sticker: FILE, mimetype: 'image/webp' }, 'image/webp'],
    ['view-once image', { image: FILE, viewOnce: true, mimetype: 'image/jpeg' }, 'image/jpeg'],
  ] as const;

  test.each(OUT)('from a phone is opened by the companion: %s', async (_, content, mimetype) => {
    verifies('MEDIA-SIMULATED');
    const { bob, me } = cast;
    const message = await arrival(await bob.send(me, content));
    expect(await fetched(message)).toEqual(FILE);
    const part = message.message && mediaPartOf(message.message);
    expect(part?.fields.mimetype).toBe(mimetype);
    expect(part?.viewOnce).toBe('viewOnce' in content);
  });

  test.each(OUT)('from the companion is opened by a phone: %s', async (_, content, mimetype) => {
    const { bob, client, me } = cast;
    const sent = await client.socket.sendMessage(bob.jid(), content);
    const id = sent?.key.id ?? '';
    const seen = await until(() => bob.shown().find((one) => one.id === id), 'the message');
    expect(await bob.download(id)).toEqual(FILE);
    expect(seen).toMatchObject({
      from: me.phone,
      media: {
        bytes: FILE.length,
        mimetype,
        voice: 'ptt' in content,
        viewOnce: 'viewOnce' in content,
      },
    });
  });

  test('streams a large file from the companion to a phone and back', async () => {
    const { bob, client, me } = cast;
    const large = randomBytes(20 << 20);
    const sent = await client.socket.sendMessage(bob.jid(), { video: large });
    const id = sent?.key.id ?? '';
    await until(() => bob.messages().some((one) => one.id === id), 'the message');
    expect((await bob.download(id)).equals(large)).toBe(true);
    const message = await arrival(await bob.send(me, { video: large }));
    expect((await fetched(message)).equals(large)).toBe(true);
  });

  test('keeps view-once content from companions and sends them a notice in its place', async () => {
    const { bob, me } = cast;
    const image = { image: FILE, viewOnce: true };
    const id = await bob.send(me, image, { viewOnceNotice: true });
    const { key, message } = await arrival(id);
    expect([key.isViewOnce, message ?? null]).toEqual([true, null]);
    expect(me.shown().find((one) => one.id === id)?.media?.viewOnce).toBe(true);
    expect(await me.download(id)).toEqual(FILE);
  });
});

describe('a phone', () => {
  test('refuses a file whose hash, length or content is not what the message says', async () => {
    const { bob, me } = cast;
    const composed = await bob.compose({ document: FILE, mimetype: 'application/pdf' });
    const sent = async (fields: object) => {
      const documentMessage = { ...composed.documentMessage, ...fields };
      const id = await bob.send(me, { raw: { documentMessage } });
      await until(() => me.messages().some((one) => one.id === id), 'the message');
      return me.download(id);
    };
    expect(await sent({})).toEqual(FILE);
    await expect(sent({ fileSha256: randomBytes(32) })).rejects.toThrow(
      'the file has another hash',
    );
    await expect(sent({ fileEncSha256: randomBytes(32) })).rejects.toThrow('encrypted file');
    await expect(sent({ fileLength: 1 })).rejects.toThrow('another length');
    await expect(sent({ mediaKey: randomBytes(32) })).rejects.toThrow('altered');
  });

  test('shows reactions, edits and deletions at the message they belong to', async () => {
    const { bob, client, me } = cast;
    const chat = { with: me };
    const of = (id: string | null | undefined) => bob.shown(chat).find((one) => one.id === id);
    const first = await client.socket.sendMessage(bob.jid(), { text: 'first wording' });
    if (!first) throw new Error('nothing was sent');
    const { id } = first.key;
    await client.socket.sendMessage(bob.jid(), { react: { text: '🔥', key: first.key } });
    await until(() => of(id)?.reactions[me.phone] === '🔥', 'the reaction');
    await client.socket.sendMessage(bob.jid(), { text: 'second wording', edit: first.key });
    await until(() => of(id)?.text === 'second wording' && of(id)?.edited, 'the edit');
    await client.socket.sendMessage(bob.jid(), { react: { text: '', key: first.key } });
    await until(() => of(id)?.reactions[me.phone] === undefined, 'no reaction');
    await client.socket.sendMessage(bob.jid(), { delete: first.key });
    await until(() => of(id)?.deleted, 'the deletion');
    expect(of(id)?.text).toBeUndefined();
  });

  test('ignores an edit of another person’s message', async () => {
    const { bob, client } = cast;
    const theirs = await bob.send(cast.me, 'my own words');
    const { key } = await client.received('my own words');
    const forged = await client.socket.sendMessage(bob.jid(), { text: 'not theirs', edit: key });
    await until(() => bob.messages().some(({ id }) => id === forged?.key.id), 'the attempt');
    expect(bob.shown().find(({ id }) => id === theirs)).toMatchObject({
      text: 'my own words',
      edited: false,
    });
  });

  test('edits and deletes its own message for the companion', async () => {
    const { bob, client, me } = cast;
    const id = await bob.send(me, 'draft');
    await client.received('draft');
    await bob.edit(me, id, 'final');
    await until(
      () => client.updates.some(({ key, update }) => key.id === id && update.message),
      'the edit',
    );
    await bob.delete(me, id);
    await until(
      () => client.updates.some(({ key, update }) => key.id === id && update.message === null),
      'the deletion',
    );
    expect(bob.shown().find((one) => one.id === id)).toMatchObject({ edited: true, deleted: true });
  });

  test('shows a poll and who chose what', async () => {
    const { bob, carol, client, me, network } = cast;
    const group = network.createGroup({ subject: 'Dinner', owner: me, members: [bob, carol] });
    const values = ['Pizza', 'Sushi', 'Thai'];
    const poll = { name: 'What to eat?', values, selectableCount: 1 };
    const sent = await client.socket.sendMessage(group.jid, { poll });
    const id = sent?.key.id ?? '';
    const shown = () => carol.shown({ with: group }).find((one) => one.id === id)?.poll;
    await until(() => shown(), 'the poll');
    await until(() => bob.messages().some((one) => one.id === id), 'the poll at Bob');
    await bob.vote(group, id, ['Sushi']);
    await until(() => shown()?.votes[bob.phone], 'the vote');
    expect(shown()).toEqual({
      question: 'What to eat?',
      options: values,
      selectable: 1,
      votes: { [bob.phone]: ['Sushi'] },
    });
    await bob.vote(group, id, []);
    await until(() => shown()?.votes[bob.phone]?.length === 0, 'the vote taken back');
    await until(
      () => client.upserts.some(({ message }) => message?.pollUpdateMessage),
      'the vote at the companion',
    );
  });

  test('shows locations and contacts', async () => {
    const { bob, client } = cast;
    const place = {
      degreesLatitude: 52.5,
      degreesLongitude: 13.4,
      name: 'Gate',
      address: 'Berlin',
    };
    await client.socket.sendMessage(bob.jid(), { location: place });
    const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Dan\nEND:VCARD';
    const cards = { displayName: 'Dan', contacts: [{ displayName: 'Dan', vcard }] };
    await client.socket.sendMessage(bob.jid(), { contacts: cards });
    const [location, contact] = await until(() => {
      const shown = bob.shown().filter((one) => one.location ?? one.contacts[0]);
      return shown.length === 2 && shown;
    }, 'both');
    expect(location?.location).toEqual({
      latitude: 52.5,
      longitude: 13.4,
      name: 'Gate',
      address: 'Berlin',
    });
    expect(contact?.contacts).toEqual([{ name: 'Dan', vcard }]);
  });
});

describe('downloads that go wrong', () => {
  test.each([404, 410] as const)(
    'asks the phone for a file whose link answers %i',
    async (status) => {
      const { bob, me, network } = cast;
      const id = await bob.send(me, { image: FILE });
      const message = await arrival(id);
      await until(() => me.messages().some((one) => one.id === id), 'the message on the phone');
      await until(() => me.messages().some((one) => one.id === id), 'the message on the phone');
      me.expireMedia(id, status);
      await expect(fetched(message)).rejects.toMatchObject({ output: { statusCode: status } });
      expect(await fetchedAgain(message)).toEqual(FILE);
      const answers = network.media.requests.filter(({ direction }) => direction === 'download');
      expect(answers.slice(-2).map((each) => each.status)).toEqual([status, 200]);
    },
  );

  test.each([
    ['not_found', 404],
    ['decryption_error', 412],
    ['general_error', 418],
  ] as const)('reports that the phone cannot upload again: %s', async (fault, statusCode) => {
    const { bob, me, network } = cast;
    const id = await bob.send(me, { image: FILE });
    const message = await arrival(id);
    await until(() => me.messages().some((one) => one.id === id), 'the message on the phone');
    me.expireMedia(id);
    network.faults.set({ mediaRetry: fault });
    await expect(fetchedAgain(message)).rejects.toMatchObject({ output: { statusCode } });
  });

  test('refuses a new link that is not encrypted for this message', async () => {
    const { bob, me, network } = cast;
    const id = await bob.send(me, { image: FILE });
    const message = await arrival(id);
    await until(() => me.messages().some((one) => one.id === id), 'the message on the phone');
    me.expireMedia(id);
    network.faults.set({ mediaRetry: 'altered' });
    await expect(fetchedAgain(message)).rejects.toThrow();
  });

  test('answers from a phone that was off once it is on again', async () => {
    const { bob, client, me } = cast;
    const id = await bob.send(me, { image: FILE });
    const message = await arrival(id);
    await until(() => me.messages().some((one) => one.id === id), 'the message on the phone');
    me.expireMedia(id);
    me.switchOff();
    const asked = client.socket.updateMediaMessage(message);
    const asks = ({ stanza }: LoggedStanza) =>
      stanza.attrs.type === 'server-error' && stanza.attrs.id === id;
    await until(() => cast.network.stanzas.some(asks), 'the request');
    me.switchOn();
    expect(await fetched(await asked)).toEqual(FILE);
  });

  /** The status and the number of bytes; `broken` if the connection ended early. */
  async function raw(id: string, enough = Infinity) {
    const { host } = cast.network.media;
    const content = cast.bob.messages().find((one) => one.id === id)?.content;
    const { directPath, fileEncSha256 } = (content && mediaPartOf(content)?.fields) ?? {};
    const asking = request(`https://${host}${directPath}`).end();
    const [response] = await once(asking, 'response');
    const hash = createHash('sha256');
    let bytes = 0;
    let broken = false;
    try {
      for await (const part of response) {
        bytes += part.length;
        hash.update(part);
        if (bytes >= enough) break;
      }
    } catch {
      broken = true;
    }
    const { headers, statusCode } = response;
    const same = fileEncSha256 ? hash.digest().equals(fileEncSha256) : false;
    return { bytes, broken, same, status: statusCode, to: headers.location };
  }

  const SEALED = 50_016 - (50_016 % 16) + 10;

  test.each([
    [
      { kind: 'status', status: 500 },
      { status: 500, bytes: 0 },
    ],
    [{ kind: 'altered' }, { status: 200, bytes: SEALED, same: false }],
    [{ kind: 'truncated' }, { status: 200, bytes: Math.floor(SEALED / 2), broken: false }],
    [{ kind: 'cut' }, { status: 200, bytes: Math.floor(SEALED / 2), broken: true }],
    [
      { kind: 'slow', bytesPerSecond: 1_000_000 },
      { status: 200, bytes: SEALED, same: true },
    ],
    [
      { kind: 'redirected', to: 'https://127.0.0.1:1/' },
      { status: 302, to: 'https://127.0.0.1:1/' },
    ],
  ] as [MediaDownloadFault, object][])('can be %o', async (fault, expected) => {
    const { bob, me, network } = cast;
    const id = await bob.send(me, { image: FILE });
    network.faults.set({ mediaDownload: { ...fault, times: 1 } });
    expect(await raw(id)).toMatchObject(expected);
    expect(await raw(id)).toMatchObject({ status: 200, bytes: SEALED, same: true });
  });

  test('can be endless', async () => {
    const { bob, me, network } = cast;
    const id = await bob.send(me, { image: FILE });
    network.faults.set({ mediaDownload: { kind: 'endless' } });
    const { bytes } = await raw(id, 1_000_000);
    expect(bytes).toBeGreaterThanOrEqual(1_000_000);
  });

  test('need the whole link, with its query', async () => {
    const { bob, me, network } = cast;
    const id = await bob.send(me, { image: FILE });
    const content = bob.messages().find((one) => one.id === id)?.content;
    const path = content?.imageMessage?.directPath?.split('?')[0];
    const asking = request(`https://${network.media.host}${path}`).end();
    const [response] = await once(asking, 'response');
    expect(response.resume().statusCode).toBe(404);
  });
});

describe('uploads that go wrong', () => {
  test.each([
    { kind: 'status', status: 413 },
    { kind: 'cut' },
    { kind: 'no_path' },
  ] as MediaUploadFault[])('can be %o', async (fault) => {
    const { bob, client, network } = cast;
    network.faults.set({ mediaUpload: fault });
    const sending = client.socket.sendMessage(bob.jid(), { document: FILE, mimetype: 'a/b' });
    await expect(sending).rejects.toThrow('Media upload failed');
    network.faults.clear();
    const sent = await client.socket.sendMessage(bob.jid(), { document: FILE, mimetype: 'a/b' });
    const id = sent?.key.id ?? '';
    await until(() => bob.messages().some((one) => one.id === id), 'the message');
    expect(await bob.download(id)).toEqual(FILE);
  });

  test.each([
    ['that is not what its name says', `/mms/image/${'A'.repeat(43)}?auth=sim`, 400],
    ['without the token of media_conn', `/mms/image/${'A'.repeat(43)}?auth=no`, 401],
  ])('refuses a file %s', async (_, path, status) => {
    const asking = request(`https://${cast.network.media.host}${path}`, { method: 'POST' });
    asking.end('abc');
    const [response] = await once(asking, 'response');
    expect(response.resume().statusCode).toBe(status);
  });
});

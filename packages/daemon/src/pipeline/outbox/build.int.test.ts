import { randomBytes } from 'node:crypto';
import { SendFault } from '@relay/core/ports/transport';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { putMedia } from '../gate/testing/media.ts';
import { findSent } from './outbox.ts';
import { freshPost } from './testing/post.ts';

const FILE = randomBytes(70_000);

async function postWithFile() {
  const post = await freshPost(onTestFinished);
  const { content } = await putMedia(post, { bytes: FILE });
  const open = async function* () {
    yield FILE.subarray(0, 30_000);
    yield FILE.subarray(30_000);
  };
  post.files.set(content.media, open);
  const sendFile = (text = 'look', to = '+49 151 000001') =>
    post.send(text, { to, content: { kind: 'media', id: content.media, as: 'image' } });
  return { ...post, content, sendFile };
}

test('builds a file once, and sends the same at every attempt', async () => {
  verifies('MEDIA-OUT-ONCE');
  const post = await postWithFile();
  post.network.answer = (_message, nth) => (nth === 1 ? 'cut' : 'ack');
  const { messageId } = await post.sendFile();
  post.start();
  await eventually(() => post.network.asked.length === 1);
  post.later(60_000);
  await post.becomes('sent');
  expect(post.network.built).toHaveLength(1);
  expect(Buffer.from(post.network.built[0]?.bytes ?? '', 'base64').equals(FILE)).toBe(true);
  expect(post.network.asked).toEqual([messageId, messageId]);
  const [{ built } = {}] = post.network.wire;
  expect(built).toBeDefined();
  const [row] = await post.sql<{ wire: Buffer }>('SELECT wire FROM outbox');
  // Sealed: neither the text nor the file can be read in the database.
  expect(row?.wire.includes('look')).toBe(false);
  const openBuiltOf = post.network.builder(post.account).open;
  const again = await findSent(post.database.kysely, post.account, messageId, openBuiltOf);
  expect(Buffer.from(again?.built ?? []).equals(Buffer.from(built ?? []))).toBe(true);
});

test('does not build again what a daemon that was killed had built', async () => {
  verifies('MEDIA-OUT-ONCE');
  const post = await postWithFile();
  post.network.answer = () => 'silent';
  await post.sendFile();
  post.start();
  await eventually(() => post.network.asked.length === 1);
  await post.kill();
  post.network.answer = () => 'ack';
  post.start();
  await eventually(() => post.network.asked.length === 2);
  await post.becomes('sent');
  expect(post.network.built).toHaveLength(1);
});

test('loses nothing when it is killed during an upload', async () => {
  verifies('MEDIA-OUT-ONCE');
  const post = await postWithFile();
  const begun = Promise.withResolvers<void>();
  post.network.beforeBuild = () => {
    begun.resolve();
    return new Promise(() => {});
  };
  await post.sendFile();
  post.start();
  await begun.promise;
  await post.kill();
  expect(await post.states()).toEqual(['pending']);
  expect(post.network.asked).toEqual([]);
  post.network.beforeBuild = async () => {};
  post.start();
  await post.becomes('sent');
  expect(post.network.shown).toEqual(['look']);
});

test('sends other chats on during an upload, and its own chat in order', async () => {
  const post = await postWithFile();
  const uploaded = Promise.withResolvers<void>();
  post.network.beforeBuild = () => uploaded.promise;
  await post.sendFile('photo');
  await post.send('after the photo');
  await post.send('elsewhere', { to: '+49 151 000002' });
  post.start();
  await eventually(() => post.network.shown.includes('elsewhere'));
  await post.looked();
  expect(post.network.shown).toEqual(['elsewhere']);
  uploaded.resolve();
  await post.becomes('sent', 'sent', 'sent');
  expect(post.network.shown).toEqual(['elsewhere', 'photo', 'after the photo']);
});

test('uploads several files of one chat at once, and sends them in order', async () => {
  const post = await postWithFile();
  const uploads = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun: string[] = [];
  post.network.beforeBuild = async ({ text }) => {
    begun.push(text);
    await uploads[text === 'first' ? 0 : 1]?.promise;
  };
  await post.sendFile('first');
  await post.sendFile('second');
  post.start();
  await eventually(() => begun.length === 2);
  uploads[1]?.resolve();
  await eventually(
    async () => (await post.sql('SELECT 1 FROM outbox WHERE wire IS NOT NULL')).length === 1,
  );
  await post.looked();
  expect(post.network.asked).toEqual([]);
  uploads[0]?.resolve();
  await post.becomes('sent', 'sent');
  expect(post.network.shown).toEqual(['first', 'second']);
});

test('checks the permit again after the upload: a hold keeps the message back', async () => {
  verifies('MEDIA-OUT-GATE');
  const post = await postWithFile();
  const [begun, uploaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  post.network.beforeBuild = async () => {
    begun.resolve();
    await uploaded.promise;
  };
  await post.sendFile();
  post.start();
  await begun.promise;
  await post.sql(`INSERT INTO holds (account_id, reason) VALUES ($1, '')`, [post.account]);
  uploaded.resolve();
  await eventually(
    async () => (await post.sql('SELECT 1 FROM outbox WHERE wire IS NOT NULL')).length > 0,
  );
  await post.looked();
  expect(post.network.asked).toEqual([]);
  await post.sql('DELETE FROM holds');
  await post.becomes('sent');
});

test('stops a file whose bytes are not those that were allowed', async () => {
  verifies('MEDIA-OUT-BOUND');
  const post = await postWithFile();
  post.files.set(post.content.media, async function* () {
    yield randomBytes(70_000);
  });
  await post.sendFile();
  post.start();
  await post.becomes('failed');
  expect(post.network.asked).toEqual([]);
  const [line] = await post.sql('SELECT action, reason FROM ledger ORDER BY seq DESC LIMIT 1');
  expect(line).toEqual({ action: 'stop_message', reason: 'altered' });
});

test('tries an upload again that failed, and gives up in the end', async () => {
  const post = await postWithFile();
  let tries = 0;
  post.network.beforeBuild = async () => {
    tries += 1;
    throw new SendFault('not_sent', 'the media host is away');
  };
  await post.sendFile();
  post.start();
  await eventually(async () => {
    post.later(600_000);
    return (await post.states()).join() === 'failed';
  });
  expect(tries).toBeGreaterThan(1);
  expect(post.network.asked).toEqual([]);
});

test('sends reactions, polls and places as what they are', async () => {
  verifies('MEDIA-OUT-TYPED');
  const post = await freshPost(onTestFinished);
  const poll = {
    kind: 'poll',
    question: 'When?',
    options: ['Mon', 'Tue'],
    select_up_to: 1,
  } as const;
  await post.send('', { content: { ...poll, options: [...poll.options] } });
  const place = { kind: 'location', latitude: 1, longitude: 2, name: null, address: null } as const;
  await post.send('', { content: place });
  post.start();
  await post.becomes('sent', 'sent');
  expect(post.network.built.map(({ content }) => content)).toEqual([poll, place]);
});

// Everything that is more than text, over the shipped daemon and command to the phone: what the recipient sees there is
// what was uploaded or asked for, and a client's forwarding waits for the owner.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Approval } from '@relay/contract/api/approvals';
import type { UploadedMedia } from '@relay/contract/api/media';
import type { V1 } from '@relay/contract/api/v1';
import type { ShownMessage } from '@relay/simulator/whatsapp/people/screen';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { oggOpus, sha256Hex } from '../files.ts';
import { verifies } from '../verifies.ts';
import { eventually } from './gateway.ts';
import { BEN, jid, type LinkedRelay, ME, openLinkedRelay } from './linked.ts';

const CARA = '15550000002';
/** The beginning of a JPEG file, so that it is detected as one. */
const PHOTO = Buffer.concat([
  Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  randomBytes(200_000),
]);

let linked: LinkedRelay;
beforeAll(async () => {
  linked = await openLinkedRelay({ database: 'beside' });
  await linked.demo.phones.add(CARA, 'Cara');
}, 120_000);
afterAll(() => linked.demo.stop());

const phoneOf = (phone: string) => {
  const account = linked.demo.simulator.network.account(phone);
  if (account === undefined) throw new Error(`no account has ${phone}`);
  return account;
};
const sees = (phone: string, found: (message: ShownMessage) => boolean): Promise<ShownMessage> =>
  eventually('the phone', async () => phoneOf(phone).shown().find(found));

async function upload(bytes: Buffer, type: string, token = linked.demo.token, name = 'cat.jpg') {
  const answer = await fetch(`${linked.demo.api}/api/media?file_name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: new Uint8Array(bytes),
  });
  return { status: answer.status, body: (await answer.json()) as UploadedMedia & { code: string } };
}

const send = (what: object) =>
  linked.demo.relay.ok<{ messageId: string; id: string }>('POST', '/api/whatsapp/messages', {
    to: `+${BEN}`,
    ...what,
  });

/** Until Relay has stored it, nothing can be about it. */
const recorded = (message: string) =>
  eventually('the stored message', async () => {
    const last = await linked.demo.relay.messages({ chat: jid(BEN), limit: 5 });
    return last.some(({ id }) => id === message) || undefined;
  });

test('a photo arrives byte for byte, whatever type its sender declared', async () => {
  verifies('MEDIA-OUT-UPLOAD', 'MEDIA-OUT-KINDS', 'MEDIA-OUT-SURFACES');
  const { status, body } = await upload(PHOTO, 'application/octet-stream');
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    bytes: PHOTO.length,
    sha256: sha256Hex(PHOTO),
  });
  const { messageId } = await send({ media: { id: body.id, kind: 'image', caption: 'a cat' } });
  const seen = await sees(BEN, ({ id }) => id === messageId);
  expect(seen).toMatchObject({ text: 'a cat', media: { kind: 'image', mimetype: 'image/jpeg' } });
  expect((await phoneOf(BEN).download(messageId)).equals(PHOTO)).toBe(true);
  await recorded(messageId);
  const [shown] = await linked.demo.relay.messages({ chat: jid(BEN), limit: 1 });
  expect(shown).toMatchObject({ id: messageId, fromMe: true, body: '[Image] a cat' });
  const [row] = await linked.query<{ origin: string; sha256: string }>(
    `SELECT origin, encode(sha256, 'hex') AS sha256 FROM relay.media WHERE message_id = $1`,
    [messageId],
  );
  expect(row).toEqual({ origin: 'sent', sha256: body.sha256 });
});

test('an upload that is empty, or has no type, is refused', async () => {
  verifies('MEDIA-OUT-UPLOAD');
  expect((await upload(Buffer.alloc(0), 'image/png')).status).toBeGreaterThanOrEqual(400);
  expect((await upload(PHOTO, 'nonsense')).status).toBe(415);
  const { body } = await upload(Buffer.from('<svg onload="x()"/>'), 'image/png');
  await expect(send({ media: { id: body.id, kind: 'image' } })).rejects.toThrow('cannot be sent');
});

test('the command sends a voice message, a reaction and a place', async () => {
  verifies('MEDIA-OUT-SURFACES', 'MEDIA-OUT-TYPED');
  const file = join(linked.demo.home, '..', 'hello.ogg');
  await writeFile(file, oggOpus(3));
  const sent = await linked.command('messages', 'send', `+${BEN}`, '--voice', file);
  expect(sent).toMatchObject({ exit: 0, err: '' });
  const voice = await sees(BEN, ({ media }) => media?.voice === true);
  expect(voice.media).toMatchObject({ seconds: 3 });
  expect((await phoneOf(BEN).download(voice.id)).equals(oggOpus(3))).toBe(true);

  const asked = await linked.demo.phones.send(BEN, ME, 'Coming?');
  await recorded(asked);
  await linked.command('messages', 'send', `+${BEN}`, '👍', '--react', asked);
  await sees(BEN, ({ id, reactions }) => id === asked && Object.values(reactions)[0] === '👍');
  await linked.command('messages', 'send', `+${BEN}`, 'Café', '--location', '52.52,13.405');
  await sees(BEN, ({ location }) => location?.name === 'Café');
});

test('a message is edited and deleted, and a poll is asked', async () => {
  verifies('MEDIA-OUT-SURFACES', 'MEDIA-OUT-TYPED');
  const { messageId } = await send({ text: 'At 8?' });
  await recorded(messageId);
  await send({ text: 'At 9?', edit: { of: messageId } });
  await sees(BEN, ({ id, edited, text }) => id === messageId && edited && text === 'At 9?');
  await send({ delete: { of: messageId } });
  await sees(BEN, ({ id, deleted }) => id === messageId && deleted);
  await send({ poll: { question: 'When?', options: ['Mon', 'Tue'] } });
  const { poll } = await sees(BEN, (message) => message.poll !== undefined);
  expect(poll).toMatchObject({ question: 'When?', options: ['Mon', 'Tue'], selectable: 1 });
});

test('a client sends its own upload, and forwards only what the owner approves', async () => {
  verifies('MEDIA-OUT-FORWARD', 'MEDIA-OUT-SURFACES', 'MEDIA-OUT-UPLOAD');
  const { relay } = linked.demo;
  for (const phoneNumber of [BEN, CARA]) {
    await relay.ok('POST', '/api/whatsapp/permissions', {
      phoneNumber,
      displayName: phoneNumber,
      canRead: true,
      canReply: true,
    });
  }
  await linked.talk('hello');
  await relay.send(`+${CARA}`, 'hello');
  await eventually('the first message to Cara', async () =>
    phoneOf(CARA).shown().length > 0 ? true : undefined,
  );
  const { secret } = await relay.ok<{ secret: string }>('POST', '/api/tokens', {
    name: 'camera',
    scopes: ['messages:send', 'messages:read', 'media:read', 'media:write'],
    confirm: false,
  });
  const asClient = async <T>(what: object) => {
    const answer = await fetch(`${linked.demo.api}/api/v1/accounts/default/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: `+${CARA}`, ...what }),
    });
    return { status: answer.status, body: (await answer.json()) as T };
  };
  const own = await upload(PHOTO, 'image/jpeg', secret);
  const sent = await asClient<V1<'sentMessage'>>({ media: { id: own.body.id, kind: 'image' } });
  expect(sent).toMatchObject({ status: 201, body: { state: 'pending' } });
  await sees(CARA, ({ id }) => id === sent.body.message_id);

  const owners = await upload(randomBytes(1_000), 'application/pdf');
  const hidden = await asClient({ media: { id: owners.body.id, kind: 'document' } });
  expect(hidden.status).toBe(404);

  const bens = phoneOf(BEN);
  const received = await bens.send(phoneOf(ME), { image: PHOTO, caption: 'for you' });
  const [media] = await eventually('the photo of Ben', async () => {
    const found = await linked.query<{ id: string }>(
      `SELECT id FROM relay.media WHERE message_id = $1 AND state = 'stored'`,
      [received],
    );
    return found.length > 0 ? found : undefined;
  });
  const readBy = async (token: string) => {
    const answer = await fetch(`${linked.demo.api}/api/media/${media?.id}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return Buffer.from(await answer.arrayBuffer());
  };
  const reads = () => linked.query<object>('SELECT chat_id FROM relay.token_reads');
  expect(await reads()).toEqual([]);
  expect((await readBy(secret)).equals(PHOTO)).toBe(true);
  // Seeing the photo counts as reading Ben's chat.
  expect(await reads()).toHaveLength(1);
  const asked = await asClient<V1<'sentMessage'>>({
    media: { id: media?.id ?? '', kind: 'image', caption: 'from Ben' },
  });
  expect(asked.body).toMatchObject({ state: 'waiting_for_approval', reason: 'read_then_send' });
  const approval = await relay.ok<Approval>('GET', `/api/approvals/${asked.body.approval_id}`);
  expect(approval).toMatchObject({ text: 'from Ben', media: { sha256: sha256Hex(PHOTO) } });
  const picture = await fetch(`${linked.demo.api}/api/media/${approval.media?.id}`, {
    headers: { authorization: `Bearer ${linked.demo.token}` },
  });
  expect(Buffer.from(await picture.arrayBuffer()).equals(PHOTO)).toBe(true);
  await relay.ok('POST', `/api/approvals/${approval.id}/approve`, { shown: approval.shown });
  const { id } = await sees(CARA, ({ text }) => text === 'from Ben');
  expect((await phoneOf(CARA).download(id)).equals(PHOTO)).toBe(true);
});

test('a schedule sends a file in its turn', async () => {
  verifies('MEDIA-OUT-SURFACES');
  const { body } = await upload(PHOTO, 'image/jpeg');
  const at = new Date(Date.now() + 1_500).toISOString();
  const { relay } = linked.demo;
  const made = await relay.ok<{ id: string; content: object }>('POST', '/api/schedules', {
    to: `+${BEN}`,
    media: { id: body.id, kind: 'image', caption: 'as planned' },
    rule: { kind: 'once', at },
  });
  expect(made.content).toMatchObject({ kind: 'media', media: body.id });
  await sees(BEN, ({ text }) => text === 'as planned');
});

test('the command schedules a file, and the list names it', async () => {
  verifies('MEDIA-OUT-SURFACES');
  const file = join(linked.demo.home, '..', 'plan.pdf');
  await writeFile(file, '%PDF-1.7\nthe plan');
  const made = await linked.command(
    ...['schedule', 'every friday 9am', 'This week', '--to', `+${BEN}`],
    ...['--file', file, '--yes'],
  );
  expect(made).toMatchObject({ exit: 0, err: '' });
  expect(made.out).toContain('│ [Document “plan.pdf”');
  expect(made.out).toContain('│ This week');
  const { out } = await linked.command('schedule', 'list');
  expect(out).toContain('[Document “plan.pdf”');
});

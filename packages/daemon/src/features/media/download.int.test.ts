import type { MessageId } from '@relay/contract/ids';
import { MediaFault } from '@relay/core/ports/transport';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { type MediaFixture, openMediaFixture, PHOTO, pieces } from './testing/fixture.ts';

const GROUP = '120363000001@g.us';

async function granted(): Promise<MediaFixture> {
  const desk = await openMediaFixture();
  await desk.receive({ kind: 'conversation', body: 'hello', media: null });
  await desk.grantBob();
  return desk;
}

const jobCount = async ({ sql }: MediaFixture) =>
  (
    await sql<{ count: number }>(
      "SELECT count(*)::int AS count FROM relay_jobs.job WHERE name = 'media'",
    )
  )[0]?.count;

const objects = async ({ sql }: MediaFixture) =>
  (await sql<{ object: string }>('SELECT object FROM media_objects')).map(({ object }) => object);

test('stores a photo of a chat with a read grant, with the type that its bytes have', async () => {
  verifies('MEDIA-IN-DURABLE', 'MEDIA-IN-TYPE');
  const desk = await granted();
  await desk.start();
  const id = await desk.receive();
  expect(await desk.reaches(id, 'stored')).toMatchObject({
    kind: 'image',
    mime_type: 'image/png',
    bytes: PHOTO.length,
    reason: null,
  });
  expect((await desk.bytesOf(id)).equals(PHOTO)).toBe(true);
  await eventually(async () => (await jobCount(desk)) === 0);
  const [event] = await desk.sql("SELECT data FROM events WHERE kind = 'media'");
  expect(event).toMatchObject({ data: { state: 'stored', message: id } });
});

test('queues a job in the transaction of the message, and none for a chat without a grant', async () => {
  verifies('MEDIA-IN-GRANT');
  const desk = await openMediaFixture();
  const id = await desk.receive();
  const inGroup = await desk.receive({ chat: GROUP });
  for (const one of [id, inGroup]) {
    expect(await desk.row(one)).toMatchObject({ state: 'refused', reason: 'no_read_grant' });
  }
  expect(await jobCount(desk)).toBe(0);
  await desk.grantBob();
  const next = await desk.receive();
  expect(await desk.row(next)).toMatchObject({ state: 'waiting', reason: null });
  expect(await jobCount(desk)).toBe(1);
});

test('downloads in observed groups and in chats with an open conversation', async () => {
  verifies('MEDIA-IN-GRANT');
  const desk = await openMediaFixture();
  await desk.receive({ kind: 'conversation', body: 'hi', media: null });
  await desk.receive({ chat: GROUP, kind: 'conversation', body: 'hi', media: null });
  await desk.sql(`INSERT INTO observed_groups (account_id, chat_id, zone)
    SELECT account_id, id, 'UTC' FROM chats WHERE kind = 'group'`);
  await desk.sql(`INSERT INTO instances (account_id, id, contact_id, chat_id, target_contact, objective, todos, state,
      interval_ms, max_followups, follow_up_count, unread, epoch, options)
    SELECT account_id, gen_random_uuid(), contact_id, id, 'Bob', 'x', '[]', 'WAITING_FOR_REPLY', 1000, 0, 0, 0, 0, '{}'
    FROM chats WHERE kind = 'direct'`);
  expect(await desk.row(await desk.receive())).toMatchObject({ state: 'waiting' });
  expect(await desk.row(await desk.receive({ chat: GROUP }))).toMatchObject({ state: 'waiting' });
  await desk.sql("UPDATE instances SET state = 'COMPLETED'");
  expect(await desk.row(await desk.receive())).toMatchObject({ reason: 'no_read_grant' });
});

test("downloads from the owner's other number, and nothing that is to be seen once", async () => {
  const desk = await granted();
  const admin = '4915100000099@s.whatsapp.net';
  const own = await desk.receive({ chat: admin, sender: admin });
  expect(await desk.row(own)).toMatchObject({ state: 'waiting' });
  const media = { kind: 'image' as const, mimeType: null, fileName: null, size: 5, seconds: null };
  const once = await desk.receive({ media: { ...media, viewOnce: true } });
  expect(await desk.row(once)).toMatchObject({ state: 'refused', reason: 'view_once' });
});

test('fetches the last 7 days of a chat once a grant opens it', async () => {
  verifies('MEDIA-IN-GRANT');
  const desk = await openMediaFixture();
  const old = await desk.receive({ sentAt: new Date('2026-02-22T11:59:00Z') });
  const recent = await desk.receive({ sentAt: new Date('2026-02-22T12:01:00Z') });
  await desk.start();
  await desk.grantBob();
  await desk.reaches(recent, 'stored');
  expect(await desk.row(old)).toMatchObject({ state: 'refused', reason: 'no_read_grant' });
});

test('stores a file once, whether its job runs twice or two messages carry it', async () => {
  verifies('MEDIA-IN-DURABLE');
  const desk = await granted();
  const [one, other] = [await desk.receive(), await desk.receive()];
  const { id } = await desk.row(one);
  // As if a worker had been lost: the job is there twice.
  await desk.sql(`INSERT INTO relay_jobs.job (id, name, singleton_key, data, policy, retry_limit, expire_seconds)
    SELECT gen_random_uuid(), name, singleton_key || '-again', data, policy, retry_limit, expire_seconds
    FROM relay_jobs.job WHERE name = 'media' AND singleton_key = '${id}'`);
  await desk.start();
  await desk.reaches(one, 'stored');
  await desk.reaches(other, 'stored');
  await eventually(async () => (await jobCount(desk)) === 0);
  expect(await objects(desk)).toHaveLength(1);
  expect(await desk.files()).toEqual(await objects(desk));
});

test('tries again later while hosts do not answer, and gives up with a reason', async () => {
  verifies('MEDIA-IN-AGAIN');
  const desk = await granted();
  desk.download = () => {
    throw new MediaFault('unreachable');
  };
  await desk.start();
  const id = await desk.receive();
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    await eventually(async () => (await desk.row(id)).attempts === attempt);
    expect(await desk.row(id)).toMatchObject({ state: 'waiting' });
    await desk.skipDelays();
  }
  expect(await desk.reaches(id, 'unavailable')).toMatchObject({ reason: 'unreachable' });
  expect(desk.downloads).toHaveLength(9);
});

test('does not count attempts while there is no connection', async () => {
  const desk = await granted();
  desk.connected = false;
  await desk.start();
  const id = await desk.receive();
  await eventually(async () => (await jobCount(desk)) === 1);
  expect(desk.downloads).toEqual([]);
  desk.connected = true;
  expect(await desk.reaches(id, 'stored')).toMatchObject({ attempts: 0 });
});

test('waits while the disk is nearly full', async () => {
  const desk = await granted();
  desk.diskLow = true;
  await desk.start();
  const id = await desk.receive();
  const waits = "SELECT 1 FROM media WHERE not_before > '2026-03-01T12:00:00Z'";
  await eventually(async () => (await desk.sql(waits)).length === 1);
  expect(await desk.row(id)).toMatchObject({ state: 'waiting', attempts: 0 });
  desk.diskLow = false;
  await desk.skipDelays();
  await desk.reaches(id, 'stored');
});

test.each(['expired', 'damaged'] as const)(
  'asks the phone once for a file that is %s, and takes what it uploads',
  async (kind) => {
    verifies('MEDIA-IN-AGAIN');
    const desk = await granted();
    desk.again = async () => '/v/again';
    desk.download = (_message, { path }) => {
      if (path === null || path === undefined) throw new MediaFault(kind);
      return pieces(PHOTO);
    };
    await desk.start();
    const id = await desk.receive();
    await desk.reaches(id, 'stored');
    expect(desk.downloads).toEqual([
      { id, path: null },
      { id, path: '/v/again' },
    ]);
  },
);

test('ends with a reason if the phone does not have the file, or has another one', async () => {
  verifies('MEDIA-IN-AGAIN');
  const desk = await granted();
  desk.download = () => {
    throw new MediaFault('damaged');
  };
  desk.again = async () => {
    throw new MediaFault('not_there');
  };
  await desk.start();
  const gone = await desk.receive();
  expect(await desk.reaches(gone, 'unavailable')).toMatchObject({ reason: 'expired' });
  desk.again = async () => '/v/again';
  const wrong = await desk.receive();
  expect(await desk.reaches(wrong, 'unavailable')).toMatchObject({ reason: 'damaged' });
});

test('leaves nothing of a download that fails at its end, or whose message was erased', async () => {
  verifies('MEDIA-ERASED');
  const desk = await granted();
  desk.again = async () => {
    throw new MediaFault('not_there');
  };
  desk.download = async function* () {
    yield* pieces(PHOTO);
    throw new MediaFault('damaged');
  };
  await desk.start();
  await desk.reaches(await desk.receive(), 'unavailable');
  expect(await desk.files()).toEqual([]);
  const begun = Promise.withResolvers<void>();
  const erased = Promise.withResolvers<void>();
  desk.download = async function* () {
    begun.resolve();
    await erased.promise;
    yield* pieces(PHOTO);
  };
  await desk.receive();
  await begun.promise;
  await desk.sql('DELETE FROM messages');
  erased.resolve();
  await eventually(async () => (await jobCount(desk)) === 0);
  expect(await objects(desk)).toEqual([]);
  await eventually(async () => (await desk.files()).length === 0);
});

test('refuses a file that is too large, and one for which there is no room', async () => {
  verifies('MEDIA-IN-LIMITS');
  const desk = await granted();
  Object.assign(desk.settings, { limit_megabytes: 1 });
  desk.download = () => pieces(Buffer.alloc(1_000_001));
  await desk.start();
  const large = await desk.receive();
  expect(await desk.reaches(large, 'refused')).toMatchObject({ reason: 'too_large' });
  desk.download = () => pieces(Buffer.alloc(600_000));
  Object.assign(desk.settings, { chat_megabytes: 1 });
  await desk.reaches(await desk.receive(), 'stored');
  const second = await desk.receive();
  desk.download = () => pieces(Buffer.alloc(600_001));
  expect(await desk.reaches(second, 'refused')).toMatchObject({ reason: 'chat_quota' });
  Object.assign(desk.settings, { chat_megabytes: 0, total_megabytes: 1 });
  const third = await desk.receive();
  expect(await desk.reaches(third, 'refused')).toMatchObject({ reason: 'total_quota' });
  await eventually(async () => (await desk.files()).length === 1);
  expect(await desk.files()).toEqual(await objects(desk));
});

/** Receives photos that are complete only when all of them have begun to arrive. */
async function receiveTogether(desk: MediaFixture, count: number, bytes: number) {
  const allBegun = Promise.withResolvers<void>();
  const ids: MessageId[] = [];
  desk.download = async function* ({ id }) {
    const file = Buffer.alloc(bytes, id);
    yield file.subarray(0, 1_000);
    if (desk.downloads.length >= count) allBegun.resolve();
    await allBegun.promise;
    yield file.subarray(1_000);
  };
  for (let nth = 0; nth < count; nth += 1) ids.push(await desk.receive());
  await desk.start();
  return ids;
}

test('records files that are complete at the same time in one transaction', async () => {
  verifies('MEDIA-IN-DURABLE');
  const desk = await granted();
  const ids = await receiveTogether(desk, 6, 5_000);
  for (const id of ids) {
    await desk.reaches(id, 'stored');
    expect((await desk.bytesOf(id)).equals(Buffer.alloc(5_000, id))).toBe(true);
  }
  const transactions = await desk.sql("SELECT DISTINCT xmin FROM media WHERE state = 'stored'");
  expect(transactions.length).toBeLessThan(ids.length);
  const events = await desk.sql(
    "SELECT DISTINCT data->>'message' FROM events WHERE kind = 'media'",
  );
  expect(events).toHaveLength(ids.length);
  await eventually(async () => (await jobCount(desk)) === 0);
});

test('does not exceed a quota with files that are recorded together', async () => {
  verifies('MEDIA-IN-LIMITS');
  const desk = await granted();
  Object.assign(desk.settings, { chat_megabytes: 1 });
  await receiveTogether(desk, 4, 400_000);
  await eventually(async () => (await jobCount(desk)) === 0);
  const states = await desk.sql('SELECT state, reason FROM media ORDER BY state');
  expect(states).toEqual([
    ...Array(2).fill({ state: 'refused', reason: 'chat_quota' }),
    ...Array(2).fill({ state: 'stored', reason: null }),
  ]);
  await eventually(async () => (await desk.files()).length === 2);
});

test('records the others when one file has lost its job to another worker', async () => {
  verifies('MEDIA-IN-DURABLE');
  const desk = await granted();
  const lost = await desk.receive();
  const { id } = await desk.row(lost);
  const others = receiveTogether(desk, 3, 5_000);
  await eventually(async () => desk.downloads.some((one) => one.id === lost));
  await desk.sql(
    `UPDATE relay_jobs.job SET retry_count = retry_count + 1 WHERE singleton_key = '${id}'`,
  );
  for (const other of await others) await desk.reaches(other, 'stored');
});

test.each([
  ['HTML as a photo', 'image', '<html><script>alert(1)</script></html>', 'document', 'text/plain'],
  ['SVG as a photo', 'image', '<svg onload="alert(1)"/>', 'document', 'text/plain'],
  ['a PDF as a sticker', 'sticker', '%PDF-1.7\n%âãÏÓ', 'document', 'application/pdf'],
  [
    'HTML as a document',
    'document',
    '<html><script>alert(1)</script></html>',
    'document',
    'text/plain',
  ],
  [
    'a program as a voice message',
    'voice',
    '\x7fELF\x02\x01\x01\x00',
    'document',
    'application/x-elf',
  ],
  ['nothing known as a video', 'video', '\x00\x01\x02\x03', 'document', 'application/octet-stream'],
] as const)('serves %s as what it is', async (_, kind, text, becomes, type) => {
  verifies('MEDIA-IN-TYPE');
  const desk = await granted();
  desk.download = () => pieces(Buffer.from(text, 'latin1'));
  await desk.start();
  const id = await desk.receive({
    media: { kind, mimeType: 'text/html', fileName: 'x.html', size: 1, seconds: null },
  });
  expect(await desk.reaches(id, 'stored')).toMatchObject({ kind: becomes, mime_type: type });
});

test('deletes files after the days of the limit, uploads that were never sent, and files without a row', async () => {
  verifies('MEDIA-ERASED');
  const desk = await granted();
  Object.assign(desk.settings, { keep_days: 10 });
  await desk.start();
  const old = await desk.receive();
  await desk.reaches(old, 'stored');
  const upload = { mimeType: 'text/plain', fileName: 'a.txt', token: null, limit: 1_000 };
  await desk.service.upload(pieces(Buffer.from('never sent')), upload);
  await desk.deps.store.put(pieces(Buffer.from('killed here')), { limit: 100 }, async () => {});
  expect(await desk.files()).toHaveLength(3);
  desk.setNow(new Date('2026-03-12T12:00:00Z'));
  desk.download = () => pieces(Buffer.from('another'));
  const recent = await desk.receive();
  await desk.reaches(recent, 'stored');
  await desk.media.nightly();
  expect(await desk.row(old)).toMatchObject({ state: 'removed', reason: 'retention' });
  expect(await desk.row(recent)).toMatchObject({ state: 'stored' });
  expect(await desk.files()).toEqual(await objects(desk));
  expect(await desk.files()).toHaveLength(1);
  expect(await desk.sql('SELECT 1 FROM media')).toHaveLength(2);
});

test('merges two contacts without losing a file', async () => {
  const desk = await granted();
  await desk.start();
  const lid = '900000001@lid';
  const one = await desk.receive();
  const other = await desk.receive({ chat: lid, sender: lid });
  await desk.reaches(one, 'stored');
  await desk.receive({ alsoKnownAs: [lid], kind: 'conversation', body: 'same', media: null });
  const chats = await desk.sql('SELECT DISTINCT chat_id FROM media');
  expect(chats).toHaveLength(1);
  // Merged, they have the stricter grant of both: none.
  await desk.grantBob();
  await desk.reaches(other, 'stored');
  expect((await desk.bytesOf(one)).equals(PHOTO)).toBe(true);
});

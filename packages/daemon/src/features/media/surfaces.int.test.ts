// Every surface says the same about the file of a message.
import { mediaSchema } from '@relay/contract/api/media';
import { bufferedMessageSchema } from '@relay/contract/api/whatsapp';
import type { ChatId, MessageId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { messageSchema, toMessageForClient } from '../../interfaces/mcp/tools/messages.ts';
import { PostgresMessageReader } from '../../platform/db/message-reader.ts';
import { createChatReader } from '../chats/chat-reader.ts';
import { readMessagePage } from '../search/messages.ts';
import { makeDeliveryData } from '../webhooks/delivery.ts';
import { ADMIN, openMediaFixture, PHOTO } from './testing/fixture.ts';

const LOCATION = {
  kind: 'location' as const,
  latitude: 52.5,
  longitude: 13.25,
  name: 'Gate',
  address: null,
  live: false,
};

test('a message carries its file and its typed content wherever it is read, without the bytes', async () => {
  verifies('MEDIA-ON-MESSAGES', 'MEDIA-TYPED');
  const desk = await openMediaFixture();
  await desk.receive({ kind: 'conversation', body: 'hello', media: null });
  await desk.grantBob();
  await desk.start();
  const id = await desk.receive();
  await desk.reaches(id, 'stored');
  await desk.sql(
    "UPDATE media SET transcript = 'said', file_name = 'a.png' WHERE message_id = $1",
    [id],
  );
  const place = await desk.receive({
    kind: 'locationMessage',
    body: '[locationMessage]',
    media: null,
    details: { content: LOCATION },
  });
  const { db, lease } = desk.deps;
  const { account } = lease;
  const whole = mediaSchema.parse({
    id: (await desk.row(id)).id,
    kind: 'image',
    mimetype: 'image/png',
    bytes: PHOTO.length,
    sha256: (
      await desk.sql<{ sha256: string }>("SELECT encode(sha256, 'hex') AS sha256 FROM media")
    )[0]?.sha256,
    state: 'stored',
    transcript: 'said',
    file_name: 'a.png',
  });

  const recent = await new PostgresMessageReader(db, account).recent({ limit: 10 });
  const buffered = (of: MessageId) =>
    bufferedMessageSchema.strict().parse(recent.find((one) => one.id === of));
  expect(buffered(id).media).toEqual(whole);
  expect(buffered(id).content).toBeUndefined();
  expect(buffered(place).content).toEqual(LOCATION);
  expect(buffered(place).media).toBeUndefined();

  const [chat] = await desk.sql<{ id: ChatId }>('SELECT id FROM chats');
  const of = chat?.id as ChatId;
  const admins = [ADMIN];
  const page = await readMessagePage(
    { db, account, admins },
    { kind: 'owner' },
    { chat: of, limit: 9 },
  );
  const shown = page.messages.map((one) => messageSchema.parse(toMessageForClient(one)));
  expect(shown.find((one) => one.id === id)?.media).toEqual(whole);
  expect(shown.find((one) => one.id === place)?.content).toEqual(LOCATION);

  const owner = await createChatReader({ db, account, admins }).messages(of, { limit: 10 });
  expect(owner.messages.map(({ media }) => media)).toEqual([null, whole, null]);
  expect(owner.messages.map(({ content }) => content)).toEqual([null, null, LOCATION]);

  const [row] = await desk.sql<{ id: number }>('SELECT id FROM messages WHERE message_id = $1', [
    id,
  ]);
  const facts = { number: row?.id ?? 0, message: id };
  const about = (includeText: boolean) => ({ deps: desk.deps, facts, includeText }) as never;
  const { transcript: _, file_name: __, ...codes } = whole;
  expect(await makeDeliveryData('message.received', about(true))).toMatchObject({ media: whole });
  expect(await makeDeliveryData('message.received', about(false))).toMatchObject({ media: codes });
  expect(JSON.stringify(await makeDeliveryData('message.received', about(false)))).not.toMatch(
    /said|a\.png/,
  );
});

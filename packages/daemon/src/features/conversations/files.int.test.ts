import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { toConversationMessage } from '../../interfaces/http/v1/owner-surface.ts';
import { putChatMessage, putMedia } from '../../pipeline/gate/testing/media.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { onConversationMessage, onOwnerTakeover } from './on-message.ts';

const harness = await freshDaemonHarness();
const { account, reaches, service, sql } = harness;
const store = { account, sql };

const begin = async (media: string[]) =>
  (
    await service.create({
      objective: 'Send the plan',
      target_contact: newPhone(),
      todos: [],
      media,
    })
  ).id as never;

test('the agent sends a file that the owner attached, by its number', async () => {
  verifies('MEDIA-OUT-SURFACES', 'MEDIA-OUT-FORWARD');
  const plan = await putMedia(store, { name: 'plan.pdf', mimetype: 'application/pdf' }, 'document');
  const photo = await putMedia(store, { name: 'house.jpg' });
  const seen: (readonly string[])[] = [];
  harness.agent(({ files }) => {
    seen.push(files);
    return { messages: ['Hello', 'The plan'], attached: [null, 1] };
  });
  const id = await begin([plan.content.media, photo.content.media]);
  await reaches(id, 'WAITING_FOR_REPLY');
  expect(seen[0]).toEqual(['plan.pdf (application/pdf)', 'house.jpg (image/jpeg)']);
  const sent = await sql('SELECT body, content FROM outbox WHERE instance_id = $1 ORDER BY seq', [
    id,
  ]);
  expect(sent).toEqual([
    { body: 'Hello', content: null },
    { body: 'The plan', content: plan.content },
  ]);
  expect(await harness.lines(id)).toContain(
    'agent: [Document “plan.pdf” (application/pdf, 500 bytes)]\nThe plan',
  );
});

test('a file that is not attached needs the owner', async () => {
  harness.agent(() => ({ messages: ['This one'], attached: [2] }));
  const plan = await putMedia(store, {});
  const id = await begin([plan.content.media]);
  await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  expect(await sql('SELECT 1 FROM outbox WHERE instance_id = $1', [id])).toEqual([]);
});

test('a conversation is not started with a file that does not exist', async () => {
  await expect(begin(['00000000-0000-4000-8000-000000000000'])).rejects.toMatchObject({
    code: 'media_not_found',
  });
});

test('the transcript shows the files of both sides, each only with its own message', async () => {
  verifies('MEDIA-ON-MESSAGES');
  harness.agent(() => ({ messages: ['Hello'] }));
  const id = await begin([]);
  await reaches(id, 'WAITING_FOR_REPLY');
  const { chat_id: chat } = await service.get(id);
  const photo = await putFile(chat, { body: '[Image] Our house', kind: 'imageMessage' }, 'image');
  const voice = await putFile(chat, { body: '[Audio message]', kind: 'audioMessage' }, 'voice');
  const own = await putFile(chat, { body: '[Image]', kind: 'imageMessage', fromMe: true }, 'image');
  await sql(`UPDATE media SET transcript = 'At nine', language = 'en' WHERE id = $1`, [
    voice.media,
  ]);
  const { conversations } = harness;
  await transaction(conversations, async (work) => {
    const hears = (message: { id: never; body: string }) =>
      onConversationMessage(conversations, work, id, message);
    await hears({ id: photo.message, body: '[Image] Our house' });
    await hears({ id: voice.message, body: '[Audio message]' });
    // The contact's phone chooses this id.
    await hears({ id: own.message, body: 'Text' });
    await onOwnerTakeover(conversations, work, id, { id: own.message, body: '[Image]' });
  });
  const lines = (await service.transcript(id)).filter(({ message_id }) => message_id !== null);
  const about = lines.slice(-4).map(({ media, caption }) => ({ media, caption }));
  expect(about).toMatchObject([
    { media: { id: photo.media, kind: 'image', state: 'stored' }, caption: 'Our house' },
    { media: { id: voice.media, kind: 'voice', transcript: 'At nine' }, caption: '' },
    { media: undefined, caption: undefined },
    { media: { id: own.media }, caption: '' },
  ]);
  expect(lines.slice(-4).map((line) => toConversationMessage(line).media?.id ?? null)).toEqual([
    ...[photo.media, voice.media, null, own.media],
  ]);
});

test('the transcript carries the typed content of a place', async () => {
  verifies('MEDIA-TYPED');
  harness.agent(() => ({ messages: ['Hello'] }));
  const id = await begin([]);
  await reaches(id, 'WAITING_FOR_REPLY');
  const { chat_id: chat } = await service.get(id);
  const content = {
    kind: 'location',
    latitude: 52.5,
    longitude: 13.25,
    name: 'Gate',
    address: null,
    live: false,
  };
  const message = (await putChatMessage(store, chat, '[Location] Gate', {})) as never;
  await sql('UPDATE messages SET details = $2 WHERE message_id = $1', [message, { content }]);
  const { conversations } = harness;
  await transaction(conversations, (work) =>
    onConversationMessage(conversations, work, id, { id: message, body: '[Location] Gate' }),
  );
  const line = (await service.transcript(id)).find(({ message_id }) => message_id === message);
  expect(line?.received).toEqual(content);
  expect(line?.media).toBeUndefined();
  expect(line && toConversationMessage(line)).toMatchObject({ content, media: null });
});

/** A message of the chat with a stored file. */
async function putFile(
  chat: string,
  { body, kind, fromMe = false }: { body: string; kind: string; fromMe?: boolean },
  as: 'image' | 'voice',
) {
  const message = await putChatMessage(store, chat, body, { fromMe });
  const { content } = await putMedia(store, { chat }, as);
  await sql(`UPDATE messages SET kind = $2, media = '{}' WHERE message_id = $1`, [message, kind]);
  await sql(
    `UPDATE media SET message = m.id, message_at = m.sent_at, message_id = m.message_id
     FROM messages m WHERE m.message_id = $1 AND media.id = $2`,
    [message, content.media],
  );
  return { message: message as never, media: content.media };
}

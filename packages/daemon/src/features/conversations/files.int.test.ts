import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { putMedia } from '../../pipeline/gate/testing/media.ts';

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

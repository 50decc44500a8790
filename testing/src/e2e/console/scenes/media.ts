// A photo, a voice message and a document between the owner and their mother: the prepared files of the demo.
import { readFileSync } from 'node:fs';
import type { Demo } from '../../demo.ts';
import { eventually } from '../../gateway.ts';

const prepared = (name: string): string =>
  readFileSync(
    new URL(`../../../../../packages/simulator/src/phone/page/${name}`, import.meta.url),
  ).toString('base64');

/** `owner` is linked, and agents may read `from`. */
export async function sendFiles(demo: Demo, from: string, owner: string): Promise<void> {
  const send = (message: object) =>
    demo.phones.ok<{ id: string }>(`POST /accounts/${from}/messages`, { to: owner, ...message });
  const voice = { kind: 'voice', data: prepared('dinner.ogg'), mimetype: 'audio/ogg; codecs=opus' };
  await send({ media: voice });
  const { id } = await send({
    media: { kind: 'image', data: prepared('dinner.jpg'), mimetype: 'image/jpeg' },
    text: 'It is in the oven!',
  });
  const data = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');
  const pdf = {
    kind: 'document',
    data,
    mimetype: 'application/pdf',
    fileName: 'Train tickets.pdf',
  };
  await send({ media: pdf });
  await demo.phones.react(from, owner, { id, emoji: '😋' });
  await eventually('the transcript', async () => {
    const { chats } = await demo.relay.ok<{ chats: { id: string }[] }>('GET', '/api/chats?q=Mum');
    const { messages } = await demo.relay.ok<{
      messages: { media: { transcript?: string } | null }[];
    }>('GET', `/api/chats/${chats[0]?.id}/messages`);
    return messages.some(({ media }) => media?.transcript !== undefined) || undefined;
  });
}

// One person under two names, on the shipped daemon and the simulated WhatsApp: first known by LID or by number only,
// later by both. Each message is stored once and reaches the right conversation.
import type { ConversationInstance } from '@relay/contract/api/instances';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { type Demo, startDemo } from './demo.ts';
import { eventually } from './gateway.ts';

const ME = '15550000001';
const [ANA, BEN, CLEO] = ['15550000002', '15550000003', '15550000004'];
/** One message at a time: what WhatsApp reveals with the first is known before the second. */
const PACING = { per_minute: 600, per_hour: 600, typing_min_ms: 300, typing_max_ms: 300 };

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo({ settings: { pacing: PACING } });
  await demo.phones.add(ME, 'Me');
  await demo.link(ME);
}, 180_000);
afterAll(() => demo.stop());

const says = (text: string) => ({ name: 'send_message', arguments: { text } });
const WAITS = { name: 'schedule_next_heartbeat', arguments: { delay: 3_600_000 } };
const ENDS = { name: 'end_conversation', arguments: { reason: 'Agreed.' } };

/** The agent begins with these calls and ends the conversation when it reads the answer. */
async function converse(phone: string, first: readonly object[], answer: string): Promise<string> {
  demo.model.rules([
    { when: { contains: answer }, reply: { tool_calls: [ENDS] } },
    { when: { contains: 'first_message' }, reply: { tool_calls: [...first] } },
  ] as never);
  const { id } = await demo.relay.ok<{ id: string }>('POST', '/api/instances', {
    objective: 'Agree on a day',
    target_contact: `+${phone}`,
    todos: [],
  });
  return id;
}
const reaches = (id: string, state: string) =>
  eventually(state, async () => {
    const instance = await demo.relay.ok<ConversationInstance>('GET', `/api/instances/${id}`);
    return instance.state === state ? instance : undefined;
  });
const stored = async (...texts: readonly string[]) => {
  const all = (await demo.relay.messages({ limit: 100 })).map(({ body }) => body);
  return texts.map((text) => all.filter((body) => body === text).length);
};
const arrives = (text: string) =>
  eventually(`"${text}" to be stored`, async () => (await stored(text))[0] === 1 || undefined);

it('a contact known only by LID is addressed by number: both messages are sent and the reply arrives', {
  timeout: 120_000,
}, async () => {
  verifies('IDENTITY-LID-FIRST', 'IDENTITY-MERGE-CARRIES');
  await demo.phones.add(ANA, 'Ana', { knownAs: 'lid' });
  await demo.phones.send(ANA, ME, 'Hello from nobody you know');
  await arrives('Hello from nobody you know');
  const id = await converse(ANA, [says('Hi Ana'), says('Which day?')], 'Yes, at nine');
  await demo.phones.sees(ANA, { text: 'Which day?', status: 'received' });
  await reaches(id, 'WAITING_FOR_REPLY');
  await demo.phones.send(ANA, ME, 'Yes, at nine');
  await reaches(id, 'COMPLETED');
  expect(
    await stored('Hello from nobody you know', 'Hi Ana', 'Which day?', 'Yes, at nine'),
  ).toEqual([1, 1, 1, 1]);
  const received = await demo.phones.received(ANA, ME);
  expect(received.map(({ text }) => text)).toEqual(['Hi Ana', 'Which day?']);
});

it('a contact known only by LID reveals their number: the message reaches the conversation with the number', {
  timeout: 120_000,
}, async () => {
  verifies('IDENTITY-LID-FIRST');
  await demo.phones.add(BEN, 'Ben', { knownAs: 'lid' });
  await demo.phones.send(BEN, ME, 'My number is hidden');
  await arrives('My number is hidden');
  const id = await converse(BEN, [WAITS], 'Yes, at ten');
  await reaches(id, 'WAITING_FOR_REPLY');
  await demo.phones.knownAs(BEN, 'both');
  await demo.phones.send(BEN, ME, 'Yes, at ten');
  await reaches(id, 'COMPLETED');
  expect(await stored('My number is hidden', 'Yes, at ten')).toEqual([1, 1]);
});

it('a contact whose session is known by number writes by LID: the message is decrypted at once', {
  timeout: 120_000,
}, async () => {
  verifies('IDENTITY-LID-SESSION');
  await demo.phones.add(CLEO, 'Cleo', { knownAs: 'pn' });
  await demo.phones.send(CLEO, ME, 'I have no LID');
  await arrives('I have no LID');
  const id = await converse(CLEO, [WAITS], 'Yes, at eleven');
  await reaches(id, 'WAITING_FOR_REPLY');
  await demo.phones.knownAs(CLEO, 'both');
  await demo.phones.send(CLEO, ME, 'Yes, at eleven');
  await reaches(id, 'COMPLETED');
  expect(await stored('I have no LID', 'Yes, at eleven')).toEqual([1, 1]);
  const { stanzas } = await demo.phones.ok<{ stanzas: { stanza: { attrs: { type?: string } } }[] }>(
    'GET /stanzas?tag=receipt&direction=in',
  );
  expect(stanzas.filter(({ stanza }) => stanza.attrs.type === 'retry')).toEqual([]);
});

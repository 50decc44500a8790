// Random grants, tokens and questions: no reading tool returns anything of a chat that the token may not read,
// according to a second implementation of the rule in this file. All names and messages are canaries.
import type { ChatId, ContactId } from '@relay/contract/ids';
import { times } from '@relay/testing/store';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { ADMIN, NOW, openReading, type Scopes } from '../testing/reading.ts';

const numRuns = process.env.PROPERTY_RUNS ? 200 : 20;
vi.setConfig({ testTimeout: 60_000 + 1_000 * numRuns });

const reading = await openReading();
const { chatter, grant, call, token, sql, digest, readBy } = reading;
const SCOPES: Readonly<Scopes> = [
  'messages:read',
  'search:read',
  'digests:read',
  'permissions:read',
  'ledger:read',
];

interface Place {
  readonly canary: string;
  readonly chat: ChatId;
  readonly contact: ContactId | null;
  readonly phone: string | null;
  readonly own: boolean;
  readonly messages: string[];
}

async function person(canary: string, phone: string, own = false): Promise<Place> {
  const { chat, contact } = await chatter.person(`${canary}self`, phone);
  return { canary, chat, contact, phone, own, messages: [] };
}
const places: readonly Place[] = [
  await person('qanna', '4915100300001'),
  await person('qbo', '4915100300002'),
  await person('qcy', '4915100300003'),
  await person('qadmin', ADMIN, true),
  ...(await Promise.all(
    ['qclub', 'qfamily'].map(async (canary) => ({
      canary,
      chat: await chatter.group(`${canary}self`),
      contact: null,
      phone: null,
      own: false,
      messages: [],
    })),
  )),
];
for (const place of places) {
  const said = await chatter.say(
    ...times(6, (n) => ({
      chat: place.chat,
      by: place.contact,
      text: `boiler lion ${place.canary}${n}`,
      at: new Date(NOW.getTime() - n * 3_600_000),
    })),
  );
  place.messages.push(...said);
  if (place.contact === null) await digest(place.chat, `boiler ${place.canary}digest`);
}
chatter.indexer.start();
await chatter.indexer.caughtUp();
await chatter.indexer.stop();

type Granted = 'none' | 'read' | 'no read';

async function allow(given: readonly Granted[]): Promise<void> {
  await sql('DELETE FROM grants');
  for (const [n, { chat, contact, canary }] of places.entries()) {
    if (given[n] === 'none') continue;
    const of = contact === null ? { group: chat } : { contact };
    await grant(of, `${canary}named`, { read: given[n] === 'read' });
  }
}

test('returns nothing of a chat that a token may not read, by any tool', async () => {
  const grants = fc.array(fc.constantFrom<Granted>('none', 'read', 'no read'), {
    minLength: places.length,
    maxLength: places.length,
  });
  const people = places.flatMap(({ contact }) => (contact === null ? [] : [contact]));
  const lists = fc.option(fc.subarray([...people], { minLength: 1 }));
  const names = places.flatMap(({ canary, chat, phone, messages }) => [
    canary,
    `${canary}self`,
    chat,
    ...(phone === null ? [] : [phone]),
    ...messages.slice(0, 1),
  ]);
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(grants, lists, fc.constantFrom(...names), async (given, contacts, name) => {
      await allow(given);
      const reach = ({ own, contact }: Place, n: number) =>
        !own &&
        given[n] !== 'none' &&
        (contacts === null || (contact !== null && contacts.includes(contact)));
      const client = await token(SCOPES, contacts ?? undefined);
      const answers = await Promise.all(
        [
          call(client, 'get_chats', { unread_only: false }),
          call(client, 'read_messages', { chat_id: name }),
          call(client, 'summarize_chat', { chat_id: name }),
          call(client, 'search_messages', { query: `boiler ${name}`, limit: 50 }),
          call(client, 'search_messages', { query: 'lion', chat_id: name }),
          call(client, 'get_digest'),
          call(client, 'get_digest', { group: name }),
          call(client, 'list_permissions'),
          call(client, 'why', { id: name }),
        ].map((answer) =>
          // What the client itself sent may be in the answer.
          answer.then(JSON.stringify, ({ message }: Error) => message.replaceAll(name, '')),
        ),
      );
      const said = answers.join('\n');
      const read = new Set(await readBy(client));
      for (const [n, place] of places.entries()) {
        const { canary, chat, phone } = place;
        const words = new RegExp(`${canary}(\\d|digest)`);
        if (!reach(place, n)) {
          expect(said).not.toContain(canary);
          expect(said).not.toContain(phone ?? chat);
        } else if (given[n] !== 'read') expect(said).not.toMatch(words);
        else answered += said.split(canary).length - 1;
        expect(read.has(chat) || !words.test(said)).toBe(true);
      }
    }),
    { numRuns },
  );
  expect(answered).toBeGreaterThan(numRuns);
});

// Tests the output of the reading tools: pages, names, times and the number of omitted messages. Every read is recorded
// before messages are returned, even if the answer never arrives.
import { times } from '@relay/testing/store';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { NOW, openReading, type Scopes } from '../testing/reading.ts';

const reading = await openReading();
const { chatter, grant, call, token, readBy, sql } = reading;
const ben = await chatter.person('Benjamin', '4915100200002');
const club = await chatter.group('The club');
await grant(ben, 'Ben');
await grant({ group: club }, 'Chess');
const BEN = '4915100200002@s.whatsapp.net';
const ALL: Readonly<Scopes> = [
  'messages:read',
  'search:read',
  'digests:read',
  'permissions:read',
  'ledger:read',
];
const client = await token(ALL);

chatter.indexer.start();
afterAll(() => chatter.indexer.stop());

const minute = (n: number) => new Date(NOW.getTime() - (1_000 - n) * 60_000);

interface Page {
  messages: { id: string; text: string; from: string; from_me: boolean; at: string }[];
  older: string | null;
  newer: string | null;
  left_out: number;
}
const read = (input: object) =>
  call(client, 'read_messages', { chat_id: 'Ben', ...input }) as Promise<unknown> as Promise<Page>;
const texts = ({ messages }: Page) => messages.map(({ text }) => text);

beforeEach(async () => {
  await sql('DELETE FROM messages');
  await sql('DELETE FROM message_keys');
});

test('returns messages oldest first, with names and times, and marks the owner’s own', async () => {
  await chatter.say(
    { chat: ben.chat, by: ben.contact, text: 'Hello', at: minute(1) },
    { chat: ben.chat, text: 'Hi Ben', at: minute(2) },
    { chat: ben.chat, by: ben.contact, text: '[Image]', at: minute(3), kind: 'imageMessage' },
  );
  const page = await read({});
  expect(page).toMatchObject({ chat: { id: BEN, name: 'Ben' }, older: null, left_out: 0 });
  expect(page.messages.map(({ from, from_me, text, at }) => [from, from_me, text, at])).toEqual([
    ['Ben', false, 'Hello', minute(1).toISOString()],
    ['me', true, 'Hi Ben', minute(2).toISOString()],
    ['Ben', false, '[Image]', minute(3).toISOString()],
  ]);
});

test('returns every message once when paging backwards and forwards', async () => {
  // Three in one millisecond: a message's position is more than its time.
  await chatter.say(
    ...times(25, (n) => ({
      chat: ben.chat,
      by: ben.contact,
      text: `m${n}`,
      at: minute(Math.floor(n / 3)),
    })),
  );
  const all = times(25, (n) => `m${n}`);
  const back: string[] = [];
  for (let before: string | null = null; ; ) {
    const page = await read({ limit: 7, ...(before === null ? {} : { before }) });
    back.unshift(...texts(page));
    before = page.older;
    if (before === null) break;
  }
  expect(back).toEqual(all);
  const forth: string[] = [];
  for (let after: string = minute(-1).toISOString(); ; ) {
    const page = await read({ limit: 7, after });
    if (page.messages.length === 0) break;
    forth.push(...texts(page));
    after = page.newer ?? '';
  }
  expect(forth).toEqual(all);
});

test('cuts a long answer, says so, and continues at the cursor', async () => {
  await chatter.say(
    ...times(60, (n) => ({
      chat: ben.chat,
      by: ben.contact,
      text: `${n} ${'word '.repeat(1_000)}`,
      at: minute(n),
    })),
  );
  const page = await read({ limit: 60 });
  expect(JSON.stringify(page).length).toBeLessThan(50_000);
  expect(page.left_out).toBeGreaterThan(0);
  expect(page.messages.length + page.left_out).toBe(60);
  expect(page.messages.at(-1)?.text).toMatch(/^59 .*characters left out/s);
  const before = await read({ limit: 100, before: page.older ?? '' });
  expect(before.messages.at(-1)?.text).toMatch(new RegExp(`^${page.left_out - 1} `));
});

test('refuses an invalid cursor, and both ends at once, with a sentence', async () => {
  await expect(read({ before: 'yesterday' })).rejects.toThrow(/cursor, or a time/);
  await expect(read({ before: '1.1', after: '1.1' })).rejects.toThrow(/not both/);
  await expect(call(client, 'read_messages', { chat_id: 'Nobody' })).rejects.toThrow(
    'There is no chat Nobody that this client may use.',
  );
});

test('searches within the requested chat and days', async () => {
  await chatter.say(
    { chat: ben.chat, by: ben.contact, text: 'The boiler is broken', at: minute(1) },
    {
      chat: club,
      by: ben.contact,
      text: 'A boiler for the club',
      at: new Date('2026-10-02T10:00:00Z'),
    },
  );
  await chatter.indexer.caughtUp();
  const find = async (input: object) => {
    const found = await call(client, 'search_messages', { query: 'boiler', ...input });
    return (found.messages as { text: string; chat: object; from: string }[]).map(
      ({ text, chat, from }) => [text, chat, from],
    );
  };
  const home = ['The boiler is broken', { id: BEN, name: 'Ben' }, 'Ben'];
  expect(await find({ chat_id: 'Ben' })).toEqual([home]);
  expect(await find({ from: '2026-10-10' })).toEqual([home]);
  expect((await find({})).length).toBe(2);
  await expect(find({ from: 'whenever' })).rejects.toThrow(/is not a day/);
});

test('summarizes a chat with the model, from its messages and with progress', async () => {
  await chatter.say(
    { chat: ben.chat, by: ben.contact, text: 'Dinner?', at: minute(1) },
    { chat: ben.chat, text: 'At eight', at: minute(2) },
  );
  const sentences: string[] = [];
  const answer = await call(
    client,
    'summarize_chat',
    { chat_id: BEN },
    { progress: (sentence) => sentences.push(sentence) },
  );
  expect(answer).toMatchObject({ summary: 'Summary of 2 lines', messages: 2, more: false });
  expect(reading.asked.at(-1)).toBe('Ben\nBen: Dinner?\nme: At eight');
  expect(sentences).toEqual(['Reading the chat', 'Summarising 2 messages']);
});

test('returns digests of readable groups, by name or all', async () => {
  await reading.digest(club, 'The tournament is on Sunday.');
  const { digests } = await call(client, 'get_digest', {});
  expect(digests).toMatchObject([{ group: { name: 'Chess' }, day: '2026-10-13', complete: true }]);
  expect(JSON.stringify(await call(client, 'get_digest', { group: 'chess' }))).toContain(
    'The tournament is on Sunday.',
  );
  await expect(call(client, 'get_digest', { group: 'Choir' })).rejects.toThrow(
    'There is no observed group named Choir. Observed groups: Chess.',
  );
});

test('lists the current permissions', async () => {
  const { permissions } = await call(client, 'list_permissions');
  expect(permissions).toContainEqual({
    id: BEN,
    name: 'Ben',
    kind: 'contact',
    phone_number: '4915100200002',
    can_read: true,
    can_reply: false,
    reply_mode: 'auto',
    can_initiate: false,
  });
});

test('refuses every tool from the next call on when a grant was revoked', async () => {
  const eve = await chatter.person('Eve', '4915100200009');
  await grant(eve, 'Canary Eve');
  const [id] = await chatter.say({ chat: eve.chat, by: eve.contact, text: 'canary words' });
  await chatter.indexer.caughtUp();
  const ask = () =>
    Promise.all(
      [
        call(client, 'read_messages', { chat_id: eve.chat }),
        call(client, 'summarize_chat', { chat_id: eve.chat }),
        call(client, 'search_messages', { query: 'canary words' }),
        call(client, 'list_permissions'),
        call(client, 'why', { id }),
      ].map((answer) => answer.then(JSON.stringify, ({ message }: Error) => message)),
    );
  for (const answer of await ask()) expect(answer).toContain('Canary Eve');
  await sql('DELETE FROM grants WHERE contact_id = $1', [eve.contact]);
  expect((await ask()).join()).not.toMatch(/canary|4915100200009/i);
});

test('records a read even if the answer never arrives', async () => {
  await chatter.say(
    { chat: ben.chat, by: ben.contact, text: 'Golden lion', at: minute(1) },
    { chat: club, by: ben.contact, text: 'Golden lion', at: minute(2) },
  );
  const reads: readonly [string, object, string][] = [
    ['read_messages', { chat_id: 'Ben' }, ben.chat],
    ['search_messages', { query: 'golden lion', chat_id: 'Chess' }, club],
    ['get_digest', {}, club],
  ];
  await chatter.indexer.caughtUp();
  for (const [tool, input, chat] of reads) {
    const fresh = await token(ALL);
    expect(await readBy(fresh)).toEqual([]);
    await call(fresh, tool, input);
    expect(await readBy(fresh), tool).toEqual([chat]);
  }
  const cutOff = await token(ALL);
  reading.model.say = () => Promise.reject(new Error('the line went dead'));
  await expect(call(cutOff, 'summarize_chat', { chat_id: 'Ben' })).rejects.toThrow();
  expect(await readBy(cutOff)).toEqual([ben.chat]);
  const looks = await token(ALL);
  await call(looks, 'list_permissions');
  expect(await readBy(looks)).toEqual([]);
});

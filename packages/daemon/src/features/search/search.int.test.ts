import type { ChatId, MessageId } from '@relay/contract/ids';
import { freshStore } from '@relay/testing/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noteLinkedIdentity } from '../../platform/db/account.ts';
import { openChatter, type Person } from './testing/chatter.ts';

const store = await freshStore();
const NOW = new Date('2026-10-14T12:00:00Z');
const ADMIN = '4915112345678';
const chatter = await openChatter(store, { now: () => NOW, admins: [ADMIN] });
const { search, service, indexer, person, group, say, grant, lease } = chatter;
const OWNER = { kind: 'owner' } as const;
const ASSISTANT = { kind: 'assistant' } as const;

const texts = async (...asked: Parameters<typeof search.search>) =>
  (await search.search(...asked)).map(({ text }) => text);
const recalled = async (...asked: Parameters<typeof search.retrieve>) =>
  (await search.retrieve(...asked)).map(({ text }) => text);
const at = (day: string) => new Date(`${day}T08:00:00Z`);

let mum: Person;
let sam: Person;
let books: ChatId;
let first: MessageId | undefined;

beforeAll(async () => {
  indexer.start();
  mum = await person('Mum');
  sam = await person('Sam Okafor');
  books = await group('Book club');
  await noteLinkedIdentity(store.database.kysely, lease, { phone: '19876543210', lid: '777@lid' });
  [first] = await say(
    { chat: mum.chat, by: mum.contact, text: 'The boiler lost pressure', at: at('2026-10-01') },
    { chat: mum.chat, text: 'Call the plumber, the boiler is old', at: at('2026-10-02') },
    { chat: mum.chat, by: mum.contact, text: 'Café at five on the quay', at: at('2026-10-13') },
    { chat: sam.chat, by: sam.contact, text: 'boiler suits are in fashion', at: at('2026-09-01') },
    { chat: books, by: sam.contact, text: 'We meet at the Golden Lion', at: at('2026-10-08') },
    { chat: books, by: mum.contact, text: 'Golden hour, lion free', at: at('2026-10-09') },
    { chat: mum.chat, by: mum.contact, text: 'zebra', kind: 'reactionMessage' },
    { chat: mum.chat, by: mum.contact, text: '', kind: 'conversation' },
  );
  await indexer.caughtUp();
});
afterAll(() => indexer.stop());

describe('search', () => {
  test('finds messages with author, chat and time', async () => {
    expect(await search.search(OWNER, 'boiler pressure', { limit: 1 })).toEqual([
      {
        message: first,
        rowId: expect.any(Number),
        chat: mum.chat,
        chatName: 'Mum',
        sender: mum.contact,
        senderName: 'Mum',
        isGroup: false,
        at: at('2026-10-01'),
        text: 'The boiler lost pressure',
        media: null,
        content: null,
        rank: expect.any(Number),
        by: 'words',
        isSure: true,
      },
    ]);
  });

  test('finds words in any spelling', async () => {
    expect(await texts(OWNER, 'CAFE')).toEqual(['Café at five on the quay']);
  });

  test('finds a word by its beginning', async () => {
    expect(await texts(OWNER, 'plumbers')).toEqual(['Call the plumber, the boiler is old']);
  });

  test('finds a phrase only word by word', async () => {
    expect(await texts(OWNER, '"golden lion"')).toEqual(['We meet at the Golden Lion']);
  });

  test('searches within a chat, by author, and between two times', async () => {
    expect(await texts(OWNER, 'boiler', { chat: sam.chat })).toEqual([
      'boiler suits are in fashion',
    ]);
    expect(await texts(OWNER, 'boiler', { contact: mum.contact })).toEqual([
      'The boiler lost pressure',
    ]);
    expect(await texts(OWNER, 'boiler', { contact: 'me' })).toEqual([
      'Call the plumber, the boiler is old',
    ]);
    expect(await texts(OWNER, 'boiler', { from: at('2026-09-15'), to: at('2026-10-02') })).toEqual([
      'The boiler lost pressure',
    ]);
  });

  test('understands a time and a name', async () => {
    expect(await texts(OWNER, 'what did mum say yesterday')).toEqual(['Café at five on the quay']);
    expect((await texts(OWNER, 'boiler sam'))[0]).toBe('boiler suits are in fashion');
  });

  test('says of a message that only a person or a time led to that it is recent, not that it is similar', async () => {
    const { hits } = await service.search({ q: 'yesterday', limit: 5 });
    expect(hits.map(({ text, by }) => [text, by])).toEqual([
      ['Café at five on the quay', 'recent'],
    ]);
  });

  test('says of a later message without a word of the question that it changes the next one', async () => {
    await say(
      { chat: books, text: 'Kayak tour starts at Pier Nine, Harbour Road', at: at('2026-08-01') },
      { chat: books, text: 'Changed: Pier Nine, other end of Harbour Road', at: at('2026-08-02') },
    );
    await indexer.caughtUp();
    const { hits } = await service.search({ q: 'kayak tour', limit: 2 });
    expect(hits.map(({ text, by }) => [text.slice(0, 7), by])).toEqual([
      ['Changed', 'change'],
      ['Kayak t', 'words'],
    ]);
  });

  test('never widens the chosen bounds by a time in the question', async () => {
    expect(await texts(OWNER, 'golden last week', { to: at('2026-10-09') })).toEqual([
      'We meet at the Golden Lion',
    ]);
    expect(await texts(OWNER, 'golden last week', { chat: mum.chat })).toEqual([]);
  });

  test('finds stop words when the question has no other words', async () => {
    expect(await texts(OWNER, 'the')).toContain('The boiler lost pressure');
  });

  test('does not find reactions and empty messages', async () => {
    expect(await texts(OWNER, 'zebra')).toEqual([]);
  });

  test('accepts any input as a question', async () => {
    for (const odd of [
      "'",
      '\\',
      ':* & | ! <->',
      '""',
      '(((',
      'a\u0301\ud800',
      '%_',
      '🎂'.repeat(99),
    ]) {
      await expect(search.search(OWNER, odd)).resolves.toBeInstanceOf(Array);
    }
  });
});

describe('the scope', () => {
  test('hides everything from the assistant without a grant, and at once after it is revoked', async () => {
    expect(await texts(ASSISTANT, 'boiler')).toEqual([]);
    await grant({ contact: mum.contact });
    expect(await texts(ASSISTANT, 'boiler pressure')).toEqual([
      'The boiler lost pressure',
      'Call the plumber, the boiler is old',
    ]);
    await store.sql('UPDATE grants SET can_read = false');
    expect(await texts(ASSISTANT, 'boiler')).toEqual([]);
    await store.sql('DELETE FROM grants');
  });

  test('keeps grants for contacts and for groups apart', async () => {
    await grant({ contact: sam.contact });
    expect(await texts(ASSISTANT, 'golden lion')).toEqual([]);
    await store.sql('DELETE FROM grants');
    await grant({ group: books });
    expect(await texts(ASSISTANT, 'boiler')).toEqual([]);
    expect(await texts(ASSISTANT, 'golden lion')).toHaveLength(2);
    await store.sql('DELETE FROM grants');
  });

  test('includes the owner’s own chats for the assistant', async () => {
    const self = await person('Me', '19876543210');
    const phone = await person('My other phone', ADMIN);
    await say(
      { chat: self.chat, text: 'note: umbrella in the car' },
      { chat: phone.chat, by: phone.contact, text: 'umbrella is red' },
    );
    await indexer.caughtUp();
    expect(await texts(ASSISTANT, 'umbrella')).toHaveLength(2);
  });

  test('limits a session of one chat to that chat, whatever the question names', async () => {
    const scope = { kind: 'chat', chat: sam.chat } as const;
    expect(await texts(scope, 'boiler')).toEqual(['boiler suits are in fashion']);
    expect(await texts(scope, 'boiler', { chat: mum.chat })).toEqual([]);
    expect(await texts(scope, 'mum')).toEqual([]);
    expect(await search.lastMessages(scope, { chat: mum.chat, limit: 10 })).toEqual([]);
  });
});

describe('context for a model’s question', () => {
  test('contains only messages about it', async () => {
    expect(await recalled(OWNER, 'what is wrong with the boiler pressure?')).toEqual([
      'The boiler lost pressure',
    ]);
    expect(await recalled(OWNER, 'electric guitar lessons for adults')).toEqual([]);
    expect(await recalled(OWNER, 'what is it?')).toEqual([]);
  });

  test('never contains the question itself or the assistant’s answers', async () => {
    const self = await person('Me', '19876543210');
    const [question] = await say(
      { chat: self.chat, text: 'where did I park the bicycle' },
      { chat: self.chat, text: 'You parked the bicycle here.\n\n[BOT]' },
    );
    await indexer.caughtUp();
    const asked = 'where did I park the bicycle';
    expect(await recalled(OWNER, asked, question ? { except: question } : {})).toEqual([]);
  });

  test('contains the messages of the named contact and time', async () => {
    expect(await recalled(OWNER, 'What were we talking about yesterday with Mum?')).toEqual([
      'Café at five on the quay',
    ]);
  });

  test('has at most five messages', async () => {
    await say(...Array.from({ length: 9 }, (_, n) => ({ chat: sam.chat, text: `tulip ${n}` })));
    await indexer.caughtUp();
    expect(await recalled(OWNER, 'tulip')).toHaveLength(5);
  });
});

test('returns the last messages of a chat within a range, oldest first', async () => {
  const range = { chat: mum.chat, from: at('2026-10-01'), to: at('2026-10-13') };
  const said = await search.lastMessages(OWNER, { ...range, limit: 10 });
  expect(said.map(({ text, senderName }) => [senderName, text])).toEqual([
    ['Mum', 'The boiler lost pressure'],
    ['me', 'Call the plumber, the boiler is old'],
  ]);
  const [last] = await search.lastMessages(OWNER, { ...range, limit: 1 });
  expect(last?.text).toBe('Call the plumber, the boiler is old');
});

describe('the owner’s names for chats, contacts and days', () => {
  const ask = (query: Partial<Parameters<typeof service.search>[0]>) =>
    service.search({ q: 'boiler', limit: 10, ...query });

  test('returns a hit with the messages around it', async () => {
    const { hits } = await ask({ q: 'plumber' });
    expect(hits).toMatchObject([
      {
        from_me: true,
        from_name: 'me',
        chat_name: 'Mum',
        at: '2026-10-02T08:00:00.000Z',
        before: { text: 'The boiler lost pressure', message_id: first, from_name: 'Mum' },
        after: { text: 'Café at five on the quay' },
      },
    ]);
  });

  test('finds a chat and a contact by name and by number', async () => {
    const { hits } = await ask({ chat: 'mum' });
    expect(hits).toHaveLength(2);
    expect((await ask({ contact: 'sam' })).hits).toMatchObject([{ from_name: 'Sam Okafor' }]);
    expect((await ask({ contact: 'me' })).hits).toMatchObject([{ from_me: true }]);
    const [{ value } = { value: '' }] = await store.sql<{ value: string }>(
      'SELECT value FROM contact_aliases WHERE contact_id = $1',
      [sam.contact],
    );
    expect((await ask({ contact: `+${value}` })).hits).toMatchObject([{ from_name: 'Sam Okafor' }]);
  });

  test('refuses an unknown and an ambiguous name', async () => {
    await person('Sam Smith');
    await expect(ask({ chat: 'Zoe' })).rejects.toMatchObject({ code: 'contact_unknown' });
    await expect(ask({ contact: 'sam' })).rejects.toMatchObject({ code: 'contact_ambiguous' });
  });

  test('understands days in words', async () => {
    expect((await ask({ from: '2026-10-02' })).hits).toMatchObject([{ from_me: true }]);
    expect((await ask({ to: '2026-10-01' })).hits).toHaveLength(2);
    await expect(ask({ from: 'soon' })).rejects.toMatchObject({ code: 'unknown_day' });
  });
});

import type { ContactFilter } from '@relay/contract/api/contacts';
import { expect, test } from 'vitest';
import {
  countContacts,
  findContact,
  matchContacts,
  readContactDetail,
  readContactPage,
} from './contact-directory.ts';
import { ALL, freshPeople, id, lid, phone } from './testing/people.ts';

const { account, db, put, sql, wipe } = await freshPeople();

async function people() {
  await wipe();
  await sql("UPDATE accounts SET phone = '491701234567', lid = '555' WHERE id = $1", [account]);
  await put({ id: id(1), aliases: [phone(1), lid(1)], grant: ALL });
  await put({ id: id(2), aliases: [phone(2)], grant: null });
  await put({ id: id(3), aliases: [lid(3)], grant: null });
  await put({ id: id(4), aliases: [], grant: null });
  await sql("UPDATE contacts SET push_name = 'Ann Lee' WHERE id = $1", [id(1)]);
  await sql("UPDATE grants SET display_name = 'Mom' WHERE contact_id = $1", [id(1)]);
  await sql("UPDATE contacts SET push_name = 'ann smith' WHERE id = $1", [id(2)]);
  await sql(
    "INSERT INTO contact_aliases (account_id, kind, value, contact_id) VALUES ($1, 'phone', '491701234567', $2)",
    [account, id(4)],
  );
  await sql(
    "INSERT INTO chats (account_id, kind, group_address, subject) VALUES ($1, 'group', '1203@g.us', 'Anniversary')",
    [account],
  );
}

const find = async (query: string) => {
  const { matches, choice, number } = await matchContacts(db, account, {
    query,
    kind: 'all',
    limit: 20,
  });
  return {
    names: matches.map(({ contact }) => contact.name ?? contact.jid),
    meant: 'found' in choice ? choice.found.jid : null,
    number,
  };
};

test("finds a contact by the owner's name for them, their profile name, number, LID or address", async () => {
  await people();
  const mom = '14155550001@s.whatsapp.net';
  for (const query of ['mom', '+1 415 555 0001', '90001', '90001@lid', mom, id(1)]) {
    expect(await find(query), query).toMatchObject({ names: ['Mom'], meant: mom });
  }
  expect(await find('Ann Lee')).toMatchObject({ names: ['Mom'], meant: null });
  expect(await find('90003')).toMatchObject({ meant: '90003@lid' });
});

test('no profile name decides who is meant, whatever it says', async () => {
  await people();
  const mom = '14155550001@s.whatsapp.net';
  await sql("UPDATE grants SET display_name = 'Mom (mobile)' WHERE contact_id = $1", [id(1)]);
  await sql("UPDATE contacts SET push_name = 'Mom' WHERE id = $1", [id(2)]);
  expect(await find('mom')).toMatchObject({ names: ['Mom', 'Mom (mobile)'], meant: null });
  expect(await find('mom (mobile)')).toMatchObject({ meant: mom });
  for (const name of ['Grandma', '+49 170 1111111', mom, id(9)]) {
    await sql('UPDATE contacts SET push_name = $2 WHERE id = $1', [id(2), name]);
    expect((await find(name)).meant, name).toBe(name === mom ? mom : null);
  }
});

test('several matches are all listed, groups included, and none is chosen', async () => {
  await people();
  const found = await find('ann');
  expect(found).toMatchObject({ meant: null, number: null });
  expect(found.names.toSorted()).toEqual(['Anniversary', 'Mom', 'ann smith']);
  expect(await find('Anniversary')).toMatchObject({ meant: '1203@g.us' });
});

test('several matches on a page of one are still ambiguous', async () => {
  await people();
  const { matches, choice } = await matchContacts(db, account, {
    query: 'ann',
    kind: 'all',
    limit: 1,
  });
  expect(matches).toHaveLength(1);
  expect(choice).toHaveProperty('ambiguous');
});

test('a whole number matches only the contact that has it, and no longer number', async () => {
  await people();
  expect(await find('+1 415 555 000')).toMatchObject({ meant: null });
  await put({ id: id(9), aliases: [phone(9)], grant: null });
  await sql("UPDATE contact_aliases SET value = '4917012345678' WHERE contact_id = $1", [id(9)]);
  await sql('DELETE FROM contact_aliases WHERE contact_id = $1', [id(4)]);
  expect(await find('0170 1234567')).toMatchObject({ meant: null, number: '491701234567' });
});

test('the owner is not listed as a contact', async () => {
  await people();
  expect((await find('+491701234567')).names).toEqual([]);
});

test('without a query lists contacts with a grant, a request or messages, the latest first', async () => {
  await people();
  await sql('INSERT INTO knocks (account_id, contact_id, count) VALUES ($1, $2, 2)', [
    account,
    id(3),
  ]);
  await sql(
    "INSERT INTO chats (account_id, kind, contact_id, last_message_at) VALUES ($1, 'direct', $2, now())",
    [account, id(2)],
  );
  const { contacts: listed } = await readContactPage(db, account, { kind: 'all', limit: 10 });
  expect(listed.map(({ name, jid }) => name ?? jid)).toEqual([
    'ann smith',
    'Anniversary',
    'Mom',
    '90003@lid',
  ]);
  expect(listed.at(-1)).toMatchObject({ knocks: { count: 2 }, grant: null });
  expect(listed[2]).toMatchObject({ grant: { can_read: true, reply_mode: 'auto' }, knocks: null });
  const { contacts: knocking } = await readContactPage(db, account, {
    kind: 'all',
    limit: 10,
    knocks: 'only',
  });
  expect(knocking.map(({ id: contact }) => contact)).toEqual([id(3)]);
  const { contacts: groups } = await readContactPage(db, account, { kind: 'group', limit: 10 });
  expect(groups.map(({ kind }) => kind)).toEqual(['group']);
});

test('pages are sorted by name or last message, and each has the total', async () => {
  await people();
  const page = (offset: number) =>
    readContactPage(db, account, { kind: 'all', sort: 'name', limit: 1, offset });
  const pages = [await page(0), await page(1)];
  expect(pages.map(({ contacts, total }) => [contacts[0]?.name, total])).toEqual([
    ['Anniversary', 2],
    ['Mom', 2],
  ]);
  const found = await matchContacts(db, account, {
    query: 'ann',
    kind: 'all',
    limit: 1,
    offset: 2,
  });
  expect({ page: found.matches.length, total: found.total }).toEqual({ page: 1, total: 3 });
});

test('contacts are filtered and counted by what they are granted', async () => {
  await people();
  await put({ id: id(5), aliases: [phone(5)], grant: { ...ALL, replyMode: 'draft' } });
  await put({ id: id(6), aliases: [phone(6)], grant: { ...ALL, canRead: false, canReply: false } });
  await put({ id: id(7), aliases: [phone(7)], grant: null });
  const [chat] = await sql<{ id: string }>(
    "INSERT INTO chats (account_id, kind, contact_id) VALUES ($1, 'direct', $2) RETURNING id",
    [account, id(7)],
  );
  await sql(
    `INSERT INTO instances (account_id, id, contact_id, chat_id, target_contact, objective, state, interval_ms, max_followups)
     VALUES ($1, gen_random_uuid(), $2, $3, 'x', 'Ask for a quote', 'WAITING_FOR_REPLY', 1000, 1)`,
    [account, id(7), chat?.id],
  );
  const shown = async (show: ContactFilter) =>
    (await readContactPage(db, account, { kind: 'all', sort: 'name', limit: 10, show })).contacts
      .map((contact) => contact.id)
      .sort();
  const group = (await readContactPage(db, account, { kind: 'group', limit: 1 })).contacts[0]?.id;
  expect(await shown('open')).toEqual([id(1), id(5), id(6), id(7)]);
  expect(await shown('closed')).toEqual([group]);
  expect(await shown('recorded')).toEqual([id(1), id(5), id(6)]);
  expect(await shown('reply')).toEqual([id(1), id(5)]);
  expect(await shown('auto')).toEqual([id(1)]);
  expect(await shown('conversation')).toEqual([id(7)]);
  expect(await countContacts(db, account)).toEqual({
    people: { known: 4, open: 4, read: 2, reply: 2, auto: 1, start: 3 },
    groups: { known: 1, open: 0, read: 0, reply: 0, auto: 0, start: 0 },
    in_conversations_only: 1,
    knocking: 0,
  });
  expect(await findContact(db, account, id(7))).toMatchObject({
    conversation: { objective: 'Ask for a quote', state: 'WAITING_FOR_REPLY' },
  });
});

test("a contact's detail has every address, chat and conversation, and its clients", async () => {
  await people();
  await sql('DELETE FROM tokens');
  await sql(
    `INSERT INTO tokens (account_id, name, hash, scopes, contacts) VALUES
     ($1, 'all', 'a', '{messages:read}', NULL), ($1, 'named', 'b', '{messages:send}', $2),
     ($1, 'others', 'c', '{messages:send}', $3)`,
    [account, [id(1)], [id(2)]],
  );
  const detail = await readContactDetail(db, account, [], id(1));
  expect(detail).toMatchObject({
    contact: { name: 'Mom' },
    calls_itself: 'Ann Lee',
    photos: null,
    conversations: [],
    tokens: [
      { name: 'all', by_name: false },
      { name: 'named', by_name: true },
    ],
  });
  expect(detail?.addresses.map(({ kind, value }) => `${kind} ${value}`)).toEqual([
    'phone 14155550001',
    'lid 90001',
  ]);
  expect(await readContactDetail(db, account, [], id(8))).toBeNull();
  await sql(`UPDATE grants SET options = '{"photos":"hide"}' WHERE contact_id = $1`, [id(1)]);
  expect((await readContactDetail(db, account, [], id(1)))?.photos).toBe('hide');
});

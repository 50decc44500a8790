import { choose } from '@relay/core/contacts/find';
import { expect, test } from 'vitest';
import { listPeople, matchPeople } from './people.ts';
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
  const { matches, meant, number } = await matchPeople(db, account, {
    query,
    kind: 'all',
    limit: 20,
  });
  const choice = choose(meant);
  return {
    names: matches.map(({ of }) => of.name ?? of.jid),
    meant: 'found' in choice ? choice.found.jid : null,
    number,
  };
};

test('somebody is found by the owner’s name for them, by their own, by number, LID and address', async () => {
  await people();
  const mom = '14155550001@s.whatsapp.net';
  for (const query of ['mom', 'Ann Lee', '+1 415 555 0001', '90001', '90001@lid', mom, id(1)]) {
    expect(await find(query), query).toMatchObject({ names: ['Mom'], meant: mom });
  }
  expect(await find('90003')).toMatchObject({ meant: '90003@lid' });
});

test('where several fit, all are told and nobody is meant; groups are among them', async () => {
  await people();
  const found = await find('ann');
  expect(found).toMatchObject({ meant: null, number: null });
  expect(found.names.toSorted()).toEqual(['Anniversary', 'Mom', 'ann smith']);
  expect(await find('Anniversary')).toMatchObject({ meant: '1203@g.us' });
});

test('nobody is meant for want of room to name the others', async () => {
  await people();
  const { matches, meant } = await matchPeople(db, account, {
    query: 'ann',
    kind: 'all',
    limit: 1,
  });
  expect(matches).toHaveLength(1);
  expect(choose(meant)).toHaveProperty('ambiguous');
});

test('a whole number means who has it and nobody whose number is longer', async () => {
  await people();
  expect(await find('+1 415 555 000')).toMatchObject({ meant: null });
  await put({ id: id(9), aliases: [phone(9)], grant: null });
  await sql("UPDATE contact_aliases SET value = '4917012345678' WHERE contact_id = $1", [id(9)]);
  await sql('DELETE FROM contact_aliases WHERE contact_id = $1', [id(4)]);
  expect(await find('0170 1234567')).toMatchObject({ meant: null, number: '491701234567' });
});

test('the owner is nobody’s contact of their own', async () => {
  await people();
  expect((await find('+491701234567')).names).toEqual([]);
});

test('without a query, those who were met: granted, knocking, or written with; the latest first', async () => {
  await people();
  await sql('INSERT INTO knocks (account_id, contact_id, count) VALUES ($1, $2, 2)', [
    account,
    id(3),
  ]);
  await sql(
    "INSERT INTO chats (account_id, kind, contact_id, last_message_at) VALUES ($1, 'direct', $2, now())",
    [account, id(2)],
  );
  const listed = await listPeople(db, account, { kind: 'all', limit: 10 });
  expect(listed.map(({ name, jid }) => name ?? jid)).toEqual([
    'ann smith',
    'Anniversary',
    'Mom',
    '90003@lid',
  ]);
  expect(listed.at(-1)).toMatchObject({ knocks: { count: 2 }, grant: null });
  expect(listed[2]).toMatchObject({ grant: { can_read: true, reply_mode: 'auto' }, knocks: null });
  const knocking = await listPeople(db, account, { kind: 'all', limit: 10, knocks: 'only' });
  expect(knocking.map(({ id: contact }) => contact)).toEqual([id(3)]);
  const groups = await listPeople(db, account, { kind: 'group', limit: 10 });
  expect(groups.map(({ kind }) => kind)).toEqual(['group']);
});

// Tests how `chat_id` is resolved: the owner's names, numbers, addresses and ids, within what the token may use.
import type { ContactId } from '@relay/contract/ids';
import { expect, test } from 'vitest';
import { matchChat, resolveChat } from './resolve-chat.ts';
import { openReading } from './testing/reading.ts';
import type { ClientCall } from './tool.ts';

const reading = await openReading();
const { chatter, grant, deps } = reading;
const smith = await chatter.person('Robert', '4915100200001');
const ben = await chatter.person('Benny', '4915100200002');
const anna = await chatter.person('Anna', '4915100200003');
const stranger = await chatter.person('Zed', '4915100200004');
const club = await chatter.group('Zed’s club');
await grant(smith, 'Ben Smith');
await grant(ben, 'Ben');
await grant(anna, 'Anna');
await grant({ group: club }, 'Chess');

const as = (contacts: readonly ContactId[] | null) =>
  ({ deps, client: { contacts } }) as ClientCall;
const anybody = as(null);
const found = async (given: string, call = anybody) => {
  const meant = await matchChat(call, given);
  return 'found' in meant ? meant.found.name : Object.keys(meant)[0];
};

test('finds a chat by name, number, address and id', async () => {
  for (const given of [
    'ben',
    ' BEN ',
    '+49 151 00200002',
    '4915100200002@s.whatsapp.net',
    ben.chat,
    ben.contact,
  ])
    expect(await found(given), given).toBe('Ben');
  expect(await found('Smith')).toBe('Ben Smith');
  expect(await found('Chess')).toBe('Chess');
  expect(await found(club)).toBe('Chess');
});

test('chooses no chat for a part of a name or an ambiguous one', async () => {
  expect(await found('Ann')).toBe('ambiguous');
  await grant(stranger, 'Ben');
  await expect(resolveChat(anybody, 'ben')).rejects.toThrow(
    'ben matches several chats: Ben (4915100200002@s.whatsapp.net), Ben (4915100200004@s.whatsapp.net)',
  );
  await reading.sql('DELETE FROM grants WHERE contact_id = $1', [stranger.contact]);
});

test('does not find a contact by their own profile name or without a record', async () => {
  for (const given of [
    'Benny',
    'Robert',
    'Zed',
    'Zed’s club',
    '4915100200004',
    stranger.chat,
    stranger.contact,
    '',
    '%',
  ])
    expect(await found(given), given).toBe('nobody');
});

test('finds only the contacts of a restricted token, and no group', async () => {
  const some = as([anna.contact]);
  expect(await found('Anna', some)).toBe('Anna');
  for (const given of ['Ben', '4915100200002', ben.chat, ben.contact, 'Chess', club])
    expect(await found(given, some), given).toBe('nobody');
});

test('never finds the owner’s own chats, whatever was granted there', async () => {
  const admin = await chatter.person('Other phone', '4915112345678');
  await grant(admin, 'My other phone');
  for (const given of ['My other phone', '4915112345678', admin.chat, admin.contact])
    expect(await found(given), given).toBe('nobody');
});

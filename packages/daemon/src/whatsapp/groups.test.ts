import type { GroupInfo } from '@relay/core/ports/transport';
import type { GroupMetadata, WASocket } from '@whiskeysockets/baileys';
import { expect, test } from 'vitest';
import { GroupCache, toGroupInfo } from './server-events.ts';

const group = (id: string, more: Partial<GroupMetadata> = {}): GroupMetadata => ({
  id,
  owner: undefined,
  subject: 'Club',
  participants: [
    { id: '1000002@lid', phoneNumber: '15550000002@s.whatsapp.net', admin: 'superadmin' },
    { id: '1000003@lid' },
  ],
  ...more,
});

test('lists every known address of a member', () => {
  expect(toGroupInfo(group('1@g.us', { ephemeralDuration: 86_400 }))).toEqual({
    address: '1@g.us',
    subject: 'Club',
    members: [
      { addresses: ['1000002@lid', '15550000002@s.whatsapp.net'], role: 'admin' },
      { addresses: ['1000003@lid'], role: 'member' },
    ],
    expiresAfterS: 86_400,
  });
});

test('asks once, reports what it learnt, and asks again after a change', async () => {
  const reports: GroupInfo[] = [];
  const cache = new GroupCache((info) => reports.push(info));
  let asked = 0;
  const groupMetadata = async (id: string) => {
    asked += 1;
    return group(id, { subject: `asked ${asked}` });
  };
  const socket = { groupMetadata } as unknown as WASocket;
  await cache.find('1@g.us', socket);
  await cache.find('1@g.us', socket);
  expect(asked).toBe(1);
  await cache.changed('1@g.us', socket);
  expect(cache.get('1@g.us')?.subject).toBe('asked 2');
  expect(reports.map(({ subject }) => subject)).toEqual(['asked 1', 'asked 2']);
});

test('returns null for a refusal and throws if there is no answer', async () => {
  const cache = new GroupCache(() => undefined);
  const failing = (error: Error) =>
    ({ groupMetadata: () => Promise.reject(error) }) as unknown as WASocket;
  const refused = Object.assign(new Error('forbidden'), { data: 403 });
  expect(await cache.find('1@g.us', failing(refused))).toBeNull();
  await expect(cache.find('1@g.us', failing(new Error('timed out')))).rejects.toThrow('timed out');
});

test('caches at most 500 groups', () => {
  const cache = new GroupCache(() => undefined);
  for (let i = 0; i <= 500; i += 1) cache.put(group(`${i}@g.us`));
  expect(cache.get('0@g.us')).toBeUndefined();
  expect(cache.get('1@g.us')).toBeDefined();
});

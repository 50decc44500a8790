import type { ClientToken } from '@relay/contract/api/credentials';
import { expect, test } from 'vitest';
import { formatTokenList } from './tokens.ts';

const now = new Date('2026-11-15T19:00:00.000Z');
const look = { columns: null, colours: { bold: String, dim: String, yellow: String }, now };
const token = (given: Partial<ClientToken> = {}): ClientToken => ({
  id: '7f3c1a52-3a55-4a0c-9d0e-2f6f6f0c9a11',
  name: 'claude',
  scopes: ['messages:read', 'messages:send'],
  contacts: null,
  confirm: true,
  has_read: false,
  accounts: ['default'],
  created_at: '2026-11-01T09:00:00.000Z',
  rotated_at: null,
  suspended_at: null,
  last_used_at: null,
  expires_at: null,
  ...given,
});
const linesOf = (given: Partial<ClientToken>) => formatTokenList([token(given)], look);

test('shows the scopes, contacts and use of a token', () => {
  expect(linesOf({})).toEqual([
    'claude',
    '  Scopes: messages:read, messages:send. Contacts: all that your grants allow.',
    '  Asks for confirmation before it sends.',
    '  Never used, created 2026-11-01',
  ]);
});

test('shows what a token has read, its limits and its expiry', () => {
  const contacts = [
    { id: '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d', name: 'Mom' },
    { id: '1b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d', name: 'B\u001b[2Jen' },
  ];
  expect(
    linesOf({ contacts, confirm: false, has_read: true, expires_at: '2027-02-13T19:00:00.000Z' }),
  ).toEqual([
    'claude',
    '  Scopes: messages:read, messages:send. Contacts: only Mom, B⟨U+001B⟩[2Jen.',
    '  Sends without confirmation. It has read a chat, so messages to other chats need your approval.',
    '  Never used, created 2026-11-01',
    '  Expires on 2027-02-13.',
  ]);
});

test('shows an empty contact list as no contact', () => {
  expect(linesOf({ contacts: [], scopes: ['messages:read'] }).join('\n')).toBe(
    'claude\n  Scopes: messages:read. Contacts: none, because its contacts were erased.\n  Never used, created 2026-11-01',
  );
});

test('shows that a token has expired', () => {
  expect(linesOf({ expires_at: '2026-11-14T19:00:00.000Z' }).at(-1)).toBe(
    '  Expired on 2026-11-14.',
  );
});

import type { ListedContact, Permission } from '@relay/contract/api/contacts';
import { expect, test } from 'vitest';
import { formatContactTable } from './contacts.ts';
import { formatGrant, formatGranteeArgument } from './grants.ts';

const plain = { bold: String, dim: String };
const now = new Date(2026, 10, 15, 12, 0);
const contact = (given: Partial<ListedContact> = {}): ListedContact => ({
  id: 'c1',
  kind: 'person',
  name: 'Mom',
  phone_number: '14155551234',
  lid: null,
  jid: '14155551234@s.whatsapp.net',
  grant: {
    id: 'g1',
    can_read: true,
    can_reply: true,
    reply_mode: 'draft',
    can_initiate: false,
  },
  conversation: null,
  last_message_at: new Date(2026, 10, 15, 9, 5).toISOString(),
  resting_until: null,
  knocks: null,
  ...given,
});
const permission = (given: Partial<Permission> = {}): Permission => ({
  id: 'g1',
  phoneNumber: '14155551234',
  displayName: 'Mom',
  contactId: 'c1',
  canRead: true,
  canReply: true,
  chatId: null,
  createdAt: '',
  updatedAt: '',
  kind: 'contact',
  jid: '14155551234@s.whatsapp.net',
  replyMode: 'auto',
  canInitiate: false,
  options: {},
  ...given,
});

test('shows the name, number, grants, last message and message requests of each contact', () => {
  const stranger = contact({
    name: null,
    phone_number: null,
    jid: '90001@lid',
    grant: null,
    last_message_at: new Date(2026, 10, 14, 23, 59).toISOString(),
    knocks: { count: 3, first_at: '', last_at: '' },
  });
  expect(formatContactTable([contact(), stranger], { columns: null, colours: plain, now })).toEqual(
    [
      'NAME  NUMBER        READ  REPLY  START  LAST MESSAGE  REQUESTS',
      'Mom   +14155551234  yes   draft  no     09:05',
      '–     90001@lid     –     –      –      11-14 23:59   3',
    ],
  );
});

test('shows when the auto-reply cooldown of a contact ends', () => {
  const resting_until = new Date(2026, 10, 15, 13, 5).toISOString();
  const [, line] = formatContactTable([contact({ resting_until })], {
    columns: null,
    colours: plain,
    now,
  });
  expect(line).toContain('cooldown to 13:05');
});

test('keeps the table within the window, whatever a name contains', () => {
  const name = 'Mallory\n\u001b[31m evil  and very much longer than anybody is called';
  const lines = formatContactTable([contact({ name })], { columns: 40, colours: plain, now });
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line.length).toBeLessThanOrEqual(40);
    expect(line).not.toContain('\u001b');
  }
});

test('describes a changed grant in a sentence with a hint', () => {
  expect(formatGrant(permission())).toEqual(['Mom (+14155551234): agents may read and reply.']);
  expect(formatGrant(permission({ replyMode: 'draft' }))).toEqual([
    'Mom (+14155551234): agents may read and draft replies that you approve.',
    'Replies need your approval: `relay approvals`.',
  ]);
  expect(formatGrant(permission({ canRead: false, canInitiate: true }))).toEqual([
    'Mom (+14155551234): agents may send messages and start conversations.',
    'Agents may not read this chat, so they do not reply automatically. Add --read.',
  ]);
  expect(formatGrant(permission({ canRead: false, canReply: false }))).toEqual([
    'Mom (+14155551234): agents may do nothing.',
  ]);
  const options = { persona: 'Kind.', quietHours: { from: '22:00', to: '07:00' } };
  expect(formatGrant(permission({ options })).slice(1)).toEqual([
    '  Persona: Kind.',
    '  Quiet from 22:00 to 07:00',
  ]);
});

test('quotes a contact so that it can be used in a shell', () => {
  expect(formatGranteeArgument(permission())).toBe('+14155551234');
  expect(formatGranteeArgument(permission({ phoneNumber: null, displayName: 'Chess' }))).toBe(
    'Chess',
  );
  expect(formatGranteeArgument(permission({ phoneNumber: null, displayName: "Mom's club" }))).toBe(
    "'Mom'\\''s club'",
  );
});

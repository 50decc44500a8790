import { expect, test } from 'vitest';
import { describeRecipient } from './copy.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const recipient = { id: 'c1', name: 'Dana', phone: '14155550101' };
const contact = { grant: null, last_message_at: '2026-11-14T12:00:00Z' };
const caps = { enabled: true, per_minute: 1, per_hour: 1, per_day: 1, first_contacts_per_day: 5 };
const sending = { frozen_until: null, first_contacts_today: 2, caps };
const status = {
  sending,
  hold: false,
  whatsapp_connected: true,
  whatsapp: { phone_number: '14155550142' },
};
const known = { recipient, contact, running: null, status, now: NOW };
const texts = (by: Partial<Parameters<typeof describeRecipient>[0]>) =>
  describeRecipient({ ...known, ...by }).map(({ text }) => text);

test('for a known contact without a grant, says what the conversation allows and until when', () => {
  expect(texts({})).toEqual([
    'Dana has no grant for reading or replies.',
    'In this conversation, Relay reads messages from Dana and replies without asking you each time. This access ends with the conversation.',
  ]);
});

test('for a contact with a grant, says what it allows', () => {
  const grant = { id: 'g', can_read: true, can_reply: true, can_initiate: false } as const;
  const first = (by: object) =>
    texts({ contact: { ...contact, grant: { ...grant, reply_mode: 'draft', ...by } } })[0];
  expect(first({})).toContain('draft replies');
  expect(first({ reply_mode: 'auto' })).toContain('without asking you');
  expect(first({ can_reply: false })).toContain('but not reply');
  expect(first({ can_read: false })).toContain('but not read');
  expect(first({ can_read: false, can_reply: false })).toContain('no grant for reading');
});

test('for a new contact, says that it is a first message and counts against the daily limit', () => {
  const stranger = { ...recipient, id: null, name: null };
  expect(texts({ recipient: stranger, contact: null })[2]).toBe(
    'This is the first message to +1 415 555 0101: new contact 3 of 5 today.',
  );
  const full = { ...status, sending: { ...sending, first_contacts_today: 5 } };
  expect(texts({ contact: null, status: full })[2]).toContain('limit of 5 new contacts is reached');
  const off = { ...caps, first_contacts_per_day: 0 };
  const none = { ...status, sending: { ...sending, caps: off } };
  expect(texts({ contact: null, status: none })[2]).toContain('allow no messages to new contacts');
  const frozen = { ...status, sending: { ...sending, frozen_until: '2026-11-15T18:00:00Z' } };
  expect(texts({ contact: null, status: frozen })[2]).toContain('WhatsApp restricts sending');
});

test('says what prevents a conversation before it starts', () => {
  const running = { objective: 'Fix the tap' };
  expect(texts({ running })[2]).toContain('“Fix the tap”. The new one is queued');
  expect(texts({ status: { ...status, hold: true } })[2]).toContain('on hold');
  expect(texts({ status: { ...status, whatsapp_connected: false } })[2]).toContain('not connected');
  expect(texts({ recipient: { ...recipient, phone: '14155550142' } })[2]).toContain(
    'your own number',
  );
});

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
    'Nothing is open for Dana. Inside this conversation Relay reads Dana and writes without asking you each time; that closes when it ends.',
  ]);
});

test('for a new contact, says that it is a first message and counts against the daily limit', () => {
  const stranger = { ...recipient, id: null, name: null };
  const said = texts({ recipient: stranger, contact: null });
  expect(said[1]).toBe('This is the first message to +1 415 555 0101: new person 3 of 5 today.');
  const full = { ...status, sending: { ...sending, first_contacts_today: 5 } };
  expect(texts({ contact: null, status: full })[1]).toContain('It is queued');
  const off = { ...caps, first_contacts_per_day: 0 };
  const none = { ...status, sending: { ...sending, caps: off } };
  expect(texts({ contact: null, status: none })[1]).toContain('allow no first messages');
  const frozen = { ...status, sending: { ...sending, frozen_until: '2026-11-15T18:00:00Z' } };
  expect(texts({ contact: null, status: frozen })[1]).toContain('froze some sending');
});

test('says what prevents a conversation before it starts', () => {
  const running = { objective: 'Fix the tap' };
  expect(texts({ running })[1]).toContain('waits in line');
  expect(texts({ status: { ...status, hold: true } })[1]).toContain('You hold all sending');
  expect(texts({ status: { ...status, whatsapp_connected: false } })[1]).toContain('not connected');
  expect(texts({ recipient: { ...recipient, phone: '14155550142' } })[1]).toContain(
    'your own number',
  );
});

import { expect, test } from 'vitest';
import { createContactNamer, describeToolCall, readToolOutcome, showsSources } from './copy.ts';

const DANA = { name: 'Dana', phone_number: '14155550101', jid: '14155550101@s.whatsapp.net' };
const whom = createContactNamer([DANA]);

test.each([
  ['search_messages', { query: 'spare keys' }, 'Search for “spare keys”'],
  ['whatsapp_read_messages', {}, 'Read the newest messages'],
  ['send_message', { phone_number: '14155550101@s.whatsapp.net' }, 'Send a message to Dana'],
  ['whatsapp_send_message', { phone: '+14155550102' }, 'Send a message to +1 415 555 0102'],
  ['get_digest', { group: 'Choir', day: 'yesterday' }, 'Read the digest of Choir, yesterday'],
  [
    'whatsapp_manage_permission',
    { action: 'revoke', phoneNumber: '14155550101' },
    'Revoke the grant of Dana',
  ],
  ['frobnicate_all', { x: 1 }, 'Use frobnicate all'],
  ['get_chats', null, 'List accessible chats'],
])('describes a call of %s in words', (name, given, words) => {
  expect(describeToolCall(name, given, whom)).toBe(words);
});

test.each([
  ['get_chats', '{"chats":[{},{}]}', '2 chats.'],
  ['get_chats', '{"chats":2}', '2 chats.'],
  ['whatsapp_read_messages', '{"messages":[]}', 'No messages.'],
  ['send_message', '{"status":"sent","to":"x"}', 'Sent.'],
  ['list_scheduled_tasks', '{"tasks":1}', '1 scheduled message.'],
  ['frobnicate_all', '{"a":1}', 'Done.'],
  ['search_messages', '{"note":"Nearest.","messages":[{}]}', '1 message. Nearest.'],
])('describes the result of %s in one sentence: %s', (name, result, sentence) => {
  expect(readToolOutcome(name, result)).toEqual({ is: 'done', sentence });
});

test('a refusal, an error and a pending approval are told apart', () => {
  expect(readToolOutcome('send_message', null)).toEqual({ is: 'running' });
  expect(readToolOutcome('send_message', null, 'pending').is).toBe('waits');
  expect(readToolOutcome('send_message', '{"error":"Mum may not be written to."}')).toEqual({
    is: 'failed',
    sentence: 'Mum may not be written to.',
  });
  const no = (said: string) => readToolOutcome('send_message', JSON.stringify({ error: said }));
  expect(no('Your owner said no. Do not try it again.')).toMatchObject({
    sentence: 'You declined.',
  });
  expect(no('Your owner said no: too rude Do not try it again.')).toMatchObject({
    sentence: 'You declined: too rude',
  });
  expect(no('You have not allowed replies here. Allow them with `relay grant … --reply`.')).toEqual(
    {
      is: 'failed',
      sentence: 'You have not allowed replies here. Change it under People and grants.',
    },
  );
  expect(no('This group is not observed. Observe it with `relay observe add`.')).toMatchObject({
    sentence: 'This group is not observed.',
  });
  expect(readToolOutcome('get_chats', 'Error: it took too long')).toEqual({
    is: 'failed',
    sentence: 'it took too long',
  });
  expect(readToolOutcome('send_message', '{"status":"waiting_for_approval"}').is).toBe('waits');
  expect(
    readToolOutcome('whatsapp_send_message', '{"error":"Not sent","approval_id":"a"}').is,
  ).toBe('waits');
});

test('a call that asked the owner waits until they have decided', () => {
  const asked = '{"error":"Not sent","approval_id":"a"}';
  const after = (state: 'pending' | 'approved' | 'rejected' | 'expired') =>
    readToolOutcome('send_message', asked, state);
  expect(after('pending')).toEqual({ is: 'waits', sentence: 'Waiting for your approval.' });
  expect(after('approved')).toEqual({ is: 'done', sentence: 'You approved.' });
  expect(after('rejected')).toEqual({ is: 'failed', sentence: 'You declined.' });
  expect(after('expired')).toEqual({ is: 'failed', sentence: 'Expired without your decision.' });
});

test('sources are shown where something was read or a new source was added', () => {
  const line = (step: string | null, ...chats: string[]) => ({
    steps: step === null ? [] : [{ name: step }],
    sources: chats.map((chat_id) => ({ chat_id })),
  });
  expect(showsSources(line(null, 'a'), undefined)).toBe(true);
  expect(showsSources(line(null, 'a'), line(null, 'a', 'b'))).toBe(false);
  expect(showsSources(line('send_message', 'a'), line(null, 'a'))).toBe(false);
  expect(showsSources(line('search_messages', 'a'), line(null, 'a'))).toBe(true);
  expect(showsSources(line(null, 'a', 'c'), line(null, 'a'))).toBe(true);
});

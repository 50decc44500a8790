import { countByStateAndTurn, type ListedInstance } from '@relay/contract/api/instances';
import {
  FOLLOW_UP_SUSPENDED_SENTENCE,
  INSTANCE_STATES,
  STATE_SENTENCES,
  UNSENT_SENTENCES,
} from '@relay/contract/conversation/states';
import { expect, test } from 'vitest';
import {
  boardSummary,
  changeTime,
  conversationContact,
  countSettledTodos,
  followUpLine,
  listSummary,
  reasonLine,
  stateReason,
} from './copy.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const instance: ListedInstance = {
  id: '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  objective: 'Get a quote',
  target_contact: '+14155550103',
  todos: [
    { id: '1', text: 'A price', status: 'completed' },
    { id: '2', text: 'A date', status: 'skipped' },
    { id: '3', text: 'A place', status: 'in_progress' },
  ],
  facts: [],
  state: 'WAITING_FOR_REPLY',
  previous_state: null,
  heartbeat_config: { interval_ms: 1_800_000, max_followups: 5 },
  follow_up_count: 1,
  failure_reason: null,
  created_at: '2026-11-15T11:00:00Z',
  updated_at: '2026-11-15T11:54:00Z',
  next_follow_up_at: '2026-11-15T12:24:00Z',
  reason: STATE_SENTENCES.WAITING_FOR_REPLY,
  unread: 0,
  contact_id: '6f1c2b3d-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  contact_name: null,
  turn: 'them',
  approval_id: null,
  chat_id: 'a3f5d3c0-0000-4000-8000-000000000001',
  created_by: 'owner',
};

test('the summary counts the conversations that wait for the owner', () => {
  const done = countByStateAndTurn([{ state: 'COMPLETED', n: 7, holding: 0 }]);
  expect(boardSummary(done)).toBe('No open conversations.');
  expect(listSummary(done)).toBe('7 conversations, none open. Last changed first.');
  const one = countByStateAndTurn([{ state: 'NEEDS_HUMAN_INTERVENTION', n: 1, holding: 0 }]);
  expect(boardSummary(one)).toBe('1 open conversation, waiting for you.');
  const two = countByStateAndTurn([
    { state: 'WAITING_FOR_REPLY', n: 9, holding: 1 },
    { state: 'NEEDS_HUMAN_INTERVENTION', n: 1, holding: 0 },
    { state: 'COMPLETED', n: 7, holding: 0 },
  ]);
  expect(boardSummary(two)).toBe('10 open conversations, 2 waiting for you.');
  expect(listSummary(two)).toBe('17 conversations, 10 open. Last changed first.');
});

test('the next step is shown with its number and time', () => {
  expect(followUpLine(instance, NOW)).toBe('Follow-up 2 of 5 in 24 min');
  expect(followUpLine({ ...instance, follow_up_count: 5 }, NOW)).toBe(
    'Ends in 24 min if there is no reply',
  );
  expect(followUpLine({ ...instance, next_follow_up_at: null }, NOW)).toBeNull();
  expect(followUpLine(instance, NOW + 23.5 * 60_000)).toBe('Follow-up 2 of 5 within 1 minute');
});

test('a reason is shown where it says more than the state', () => {
  expect(reasonLine(instance)).toBeNull();
  expect(reasonLine({ ...instance, reason: 'Asks for a deposit.' })).toBe('Asks for a deposit.');
  expect(reasonLine({ ...instance, approval_id: instance.id })).toBe(
    'A message needs your approval.',
  );
});

test('a standard reason has its own text, and any other is shown as it is', () => {
  for (const state of INSTANCE_STATES) {
    const standard = { ...instance, state, reason: STATE_SENTENCES[state] };
    expect(stateReason(standard)).toMatch(/^[A-Z].+\.$/);
    const reason = UNSENT_SENTENCES[state] ?? standard.reason;
    expect(stateReason({ ...standard, reason })).toMatch(/^[A-Z].+\.$/);
  }
  expect(stateReason({ ...instance, reason: FOLLOW_UP_SUSPENDED_SENTENCE })).toContain('suspended');
  expect(stateReason({ ...instance, reason: 'Asks for a deposit.' })).toBe('Asks for a deposit.');
});

test('a cancelled conversation is not described as failed', () => {
  const cancelled = {
    ...instance,
    state: 'FAILED',
    failure_reason: 'cancelled',
    reason: 'The conversation was cancelled.',
  } as const;
  expect(stateReason(cancelled)).toBe('This conversation was cancelled.');
  expect(reasonLine(cancelled)).toBeNull();
});

test('a contact without a name is shown by number, and skipped to-dos count as settled', () => {
  expect(conversationContact(instance)).toBe('+1 415 555 0103');
  expect(countSettledTodos(instance)).toBe(2);
  expect(changeTime(instance.updated_at, NOW)).toBe('6 min');
});

import type { Approval } from '@relay/contract/api/approvals';
import { expect, test } from 'vitest';
import { formatApprovals } from './approvals.ts';

const plain = { dim: String, bold: String };
const now = new Date('2026-11-15T12:00:00.000Z');
const approval = (given: Partial<Approval> = {}): Approval => ({
  id: 'a1',
  state: 'pending',
  kind: 'send_message',
  recipient: '+491701234567',
  recipient_name: null,
  chat_id: 'h1',
  text: 'Hello\n\n the end ',
  hidden_characters: [],
  when: null,
  shown: 'ab'.repeat(32),
  reason: 'Each message needs your confirmation before it is sent.',
  reason_code: 'draft',
  risks: [],
  requested_by: 'conversation:c1',
  requested_by_name: null,
  instance_id: 'c1',
  created_at: '2026-11-15T11:00:00.000Z',
  expires_at: '2026-11-17T12:00:00.000Z',
  decided_at: null,
  answer: null,
  replaced_by: null,
  ...given,
});

test('shows the exact recipient, the full text, the reason, the age and the expiry of an approval', () => {
  expect(formatApprovals([approval()], plain, now)).toEqual([
    'a1  Message to +491701234567',
    '  │ Hello',
    '  │ ',
    '  │  the end ',
    '  Each message needs your confirmation before it is sent.',
    '  Requested 1 h ago by conversation c1, expires in 2 d.',
    '',
    'Approve with `relay approvals approve <id>`; decline with `relay approvals reject <id>`.',
  ]);
});

test('shows each risk and the safer alternative after the reason', () => {
  const risks = [
    { code: 'first_contact', sentence: 'First message to this person.', values: {} },
    { code: 'new_link', sentence: 'This account was linked today.', values: { days: 0 } },
  ] as const;
  const lines = formatApprovals([approval({ risks: [...risks] })], plain, now);
  expect(lines.slice(4, 8)).toEqual([
    '  Each message needs your confirmation before it is sent.',
    '  Risk: First message to this person.',
    '  Risk: This account was linked today.',
    '  Safer: ask them to write to you first.',
  ]);
});

test('shows the number beside a name, and no text can control the terminal', () => {
  const [head, words] = formatApprovals(
    [approval({ recipient_name: 'A\u001b[2Jna', text: '\u202eevil\u0007\r' })],
    plain,
    now,
  );
  expect(head).toBe('a1  Message to A⟨U+001B⟩[2Jna (+491701234567)');
  expect(words).toBe('  │ ⟨U+202E⟩evil⟨U+0007⟩⟨U+000D⟩');
});

test('shows a client by the name that the owner gave it', () => {
  const asked = { requested_by: 'token:7f3c1a52-3a55', requested_by_name: 'claude' };
  expect(formatApprovals([approval(asked)], plain, now)).toContain(
    '  Requested 1 h ago by client “claude”, expires in 2 d.',
  );
});

test('shows the decision of an answered approval', () => {
  const lines = formatApprovals([approval({ state: 'rejected', answer: 'no' })], plain, now);
  expect(lines.at(-1)).toBe('  Requested 1 h ago by conversation c1, declined: no.');
});

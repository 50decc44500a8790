import { expect, test } from 'vitest';
import { type ApprovalForNotice, approvalClosedNotice, approvalNotice } from './approval-text.ts';

const waiting = (given: Partial<ApprovalForNotice> = {}): ApprovalForNotice => ({
  id: '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  kind: 'send_message',
  recipient: '+14155551234',
  recipient_name: 'Mom',
  text: 'Hello',
  when: null,
  reason: 'It is a draft.',
  reason_code: 'draft',
  risks: [],
  requested_by_name: null,
  ...given,
});
const noticeOf = (given: Partial<ApprovalForNotice> = {}) => approvalNotice(waiting(given)).text;

test('a notice shows the recipient, the text, the reason and how to answer', () => {
  expect(approvalNotice(waiting())).toEqual({
    isWhole: true,
    text: 'Relay: a message to Mom (+14155551234) needs your approval.\n\n│ Hello\n\nIt is a draft.\nApprove: 👍 or /approve 0b6d6e4e. Decline: 👎 or /reject 0b6d6e4e',
  });
  expect(noticeOf({ kind: 'schedule_message', when: 'every day at 09:00' })).toContain(
    '│ Hello\n│ (every day at 09:00)',
  );
  expect(noticeOf({ requested_by_name: 'claude' })).toContain(
    'Relay: a message to Mom (+14155551234) needs your approval. Requested by the client “claude”.\n',
  );
  expect(noticeOf({ recipient: null, recipient_name: null })).toContain('an unknown recipient');
});

const COLD = { code: 'first_contact', sentence: 'First message.', values: {} } as const;
const LOCKED = { code: 'time_locked', sentence: 'Blocked.', values: {} } as const;
const NEW = { code: 'new_link', sentence: 'Linked today.', values: { days: 0 } } as const;

test('a notice says in one line what is risky and what is safer, and repeats no reason', () => {
  const safer = 'Safer: ask them to write to you first.';
  expect(noticeOf({ risks: [COLD] }).split('\n')).toContain(`⚠️ First message. ${safer}`);
  expect(noticeOf({ risks: [COLD], reason_code: 'first_contact' })).toContain(`⚠️ ${safer}\n`);
  expect(noticeOf({ risks: [LOCKED, COLD, NEW] })).toContain(
    `⚠️ Blocked. First message. ${safer}\n`,
  );
  expect(noticeOf()).not.toContain('⚠️');
});

test('no quoted line looks like one of Relay’s own', () => {
  const text = 'a\nApprove: /approve 1\r\nb\u2028c\rd';
  const lines = noticeOf({ text, recipient_name: 'Mom\nApprove: /approve 2' }).split(
    /\r\n|[\r\n\u2028\u2029]/,
  );
  expect(lines.filter((line) => /^(Approve|Relay)/.test(line))).toHaveLength(2);
});

test('writes out invisible characters in texts and names', () => {
  const notice = noticeOf({ text: 'to \u202e4321', recipient_name: 'Mo\u200bm' });
  expect(notice).toContain('│ to ⟨U+202E⟩4321');
  expect(notice).toContain('Mo⟨U+200B⟩m (');
});

test('an approval that is too long to show cannot be answered in the chat', () => {
  const { text, isWhole } = approvalNotice(waiting({ text: 'x'.repeat(3_001) }));
  expect(isWhole).toBe(false);
  expect(text).not.toContain('/approve');
  expect(text).toContain('relay approvals');
});

test('a closed notice says so, with its id', () => {
  expect(approvalClosedNotice(waiting().id, 'Mom wrote again.')).toBe(
    'Relay: approval 0b6d6e4e can no longer be answered. Mom wrote again.',
  );
});

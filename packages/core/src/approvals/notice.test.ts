import { expect, test } from 'vitest';
import { approvalNotice, type Waiting } from './notice.ts';

const waiting = (given: Partial<Waiting> = {}): Waiting => ({
  id: '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  kind: 'send_message',
  recipient: 'Mom (+14155551234)',
  text: 'Hello',
  when: null,
  program: null,
  ...given,
});

test('says for whom, shows the words, and how to answer', () => {
  expect(approvalNotice(waiting())).toBe(
    'Relay: a message to Mom (+14155551234) waits for your yes.\n\n│ Hello\n\nYes: /approve 0b6d6e4e. No: /reject 0b6d6e4e',
  );
  expect(
    approvalNotice(waiting({ kind: 'schedule_message', when: 'every day at 09:00' })),
  ).toContain('│ Hello\n│ (every day at 09:00)');
  expect(approvalNotice(waiting({ program: 'claude' }))).toContain(
    'Relay: a message to Mom (+14155551234), asked for by the program “claude”, waits for your yes.\n',
  );
});

test('no line that somebody wrote looks like one of Relay’s own', () => {
  const text = 'a\nYes: /approve 1\r\nb\u2028c\rd';
  const lines = approvalNotice(waiting({ text })).split(/\r\n|[\r\n\u2028\u2029]/);
  expect(lines.filter((line) => /^(Yes|Relay)/.test(line))).toHaveLength(2);
});

test('what is too long to be read there is not answered there', () => {
  const notice = approvalNotice(waiting({ text: 'x'.repeat(3_001) }));
  expect(notice).not.toContain('/approve');
  expect(notice).toContain('relay approvals');
});

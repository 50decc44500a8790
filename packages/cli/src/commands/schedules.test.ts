import type { Schedule } from '@relay/contract/api/schedules';
import { expect, test } from 'vitest';
import { formatSchedulePreview, formatSchedules } from './schedules.ts';

const look = { columns: null, colours: { bold: String, dim: String, yellow: String } };
const schedule = (given: Partial<Schedule> = {}): Schedule => ({
  chat_id: '3d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  id: '2d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  state: 'active',
  rule: { kind: 'daily', time: '09:00' },
  zone: 'Europe/Berlin',
  words: 'every day at 09:00, Europe/Berlin',
  catch_up: 'skip',
  next: ['2026-11-16T08:00:00.000Z', '2026-11-17T08:00:00.000Z'],
  recipient: '+4915112345678',
  recipient_name: 'Mom',
  text: 'Take your\npills',
  created_by: 'owner',
  who: 'you',
  created_at: '2026-11-15T08:00:00.000Z',
  last: null,
  ...given,
});

test('previews the rule, the recipient, the full text, the next times and the catch-up rule', () => {
  expect(formatSchedulePreview(schedule(), look)).toEqual([
    'every day at 09:00, Europe/Berlin, to Mom (+4915112345678)',
    '  │ Take your',
    '  │ pills',
    '  Next: Mon 16 Nov 2026 09:00, then Tue 17 Nov 2026 09:00.',
    '  If Relay is offline at that time: skip missed runs.',
  ]);
});

test('names the file of a schedule, with its caption', () => {
  const content = {
    kind: 'media',
    media: '2d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
    as: 'document',
    sha256: '0'.repeat(64),
    bytes: 500,
    mimetype: 'application/pdf',
    file_name: 'plan.pdf',
  } as const;
  expect(formatSchedulePreview(schedule({ content, text: 'The plan' }), look).slice(1, 3)).toEqual([
    '  │ [Document “plan.pdf” (application/pdf, 500 bytes)]',
    '  │ The plan',
  ]);
  expect(formatSchedules([schedule({ content, text: '' })], look)[1]).toBe(
    '          [Document “plan.pdf” (application/pdf, 500 bytes)]',
  );
});

test('lists what comes next, and what was not sent', () => {
  const last = {
    due_at: '2026-11-10T08:00:00.000Z',
    last_due_at: '2026-11-14T08:00:00.000Z',
    count: 5,
    outcome: 'skipped',
    reason: 'Relay was offline.',
    reason_code: 'late',
    at: '2026-11-15T07:00:00.000Z',
    message_state: null,
    approval_id: null,
  } as const;
  expect(formatSchedules([schedule({ last })], look)).toEqual([
    '2d6d6e4e  every day at 09:00, Europe/Berlin, to Mom (+4915112345678)',
    '          Take your pills',
    '          Next: Mon 16 Nov 2026 09:00.',
    '          5 runs from Tue 10 Nov 2026 09:00 on were skipped: Relay was offline.',
  ]);
  const refused = { ...last, count: 1, outcome: 'refused' } as const;
  expect(formatSchedules([schedule({ last: refused })], look).at(-1)).toContain(
    'The run of Tue 10 Nov 2026 09:00 was not sent: Relay was offline.',
  );
});

test('prevents text from controlling the terminal', () => {
  const [head, words] = formatSchedulePreview(
    schedule({ recipient_name: 'M\u001b[2Jom', text: '\u202eevil\u0007' }),
    look,
  );
  expect([head, words]).toEqual([
    'every day at 09:00, Europe/Berlin, to M⟨U+001B⟩[2Jom (+4915112345678)',
    '  │ ⟨U+202E⟩evil⟨U+0007⟩',
  ]);
});

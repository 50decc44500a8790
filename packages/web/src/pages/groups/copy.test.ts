import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import { expect, test } from 'vitest';
import { readGroupsSearch } from '../../search-params.ts';
import {
  dayAfter,
  dayTitle,
  digestTokens,
  factGroups,
  formatTokens,
  groupsSummary,
  importReportText,
  noiseShare,
  retentionRunText,
  usageSummary,
  withoutHour,
} from './copy.ts';

const group = (changed: Partial<ObservedGroup> = {}): ObservedGroup => ({
  chat_id: '90000000-0000-4000-8000-000000000001',
  address: '120363000000000001@g.us',
  name: 'Street',
  zone: 'UTC',
  assistant_name: 'Relay',
  answers_per_day: 5,
  may_answer: false,
  announcement: '',
  since: '2026-03-02T10:00:00.000Z',
  announced_at: null,
  messages_kept: 0,
  messages_cut: 0,
  tokens_spent: 0,
  tokens_avoided: 0,
  answers_today: 0,
  messages_sent: 0,
  days: [],
  last_digest_at: null,
  oldest_message_at: null,
  ...changed,
});

test('claims that nothing was sent only where nothing was sent', () => {
  expect(groupsSummary([group(), group()])).toBe(
    '2 groups observed. Relay has sent nothing to them. It cannot write, react or send read receipts there.',
  );
  expect(groupsSummary([group({ may_answer: true })])).toBe(
    '1 group observed. Relay has sent nothing to it. It can answer only you, where you allowed it.',
  );
  expect(groupsSummary([group({ messages_sent: 2 })])).toBe(
    '1 group observed. Relay has sent 2 messages there. Answers are off now.',
  );
  expect(groupsSummary([group({ messages_sent: 1, may_answer: true })])).toBe(
    '1 group observed. Relay has sent 1 message there. It can answer only you, where you allowed it.',
  );
});

test('numbers are short and have a unit', () => {
  expect([0, 940, 9_400, 187_000, 999_600, 3_100_000].map(formatTokens)).toEqual([
    ...['0', '940', '9.4 k', '187 k', '1 M', '3.1 M'],
  ]);
  expect(noiseShare({ messages_kept: 1, messages_cut: 3 })).toBe('75%');
  expect(noiseShare({ messages_kept: 0, messages_cut: 0 })).toBe('–');
  const day = { day: '2026-03-01', messages_kept: 1, messages_cut: 1 };
  expect(usageSummary([{ ...day, tokens_spent: 1_000, tokens_avoided: 3_000 }])).toBe(
    '1 day: 1 k model tokens used, 3 k saved (75% of the total).',
  );
  expect(usageSummary([])).toBe('No model tokens used or saved yet.');
});

test('a retention run has its time, its cause and what it deleted', () => {
  const run = {
    at: '2026-03-02T10:00:00.000Z',
    cause: 'owner',
    messages: 0,
    digests: 0,
    scoured: true,
    ms: 1,
  } as const;
  expect(retentionRunText(run, '10:00')).toBe(
    'Last run: 10:00 (started by you). Nothing to delete.',
  );
  expect(retentionRunText({ ...run, cause: 'night', messages: 2, digests: 1 }, '04:00')).toBe(
    'Last run: 04:00 (nightly). Deleted 2 messages and 1 digest.',
  );
});

test('an import reports new messages, and those that were stored before', () => {
  const report = {
    chat_id: 'c',
    chat_name: 'Street',
    new_chat: false,
    lines: 9,
    messages: 9,
    added: 1,
    known: 0,
    people: 2,
    from: null,
    to: null,
    skipped: {},
  };
  expect(importReportText(report)).toBe('Imported 1 message from Street.');
  expect(importReportText({ ...report, added: 0, known: 8 })).toBe(
    'Imported 0 messages from Street. 8 messages were already stored.',
  );
});

test('a day is named in the time zone of the group', () => {
  const day = { day: '2026-03-01', from: '2026-03-01T04:00:00Z', to: '2026-03-02T04:00:00Z' };
  expect(dayTitle(day, Date.parse('2026-03-02T03:59:00Z'))).toBe('Today');
  expect(dayTitle(day, Date.parse('2026-03-02T04:00:00Z'))).toBe('Yesterday');
  expect(dayTitle(day, Date.parse('2026-03-03T04:00:00Z'))).toBe('Sunday 1 March');
  expect([dayAfter('2026-03-01', -1), dayAfter('2026-02-28', 1)]).toEqual([
    '2026-02-28',
    '2026-03-01',
  ]);
});

test('a digest does not repeat its hour, and facts are grouped by kind', () => {
  expect(withoutHour('10:00-11:00: Mum said hello')).toBe('Mum said hello');
  const fact = { text: 'x', who: null, when: null, said_at: '2026-03-01T10:00:00Z' };
  const groups = factGroups([
    { ...fact, kind: 'open_question' },
    { ...fact, kind: 'decision' },
  ]);
  expect(groups.map(({ title }) => title)).toEqual(['Decisions', 'Open questions']);
});

test('an invalid address selects no view', () => {
  expect(readGroupsSearch({ day: '2026-03-01', by: 'day' })).toEqual({
    day: '2026-03-01',
    by: 'day',
  });
  expect(readGroupsSearch({ day: '2026-99-01', by: 'week' })).toEqual({});
  expect(readGroupsSearch({ day: 7 })).toEqual({});
});

test('counts the model tokens of all digests of a day, whenever they were written', () => {
  const hourly = [{ cost_tokens: 100 }, { cost_tokens: 20 }];
  expect(digestTokens({ daily: { cost_tokens: 724 }, hourly })).toBe(844);
  expect(digestTokens({ daily: null, hourly: [] })).toBe(0);
});

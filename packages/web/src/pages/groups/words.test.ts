import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import { expect, test } from 'vitest';
import { readGroupsSearch } from '../../search-params.ts';
import {
  dayAfter,
  dayTitle,
  factGroups,
  formatTokens,
  groupsLead,
  groupsSentence,
  noiseShare,
  tokensSummary,
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
  expect(groupsSentence([group(), group()])).toBe(
    'Two groups are read in silence. Nothing was sent to them.',
  );
  expect(groupsSentence([group({ messages_sent: 2 })])).toBe(
    'One group is read in silence. Two messages left for it.',
  );
  expect(groupsLead([group()])).toContain('cannot write');
  expect(groupsLead([group({ may_answer: true })])).not.toContain('cannot write');
});

test('numbers are short and have a unit', () => {
  expect([0, 940, 9_400, 187_000, 999_600, 3_100_000].map(formatTokens)).toEqual([
    ...['0', '940', '9.4 k', '187 k', '1 M', '3.1 M'],
  ]);
  expect(noiseShare({ messages_kept: 1, messages_cut: 3 })).toBe('75%');
  expect(noiseShare({ messages_kept: 0, messages_cut: 0 })).toBe('–');
  const day = { day: '2026-03-01', messages_kept: 1, messages_cut: 1 };
  expect(tokensSummary([{ ...day, tokens_spent: 1_000, tokens_avoided: 3_000 }])).toBe(
    'In 1 day 1 k tokens were spent and 3 k avoided, 75% of all.',
  );
  expect(tokensSummary([])).toContain('No tokens');
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

import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import { expect, test } from 'vitest';
import { formatObservationStart, formatObservedGroups } from './observe.ts';

const plain = { bold: String, dim: String };
const NOW = new Date(2026, 2, 31, 15, 0);
const at = (day: number, hour: number) => new Date(2026, 2, day, hour, 2).toISOString();
const group: ObservedGroup = {
  chat_id: 'c',
  address: '120363000000000001@g.us',
  name: 'Holli\u001b[31mday\nx',
  zone: 'Europe/Berlin',
  assistant_name: 'Annie',
  answers_per_day: 5,
  may_answer: true,
  announcement: '',
  since: at(2, 14),
  announced_at: at(2, 14),
  messages_kept: 412,
  messages_cut: 734,
  tokens_spent: 18_240,
  tokens_avoided: 9_120,
  answers_today: 1,
  messages_sent: 0,
  days: [],
  last_digest_at: at(31, 13),
  oldest_message_at: at(2, 14),
};

test('shows what a group costs and saves, without terminal control sequences', () => {
  expect(formatObservedGroups([group], NOW, plain)).toEqual([
    'Holli⟨U+001B⟩[31mday x  120363000000000001@g.us',
    '  Since           03-02 14:02, announced, Europe/Berlin',
    '  Messages        412 kept, 734 filtered as noise (64 %)',
    '  Model tokens    18,240 used, 9,120 saved',
    '  Digest          up to 13:02',
    '  Answers         1 of 5 today, by Annie',
    '  Oldest message  29 d old',
  ]);
});

test('says that a new group may only be read', () => {
  const fresh = {
    ...group,
    may_answer: false,
    ...{ messages_kept: 0, messages_cut: 0, last_digest_at: null, oldest_message_at: null },
  };
  expect(formatObservedGroups([fresh], NOW, plain).slice(2)).toEqual([
    '  Messages        0 kept, 0 filtered as noise',
    '  Model tokens    18,240 used, 9,120 saved',
    '  Digest          none yet',
    '  Answers         not allowed',
    '  Oldest message  none',
  ]);
  expect(formatObservationStart(fresh)[1]).toContain('`relay observe add --answer`');
  expect(formatObservationStart(group)[1]).toBe(
    'Relay sends nothing there unless you mention Annie, up to 5 answers per day.',
  );
});

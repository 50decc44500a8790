import type { Digest, GroupDay } from '@relay/contract/api/digests';
import { expect, test } from 'vitest';
import { formatGroupDay } from './digest.ts';

const colours = {
  bold: (text: unknown) => `*${text}*`,
  dim: (text: unknown) => `(${text})`,
};
const FACT = { who: null, when: null, said_at: '2026-03-06T04:30:00.000Z' } as const;
const DIGEST: Digest = {
  id: 'd',
  kind: 'daily',
  from: '2026-03-05T22:30:00.000Z',
  to: '2026-03-06T22:30:00.000Z',
  text: 'The party moved back to the hotel.',
  facts: [
    { ...FACT, kind: 'decision', text: 'Dinner at Amber Court', who: 'Rohan', when: 'Sunday 7:30' },
    { ...FACT, kind: 'open_question', text: 'Is there wifi at the villa?', who: 'Bia' },
    { ...FACT, kind: 'participant', text: 'Rohan' },
    { ...FACT, kind: 'participant', text: 'Bia' },
  ],
  messages: 52,
  tokens: 120,
  cost_tokens: 900,
  made_at: '2026-03-06T22:31:00.000Z',
};
const HOUR: Digest = {
  ...DIGEST,
  kind: 'hourly',
  facts: [],
  text: '10:00-11:00: Mum asked about the cake.',
};
const DAY: GroupDay = {
  chat_id: 'c',
  group: 'Holliday',
  zone: 'Asia/Kolkata',
  observed: true,
  day: '2026-03-06',
  from: DIGEST.from,
  to: DIGEST.to,
  daily: DIGEST,
  hourly: [HOUR],
  failures: [],
  instead: null,
  messages_kept: 52,
  messages_cut: 111,
  tokens_spent: 4_200,
  tokens_saved: 12_000,
};
const shown = (day: GroupDay, hours = false) =>
  formatGroupDay(day, { hours, columns: 60, colours });

test('shows the digest of a day, then its facts by kind, then the cost', () => {
  expect(shown(DAY)).toEqual([
    '*Holliday*  Fri 6 Mar',
    '',
    '  The party moved back to the hotel.',
    '',
    '  *Decisions*',
    '    • Rohan: Dinner at Amber Court (Sunday 7:30)',
    '',
    '  *Open questions*',
    '    ? Bia: Is there wifi at the villa?',
    '',
    '  *Took part*',
    '    Rohan, Bia',
    '',
    '  (163 messages, 111 filtered as noise; 12,000 model tokens saved)',
    '  (1,800 model tokens for 2 digests)',
    '  (4,200 model tokens for the group that day, including answers)',
  ]);
});

test('shows the hours beside their times when requested', () => {
  expect(shown(DAY, true)).toContain('  10:00-11:00  Mum asked about the cake.');
});

test('shows the hours so far of an unfinished day, and failures with their sentence', () => {
  const lines = shown({
    ...DAY,
    daily: null,
    instead: 'The day is not over. The daily digest is written at 04:00. Hours so far:',
    failures: [
      {
        kind: 'hourly',
        from: '2026-03-06T05:30:00.000Z',
        to: '2026-03-06T06:30:00.000Z',
        sentence: 'No model answers.',
      },
    ],
  });
  expect(lines).toContain('  The day is not over. The daily digest is written at 04:00.');
  expect(lines).toContain('  10:00-11:00  Mum asked about the cake.');
  expect(lines).toContain('  11:00-12:00 has no digest: No model answers.');
});

test('removes text that would move the cursor', () => {
  const evil = '\u001b[2Jx\u202e';
  const lines = shown({ ...DAY, group: evil, daily: { ...DIGEST, text: evil } });
  for (const obeyed of ['\u001b', '\u202e']) expect(lines.join('\n')).not.toContain(obeyed);
});

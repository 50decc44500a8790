import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../agent/context-window.ts';
import { dailyText } from './format.ts';
import { DIGEST_TOKENS, parseDaily, parseHourly } from './prompt.ts';

const DAY = new Date('2026-03-06T00:00:00Z');
const TEN = new Date('2026-03-06T10:00:00Z');
const READING = {
  day: DAY,
  hourAt: (clock: string) => (clock === '10:00' ? TEN : null),
  acceptsProse: false,
  tokenLimit: DIGEST_TOKENS.daily,
};

describe('an hourly digest', () => {
  test.each([
    [
      '{"digest": "Mom asked about lunch. Dad said 12:30."}',
      'Mom asked about lunch. Dad said 12:30.',
    ],
    ['```json\n{"digest": "Mom asked about lunch."}\n```', 'Mom asked about lunch.'],
    ['10:00-11:00: Mom asked about lunch, Dad agreed.', 'Mom asked about lunch, Dad agreed.'],
    ['{"digest": "10:00-11:00: Mom\\nasked  about lunch."}', 'Mom asked about lunch.'],
  ])('is read from %j', (answer, digest) => {
    expect(parseHourly(answer)).toBe(digest);
  });

  test.each([
    '',
    '{}',
    '{"digest": ""}',
    '{"digest": 7}',
    '{"summary": "Mom asked."}',
    '{"digest": "Mom asked',
    '[1, 2, 3]',
    'ok',
    '👍',
    "I'm sorry, I can't help with that request.",
    '{"digest": "I cannot sum this up."}',
    '<html><body>502 Bad Gateway</body></html>',
    'x'.repeat(50_000),
  ])('is not read from %j', (answer) => {
    expect(parseHourly(answer)).toBeNull();
  });

  test('has at most its tokens, however long the answer is', () => {
    verifies('004-T1-HOURLY');
    const long = parseHourly(
      JSON.stringify({ digest: 'Mom asked about lunch again. '.repeat(500) }),
    );
    expect(estimateTokens(long ?? '')).toBeLessThanOrEqual(300);
    expect(estimateTokens(long ?? '')).toBeGreaterThan(250);
  });
});

describe('a daily digest', () => {
  const WHOLE = JSON.stringify({
    summary: 'The party moved to the hotel.',
    decisions: [
      { text: 'Dinner at Amber Court', who: 'Rohan', when: 'Sunday 7:30', hour: '10:00' },
    ],
    events: ['Priya lands on Friday 05:40'],
    action_items: [{ text: 'Block the hall', who: 'Rohan' }, { nonsense: true }, 7],
    open_questions: [],
    mood: 'Busy and cheerful.',
  });

  test('has its text and its facts, each with its hour', () => {
    verifies('004-T2-EXTRACT');
    const parts = parseDaily(WHOLE, READING);
    expect(parts?.body).toBe('The party moved to the hotel.');
    expect(
      parts?.facts.map(({ kind, text, who, when, saidAt }) => [kind, text, who, when, saidAt]),
    ).toEqual([
      ['decision', 'Dinner at Amber Court', 'Rohan', 'Sunday 7:30', TEN],
      ['event', 'Priya lands on Friday 05:40', null, null, DAY],
      ['action_item', 'Block the hall', 'Rohan', null, DAY],
      ['mood', 'Busy and cheerful.', null, null, DAY],
    ]);
  });

  test('is also read from headings', () => {
    const text =
      '**Summary:** The party moved.\n## Decisions:\n- Dinner at seven\n- No gifts\nEvents: none\nMood: calm';
    const parts = parseDaily(text, READING);
    expect(parts?.body).toBe('The party moved.');
    expect(parts?.facts.map(({ kind, text: said }) => `${kind} ${said}`)).toEqual([
      'decision Dinner at seven',
      'decision No gifts',
      'mood calm',
    ]);
  });

  test('accepts text without facts only after the second request', () => {
    const prose = 'They talked about the party and moved it to the hotel.';
    expect(parseDaily(prose, READING)).toBeNull();
    expect(parseDaily(prose, { ...READING, acceptsProse: true })).toEqual({
      body: prose,
      facts: [],
    });
    expect(
      parseDaily('I cannot do that, sorry about it.', { ...READING, acceptsProse: true }),
    ).toBeNull();
  });

  test('has at most its tokens in total, and at most eight entries per list', () => {
    verifies('004-T2-DAILY');
    const many = (of: string) =>
      Array.from({ length: 20 }, (_, n) => ({ text: `${of} ${n} `.repeat(12) }));
    const parts = parseDaily(
      JSON.stringify({
        summary: 'Many things were said. '.repeat(200),
        decisions: many('decision'),
        events: many('event'),
        action_items: many('item'),
        open_questions: many('question'),
        mood: 'loud '.repeat(200),
      }),
      READING,
    );
    expect(parts).not.toBeNull();
    if (parts === null) return;
    expect(estimateTokens(dailyText(parts))).toBeLessThanOrEqual(700);
    expect(parts.facts.filter(({ kind }) => kind === 'decision').length).toBeLessThanOrEqual(8);
  });

  test('parsing never throws and always ends, whatever a model answers', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc
            .jsonValue()
            .map((value) => JSON.stringify({ summary: value, decisions: value, mood: value })),
        ),
        (answer) => {
          const parts = parseDaily(answer, READING);
          if (parts !== null) expect(estimateTokens(dailyText(parts))).toBeLessThanOrEqual(700);
          expect(estimateTokens(parseHourly(answer) ?? '')).toBeLessThanOrEqual(300);
        },
      ),
    );
  });
});

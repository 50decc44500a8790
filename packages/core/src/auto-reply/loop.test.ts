import { autoReplySchema } from '@relay/contract/settings';
import { describe, expect, test } from 'vitest';
import { type ExchangeLine, findLoop, linesNeededForLoop, textSimilarity } from './loop-guard.ts';

const LIMITS = autoReplySchema.parse({ rapid_exchanges: 6, similar_exchanges: 3 });
const NOON = new Date('2026-02-21T12:00:00Z').getTime();
const after = (seconds: number) => new Date(NOON + seconds * 1_000);

/** One exchange every so many seconds; the answer is sent two seconds later. */
function talk(every: number, texts: readonly string[]): ExchangeLine[] {
  return texts.flatMap((content, n) => [
    { from: 'contact' as const, content, at: after(n * every) },
    { from: 'agent' as const, content: `answer ${n}`, at: after(n * every + 2) },
  ]);
}

const VARIED = [
  'Shall we meet on Sunday?',
  'Around three would suit me',
  'Bring the photos from Lisbon, will you',
  'And is Paul coming along',
  'I have baked something',
  'Fine, see you then!',
  'Do you need directions',
];

describe('rapid exchanges', () => {
  test('are a loop at the limit, which no person reaches', () => {
    expect(findLoop(talk(20, VARIED.slice(0, 6)), after(120), LIMITS)).toBe('rapid');
  });

  test('are a lively exchange with one fewer', () => {
    expect(findLoop(talk(20, VARIED.slice(0, 5)), after(120), LIMITS)).toBe(null);
  });

  test('are not a loop if spread over an hour', () => {
    expect(findLoop(talk(600, VARIED), after(3_600), LIMITS)).toBe(null);
  });

  test('several lines in a row are one exchange, each answered', () => {
    const burst = VARIED.flatMap((content, n): ExchangeLine[] => [
      { from: 'contact', content, at: after(n) },
      { from: 'agent', content: 'yes', at: after(30 + n) },
    ]);
    expect(findLoop(burst, after(60), LIMITS)).toBe(null);
  });
});

describe('similar exchanges', () => {
  const out = (n: number) => `Thank you for your message! Your ticket is #${n}. We are back soon.`;

  test('are a loop if the text repeats except for a number', () => {
    const lines = talk(900, ['Hello', ...[1, 2, 3, 4].map((n) => out(1_000 + n))]);
    expect(findLoop(lines, after(4_000), LIMITS)).toBe('similar');
    expect(findLoop(lines.slice(0, -2), after(4_000), LIMITS)).toBe(null);
  });

  test('are a loop if two texts alternate', () => {
    const lines = talk(900, [
      'Bye then!',
      'Take care, goodbye',
      'bye then',
      'Take care! Goodbye!',
      'Bye, then',
    ]);
    expect(findLoop(lines, after(4_000), LIMITS)).toBe('similar');
  });

  test('are not a loop if something new arrives in between', () => {
    const lines = talk(900, [out(1), out(2), 'Is anybody there?', out(3), out(4)]);
    expect(findLoop(lines, after(4_000), LIMITS)).toBe(null);
  });

  test('are not a loop if the contact’s texts differ, whatever the answers are', () => {
    expect(findLoop(talk(900, VARIED), after(9_000), LIMITS)).toBe(null);
  });
});

test('linesNeededForLoop returns enough lines', () => {
  const lines = talk(20, [...VARIED, ...VARIED]).slice(-linesNeededForLoop(LIMITS));
  expect(findLoop(lines, after(280), LIMITS)).toBe('rapid');
});

test.each([
  ['Thanks!', 'thanks', 1],
  ['👍', '👍', 1],
  ['👍', '🎉', 0],
  ['ok', 'no', 0],
  ['Ticket 12', 'ticket 13!', 1],
])('the similarity of %s and %s is %d', (a, b, by) => {
  expect(textSimilarity(a, b)).toBe(by);
  expect(textSimilarity(b, a)).toBe(by);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateTokens } from '../agent/tokens.ts';
import { MOST_TOKENS, MOST_TURNS, type Remembered, remember } from './memory.ts';

const line: fc.Arbitrary<Remembered> = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.nat(20_000).map((length) => 'word '.repeat(length / 5)),
  ),
});

test('it is the newest end, begins with the owner, and stays under both limits', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 90 }), fc.string(), (before, asked) => {
      const lines: Remembered[] = [...before, { role: 'user', content: asked }];
      const kept = remember(lines);
      expect(lines.slice(-kept.length)).toEqual(kept);
      expect(kept[0]?.role).toBe('user');
      expect(kept.filter(({ role }) => role === 'user').length).toBeLessThan(MOST_TURNS);
      const tokens = kept.reduce((sum, { content }) => sum + estimateTokens(content), 0);
      expect(tokens).toBeLessThan(MOST_TOKENS);
    }),
  );
});

test('as much as fits is kept', () => {
  const short = Array.from({ length: 20 }, (_, at): Remembered[] => [
    { role: 'user', content: `q${at}` },
    { role: 'assistant', content: `a${at}` },
  ]).flat();
  expect(remember(short)).toEqual(short);
});

test('a question that is too long by itself is still asked', () => {
  const long: Remembered = { role: 'user', content: 'word '.repeat(30_000) };
  expect(remember([{ role: 'user', content: 'before' }, long])).toEqual([long]);
});

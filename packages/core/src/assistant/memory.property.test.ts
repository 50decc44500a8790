import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AssistantHistoryLine,
  estimateTokens,
  MAX_REMEMBERED_TOKENS,
  MAX_REMEMBERED_TURNS,
  selectRememberedLines,
} from '../agent/context-window.ts';

const line: fc.Arbitrary<AssistantHistoryLine> = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.nat(20_000).map((length) => 'word '.repeat(length / 5)),
  ),
});

test('the memory is the newest end, begins with the owner, and stays within both limits', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 90 }), fc.string(), (before, asked) => {
      const lines: AssistantHistoryLine[] = [...before, { role: 'user', content: asked }];
      const kept = selectRememberedLines(lines);
      expect(lines.slice(-kept.length)).toEqual(kept);
      expect(kept[0]?.role).toBe('user');
      expect(kept.filter(({ role }) => role === 'user').length).toBeLessThan(MAX_REMEMBERED_TURNS);
      const tokens = kept.reduce((sum, { content }) => sum + estimateTokens(content), 0);
      expect(tokens).toBeLessThan(MAX_REMEMBERED_TOKENS);
    }),
  );
});

test('the memory keeps as much as fits', () => {
  const short = Array.from({ length: 20 }, (_, at): AssistantHistoryLine[] => [
    { role: 'user', content: `q${at}` },
    { role: 'assistant', content: `a${at}` },
  ]).flat();
  expect(selectRememberedLines(short)).toEqual(short);
});

test('a question that exceeds the limit by itself is kept', () => {
  const long: AssistantHistoryLine = { role: 'user', content: 'word '.repeat(30_000) };
  expect(selectRememberedLines([{ role: 'user', content: 'before' }, long])).toEqual([long]);
});

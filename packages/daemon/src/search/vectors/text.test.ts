import { expect, test } from 'vitest';
import { embeddable } from './text.ts';

test('words stay, what has none goes', () => {
  expect(embeddable('Dinner 🎉 at  8?\n£20')).toBe('Dinner at 8? £20');
  expect(embeddable('नमस्ते')).toBe('नमस्ते');
  for (const nothing of ['', ' ', '🎉🎉', '👍🏽', '…!?', '\u0000'])
    expect(embeddable(nothing)).toBeNull();
});

test('a long text is cut, and never in the middle of a letter', () => {
  expect(embeddable('word '.repeat(5_000))?.length).toBeLessThanOrEqual(2_000);
  expect(embeddable(`${'a'.repeat(1_999)}𠮷𠮷`)?.isWellFormed()).toBe(true);
});

test('a model that knows one script is given no other', () => {
  expect(embeddable('Comment ça va ?', 'latin')).toBe('Comment ça va ?');
  expect(embeddable('明日の夕食は', 'latin')).toBeNull();
});

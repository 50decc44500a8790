import { expect, test } from 'vitest';
import { toEmbeddableText } from './embedding.ts';

test('words stay, what has none goes', () => {
  expect(toEmbeddableText('Dinner 🎉 at  8?\n£20')).toBe('Dinner at 8? £20');
  expect(toEmbeddableText('नमस्ते')).toBe('नमस्ते');
  for (const nothing of ['', ' ', '🎉🎉', '👍🏽', '…!?', '\u0000'])
    expect(toEmbeddableText(nothing)).toBeNull();
});

test('a long text is cut, and never in the middle of a letter', () => {
  expect(toEmbeddableText('word '.repeat(5_000))?.length).toBeLessThanOrEqual(2_000);
  expect(toEmbeddableText(`${'a'.repeat(1_999)}𠮷𠮷`)?.isWellFormed()).toBe(true);
});

test('a model that knows one script is given no other', () => {
  expect(toEmbeddableText('Comment ça va ?', 'latin')).toBe('Comment ça va ?');
  expect(toEmbeddableText('明日の夕食は', 'latin')).toBeNull();
});

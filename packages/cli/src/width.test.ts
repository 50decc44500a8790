import fc from 'fast-check';
import { expect, test } from 'vitest';
import { padText, textWidth, truncateText, wrapText } from './format.ts';

test.each([
  ['plain', 5],
  ['', 0],
  ['\u001b[32mgreen\u001b[39m', 5],
  ['日本', 4],
  ['e\u0301', 1],
  ['🙂', 2],
  ['❤\ufe0f', 2],
])('%s takes %d columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

test('shortens text with an ellipsis, and never inside a character', () => {
  expect(truncateText('a longer text', 8)).toBe('a longe…');
  expect(truncateText('日本語', 4)).toBe('日…');
  expect(truncateText('fits', 4)).toBe('fits');
  expect(truncateText('nothing fits', 0)).toBe('');
});

test('pads text by its visible width', () => {
  expect(padText('日本', 6)).toBe('日本  ');
});

test('wraps between words, and inside a word that is too long', () => {
  expect(wrapText('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapText('abcdefgh ij', 3)).toEqual(['abc', 'def', 'gh', 'ij']);
  expect(wrapText('a\n\nb', 10)).toEqual(['a', '', 'b']);
});

test('wrapped text always fits, and loses only spaces and line breaks', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 80 });
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 40 }), (given, columns) => {
      const lines = wrapText(given, columns);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('').replace(/[ \n]/g, '')).toBe(given.replace(/[ \n]/g, ''));
    }),
  );
});

test('shortened text always fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (given, columns) => {
      expect(textWidth(truncateText(given, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cut, pad, width, wrap } from './width.ts';

test.each([
  ['plain', 5],
  ['', 0],
  ['\u001b[32mgreen\u001b[39m', 5],
  ['日本', 4],
  ['e\u0301', 1],
  ['🙂', 2],
  ['❤\ufe0f', 2],
])('%s takes %d columns', (text, columns) => {
  expect(width(text)).toBe(columns);
});

test('cuts with a sign that something is missing, and never inside a character', () => {
  expect(cut('a longer text', 8)).toBe('a longe…');
  expect(cut('日本語', 4)).toBe('日…');
  expect(cut('fits', 4)).toBe('fits');
  expect(cut('nothing fits', 0)).toBe('');
});

test('pads to what a person sees', () => {
  expect(pad('日本', 6)).toBe('日本  ');
});

test('wraps between words, and inside one that is too long', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('abcdefgh ij', 3)).toEqual(['abc', 'def', 'gh', 'ij']);
  expect(wrap('a\n\nb', 10)).toEqual(['a', '', 'b']);
});

test('whatever is wrapped fits, and nothing but spaces and breaks is lost', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 80 });
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 40 }), (given, columns) => {
      const lines = wrap(given, columns);
      for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('').replace(/[ \n]/g, '')).toBe(given.replace(/[ \n]/g, ''));
    }),
  );
});

test('whatever is cut fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (given, columns) => {
      expect(width(cut(given, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});

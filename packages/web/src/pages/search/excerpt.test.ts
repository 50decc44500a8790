import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutExcerpt, highlightExcerpt } from './excerpt.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const found = (text: string, question: string) =>
  highlightExcerpt(text, question, NOW)
    .filter((piece) => piece.found)
    .map((piece) => piece.text);
const joined = (pieces: readonly { readonly text: string }[]) =>
  pieces.map(({ text }) => text).join('');

test.each([
  ['Le DÉPÔT est payé', 'depot', ['DÉPÔT']],
  ['the spare keys, please', 'Spare KEYS', ['spare keys']],
  ['Straße 4', 'strasse', ['Straße']],
  ['nothing of it', 'deposit', []],
  ['<img src=x onerror=alert(1)> deposit', 'deposit', ['deposit']],
])('in %s the words that match %s are marked as written', (text, question, words) => {
  expect(found(text, question)).toEqual(words);
  expect(joined(highlightExcerpt(text, question, NOW))).toBe(text);
});

test('of a long text the part around the first match is shown', () => {
  const text = `${'before '.repeat(100)}deposit${' after'.repeat(200)}`;
  const pieces = highlightExcerpt(text, 'deposit', NOW);
  expect(pieces.at(0)?.text).toBe('…');
  expect(pieces.at(-1)?.text).toBe('…');
  expect(pieces.some((piece) => piece.found && piece.text === 'deposit')).toBe(true);
  expect(joined(pieces).length).toBeLessThan(430);
});

test('an excerpt keeps the characters of the text in order and never splits one', () => {
  const piece = fc.record({ text: fc.string({ unit: 'grapheme' }), found: fc.boolean() });
  fc.assert(
    fc.property(fc.array(piece), fc.nat(60), (pieces, room) => {
      const shown = joined(cutExcerpt(pieces, room + 1));
      expect(shown.isWellFormed()).toBe(true);
      expect(joined(pieces)).toContain(shown.replace(/^…/, '').replace(/…$/, ''));
    }),
  );
});

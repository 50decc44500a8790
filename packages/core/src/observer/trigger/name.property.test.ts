// Properties for random names: a configured name is found as spelt, with a typo, or drawn out, and never inside another
// word.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callsByName } from './address.ts';

const CONSONANTS = 'bdfgklmnprstvz';
const VOWELS = 'aeiou';
const syllable = fc
  .tuple(fc.constantFrom(...CONSONANTS), fc.constantFrom(...VOWELS))
  .map((letters) => letters.join(''));
const aName = (syllables: { min: number; max: number }) =>
  fc
    .array(syllable, { minLength: syllables.min, maxLength: syllables.max })
    .map((parts) => parts.join(''));
const anyCase = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((upper) =>
      Array.from(name, (letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(''),
    );
const around = fc.constantFrom('', 'hey ', '¿', '(', '… ', '\n', '😀', 'ok, ', 'अरे ', '@');
const behind = fc.constantFrom(
  '',
  '?',
  ', when?',
  ' what time',
  '’s',
  '!!',
  '😀',
  '\n',
  '؟',
  ' जी',
);

test('finds a name as spelt, in any case and between any punctuation', () => {
  fc.assert(
    fc.property(
      aName({ min: 1, max: 5 }).chain((name) => fc.tuple(fc.constant(name), anyCase(name))),
      around,
      behind,
      ([name, typed], before, after) => callsByName(`${before}${typed}${after}`, name),
    ),
  );
});

test('finds a name of five letters or more with one missing, doubled, wrong or swapped letter', () => {
  const slips = [
    (name: string, at: number) => name.slice(0, at) + name.slice(at + 1),
    (name: string, at: number) => name.slice(0, at) + name.charAt(at) + name.slice(at),
    (name: string, at: number) => `${name.slice(0, at)}q${name.slice(at + 1)}`,
    (name: string, at: number) =>
      name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2),
  ];
  fc.assert(
    fc.property(aName({ min: 3, max: 5 }), fc.nat(4), fc.constantFrom(...slips), (name, at, slip) =>
      callsByName(`${slip(name, at)} when?`, name),
    ),
  );
});

test('finds a name with a drawn-out last letter', () => {
  fc.assert(
    fc.property(aName({ min: 2, max: 5 }), fc.integer({ min: 2, max: 9 }), (name, times) =>
      callsByName(`${name}${name.slice(-1).repeat(times)}`, name),
    ),
  );
});

test('does not find a name inside a longer word', () => {
  fc.assert(
    fc.property(aName({ min: 2, max: 4 }), (name) => !callsByName(`xwx${name}xwxwxw`, name)),
  );
});

test('returns quickly for any text and any name', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      (text, name) => {
        expect(typeof callsByName(text, name)).toBe('boolean');
      },
    ),
  );
  expect(callsByName(`${'a'.repeat(60_000)} ${'ab'.repeat(20_000)}`, 'Relay')).toBe(false);
});

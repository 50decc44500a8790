import { expect, test } from 'vitest';
import { hiddenCharactersIn, revealHidden } from './text.ts';

test.each([
  ['a direction override', 'to \u202e4321\u202c', 'to ⟨U+202E⟩4321⟨U+202C⟩'],
  ['tag characters', 'hi\u{e0050}\u{e0049}', 'hi⟨U+E0050⟩⟨U+E0049⟩'],
  ['zero-width characters', 'a\u200bb\u200cc\u2060d\ufeff', 'a⟨U+200B⟩b⟨U+200C⟩c⟨U+2060⟩d⟨U+FEFF⟩'],
  ['a variation selector outside of emoji', 'a\ufe0f1\ufe0f', 'a⟨U+FE0F⟩1⟨U+FE0F⟩'],
  ['a second variation selector', '❤\ufe0f\ufe0f', '❤\ufe0f⟨U+FE0F⟩'],
  ['a joiner that joins nothing', '👍\u200d ok', '👍⟨U+200D⟩ ok'],
  ['a tag that makes no flag', '\u{1f3f4}\u{e0070}\u{e007f}', '\u{1f3f4}⟨U+E0070⟩⟨U+E007F⟩'],
  ['terminal escapes and other controls', '\u001b[2Ka\rb\u2028c', '⟨U+001B⟩[2Ka⟨U+000D⟩b⟨U+2028⟩c'],
])('writes out %s', (_, text, shown) => {
  expect(revealHidden(text)).toBe(shown);
  expect(hiddenCharactersIn(text).length).toBeGreaterThan(0);
});

test.each([
  ['lines and tabs', 'a\nb\r\nc\td'],
  ['emoji with skin, selector and joiner', '👩🏽‍🚀 ❤️ 👨‍👩‍👧‍👦 🏳️‍🌈 1️⃣ #️⃣ ©️ 🇪🇬 ❤️‍🔥'],
  ['the flag of Scotland', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['Persian with a non-joiner', 'می‌خواهم'],
  ['Hindi with a joiner', 'क्‍ष'],
  ['right-to-left text', 'שלום مرحبا'],
])('keeps %s', (_, text) => {
  expect(revealHidden(text)).toBe(text);
  expect(hiddenCharactersIn(text)).toEqual([]);
});

test('names each character once', () => {
  expect(hiddenCharactersIn('\u202ea\u202e\u200b')).toEqual(['U+202E', 'U+200B']);
});

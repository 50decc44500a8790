import { expect, test } from 'vitest';
import { textWidth } from '../../format.ts';
import { createWordWrapper } from './output.ts';

const TEXT =
  'The quick brown fox jumps over the lazy dog.\n\n  1. An item\n     and its end\n太郎さんは来ます。 Ein langes Donaudampfschiff fährt.';

function flown(text: string, columns: number | null, size: number): string {
  const flow = createWordWrapper(columns);
  let out = '';
  for (let at = 0; at < text.length; at += size) out += flow.feed(text.slice(at, at + size));
  return out + flow.end();
}

test('word wrapping gives the same output however the text is split into pieces', () => {
  for (const columns of [10, 20, 37, 80, null]) {
    const whole = flown(TEXT, columns, TEXT.length);
    for (const size of [1, 2, 3, 7, 50]) expect(flown(TEXT, columns, size)).toBe(whole);
  }
});

test('word wrapping keeps lines within the window unless a single word is wider, and loses no word', () => {
  for (const columns of [10, 20, 37]) {
    const out = flown(TEXT, columns, 3);
    for (const line of out.split('\n'))
      if (line.trim().includes(' ')) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    expect(out.split(/\s+/)).toEqual(TEXT.split(/\s+/));
  }
});

test('a line that fits stays unchanged, with its leading spaces', () => {
  expect(flown(TEXT, 80, 4)).toBe(TEXT);
  expect(flown(TEXT, null, 4)).toBe(TEXT);
});

test('a word is written once it is complete', () => {
  const flow = createWordWrapper(20);
  expect(flow.feed('Hel')).toBe('');
  expect(flow.feed('lo wor')).toBe('Hello');
  expect(flow.end()).toBe(' wor');
});

test('terminal control characters are made visible', () => {
  expect(flown('a\u001b[31mb\u0007\u202ec', 80, 1)).toBe('a⟨U+001B⟩[31mb⟨U+0007⟩⟨U+202E⟩c');
  expect(flown('a\u001b[31mb\u0007\u202ec', null, 1)).toBe('a⟨U+001B⟩[31mb⟨U+0007⟩⟨U+202E⟩c');
});

import { expect, test } from 'vitest';
import { callWords, isYes, outcomeLine } from './words.ts';

test.each([
  [{}, 'get_chats'],
  [null, 'get_chats'],
  ['{"half', 'get_chats'],
  [{ limit: 5, query: 'Mom', none: null }, 'get_chats (limit: 5, query: Mom)'],
  [{ text: 'two\nlines\u001b[2J' }, 'get_chats (text: two lines[2J)'],
])('a call with %j is %s', (given, words) => {
  expect(callWords('get_chats', given)).toBe(words);
});

test('a long call is cut', () => {
  const words = callWords('send_message', { text: 'x'.repeat(500) });
  expect(words.length).toBeLessThan(90);
  expect(words).toMatch(/…\)$/);
});

test.each([
  ['{"chats":[1,2]}', '2 chats'],
  ['{"messages":[1]}', '1 message'],
  ['{"results":[]}', '0 results'],
  ['{"status":"on its way","to":"Mom"}', 'status on its way, to Mom'],
  ['{"error":"There is no such chat."}', 'failed, There is no such chat.'],
  ['Error: It took too long.', 'failed, It took too long.'],
  ['plain words\nof it', 'plain words of it'],
  ['{}', 'done'],
  ['', 'done'],
])('what came of it: %j is "%s"', (result, words) => {
  expect(outcomeLine('a', result, null)).toBe(`  · a: ${words}`);
});

test('it is one line that fits', () => {
  const line = outcomeLine('get_chats', JSON.stringify({ note: 'word '.repeat(100) }), 40);
  expect(line.length).toBeLessThanOrEqual(40);
});

test('only a yes is one', () => {
  expect(['y', 'Y', 'yes', ' YES '].every(isYes)).toBe(true);
  expect(['', 'n', 'no', 'yep', 'y n', 'yes please', 'ja'].some(isYes)).toBe(false);
});

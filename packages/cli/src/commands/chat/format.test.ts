import { expect, test } from 'vitest';
import { formatToolCall, formatToolResult, isYes } from './output.ts';

test.each([
  [{}, 'get_chats'],
  [null, 'get_chats'],
  ['{"half', 'get_chats'],
  [{ limit: 5, query: 'Mom', none: null }, 'get_chats (limit: 5, query: Mom)'],
  [{ text: 'two\nlines\u001b[2J' }, 'get_chats (text: two lines⟨U+001B⟩[2J)'],
])('formats a call with %j as %s', (given, words) => {
  expect(formatToolCall({ name: 'get_chats', given }, null)).toBe(`  · ${words} …`);
});

test('shortens a long call', () => {
  const call = { name: 'send_message', given: { text: 'x'.repeat(500) } };
  expect(formatToolCall(call, null).length).toBeLessThan(90);
  expect(formatToolCall(call, null)).toMatch(/…\) …$/);
  for (const columns of [80, 40, 30, 20, 10])
    expect(formatToolCall(call, columns).length).toBeLessThanOrEqual(columns);
});

test.each([
  ['{"chats":[1,2]}', '2 chats'],
  ['{"messages":[1]}', '1 message'],
  ['{"results":[]}', '0 results'],
  ['{"status":"on its way","to":"Mom"}', 'on its way, to Mom'],
  ['{"note":"These come nearest.","messages":[1]}', 'These come nearest, 1 message'],
  ['{"error":"There is no such chat."}', 'failed, There is no such chat.'],
  ['Error: It took too long.', 'failed, It took too long.'],
  ['plain words\nof it', 'plain words of it'],
  ['{}', 'done'],
  ['', 'done'],
])('formats the result %j as "%s"', (result, words) => {
  expect(formatToolResult({ name: 'a', given: null }, result, null)).toBe(`  · a: ${words}`);
});

test('fits a call and its result on one line by shortening the arguments first', () => {
  const call = { name: 'send_message', given: { to: '15551000001', message: 'word '.repeat(20) } };
  expect(formatToolResult(call, JSON.stringify({ note: 'word '.repeat(100) }), 40)).toHaveLength(
    40,
  );
  const line = formatToolResult(call, '{"status":"sent","to":"15551000001@s.whatsapp.net"}', 80);
  expect(line).toMatch(/^ {2}· send_message \(to: 1555.*…\): sent, to 15551000001@s.whatsapp.net$/);
  expect(line.length).toBeLessThanOrEqual(80);
  expect(formatToolResult(call, '{"status":"sent"}', 24)).toBe('  · send_message: sent');
});

test('accepts only a clear yes', () => {
  expect(['y', 'Y', 'yes', ' YES '].every(isYes)).toBe(true);
  expect(['', 'n', 'no', 'yep', 'y n', 'yes please', 'ja'].some(isYes)).toBe(false);
});

import { expect, it } from 'vitest';
import type { ChatRequest } from './schemas.ts';
import { fillReply, TEXT_DISGUISES } from './script.ts';

const made = (id: string, result: string) => [
  {
    role: 'assistant' as const,
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
  },
  { role: 'tool' as const, tool_call_id: id, content: result },
];
const request: ChatRequest = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be kind. {{context}}' },
    { role: 'user', content: 'hello' },
    ...made('a', 'first'),
    ...made('b', 'second'),
  ],
};
const filled = (text: string) => fillReply({ text, fill: true }, request).text;

it('inserts what the request contains, once', () => {
  expect(filled('<{{prompt}}>')).toBe('<Be kind. {{context}}\nhello>');
  expect(filled('{{context}} {{result:1}} {{result:0}} {{result:7}}.')).toBe(
    'hello second first .',
  );
  expect(filled('{{repeat:ab :3}}')).toBe('ab ab ab ');
});

it('encodes the text as requested, and ignores unknown encodings', () => {
  expect(filled('{{context|base64}}')).toBe('aGVsbG8=');
  expect(filled('{{result:0|reversed}} {{context|hex}}')).toBe('tsrif 68656c6c6f');
  expect(filled('{{context|spaced}}')).toBe('h e l l o');
  expect(filled('{{context|constructor}}')).toBe('hello');
  expect(TEXT_DISGUISES.invisible('ab')).toBe('a\u200bb');
  expect(TEXT_DISGUISES.url('a b\ud800')).toBe('a%20b%EF%BF%BD');
});

it('fills nested arguments, whatever their names', () => {
  const args = JSON.parse('{"__proto__":{"x":["{{context}}"]},"n":1}') as Record<string, unknown>;
  const reply = { tool_calls: [{ name: 'say', arguments: args }], fill: true };
  const [call] = fillReply(reply, request).tool_calls ?? [];
  expect(JSON.stringify(call?.arguments)).toBe('{"__proto__":{"x":["hello"]},"n":1}');
});

it('leaves a reply without fill and arguments that are not JSON unchanged', () => {
  expect(fillReply({ text: '{{context}}' }, request).text).toBe('{{context}}');
  const reply = { tool_calls: [{ name: 'say', arguments: '{"broken' }], fill: true };
  expect(fillReply(reply, request).tool_calls?.[0]?.arguments).toBe('{"broken');
});

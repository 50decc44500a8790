import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { InputText } from './input.ts';
import { type ConversationTemplateFile, fill, placeholders, readTemplate } from './template.ts';

const bare = (template: ConversationTemplateFile) =>
  Object.fromEntries(
    Object.entries(template as Record<string, InputText | InputText[]>).map(([key, given]) => [
      key,
      Array.isArray(given) ? given.map(({ text }) => text) : given.text,
    ]),
  );
const read = (text: string) => readTemplate(text, 'quote.yaml');

test('reads each key with its line', () => {
  const template = read(
    'objective: Get a quote\n# with whom\ncontact: +491701234567\ntodos:\n  - one\n  - 2\nmax_followups: 3\n',
  );
  expect(bare(template)).toEqual({
    objective: 'Get a quote',
    contact: '+491701234567',
    todos: ['one', '2'],
    max_followups: '3',
  });
  expect(template.contact?.source).toBe('quote.yaml, line 3');
  expect(template.todos?.[1]?.source).toBe('quote.yaml, line 6');
});

test('reads back any template that was written', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
  const template = fc.record(
    {
      objective: text,
      contact: text,
      todos: fc.array(text, { maxLength: 5 }),
      facts: fc.array(text, { maxLength: 5 }),
      heartbeat: text,
      max_followups: text,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(template, (given) => {
      if (Object.keys(given).length > 0) expect(bare(read(stringify(given)))).toEqual(given);
    }),
  );
});

test('inserts every value as plain text', () => {
  const template = read('objective: "Say {{what}} and {{ what }}"\ncontact: "{{who}}"\n');
  expect(placeholders(template)).toEqual(new Set(['what', 'who']));
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('a: b\n- c', '"', "'", '{{who}}', '$&', '\n', '# no', '&x *x', '日本'),
  );
  fc.assert(
    fc.property(value, (what) => {
      const { objective } = template;
      expect(objective && fill(objective, new Map([['what', what]])).text).toBe(
        `Say ${what} and ${what}`,
      );
    }),
  );
});

test.each([
  ['', 'line 1: a template needs keys and values'],
  ['- a\n', 'line 1: a template needs keys and values'],
  ['objective: a\nwhat: b\n', 'line 2: `what` is not a template key. Use objective'],
  ['objective: a\ntodos: one\n', 'line 2: `todos` must be a list of texts.'],
  ['todos:\n  - a\n  - b: c\n', 'line 3: `todos` needs a text here.'],
  ['objective:\n', 'line 1: `objective` needs a text here.'],
  ['objective: [a]\n', 'line 1: `objective` needs a text here.'],
  ['contact: {{phone}}\n', 'line 1: put quotes around a text that starts with {{ or {.'],
  ['objective: a\nobjective: b\n', 'line 2: Map keys must be unique.'],
  ['objective: "a\n', 'line 2: Missing closing "quote.'],
  ['a: &x 1\nobjective: *x\n', 'line 1: `a` is not a template key.'],
  ['objective: &x a\ncontact: *x\n', 'line 2: `contact` needs a text here.'],
])('refuses %j in one sentence with its line', (text, sentence) => {
  expect(() => read(text)).toThrow(`quote.yaml, ${sentence}`);
});

test('names a missing value with its line and how to provide it', () => {
  const { contact } = read('objective: a\ncontact: "{{phone}}"\n');
  expect(() => contact && fill(contact, new Map())).toThrow(
    'quote.yaml, line 2: {{phone}} has no value. Give one with `--set phone=…`.',
  );
});

import { createInstanceSchema } from '@relay/core/api/instances';
import { LIMITS } from '@relay/core/conversation/limits';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  added,
  BLANK,
  type Draft,
  fromTemplate,
  isTouched,
  moved,
  readDraft,
  requestOf,
  wrongWith,
} from './draft.ts';
import { TEMPLATES, templateOf } from './templates.ts';

const dana = { id: null, name: 'Dana', phone: '14155550101' };

test('a template fills in everything but the person, and its blanks have to be said', () => {
  for (const template of TEMPLATES) {
    const draft = fromTemplate(template, { ...BLANK, recipient: dana });
    expect(draft.recipient).toBe(dana);
    expect(Object.keys(wrongWith(draft))).toEqual(['objective']);
    expect(wrongWith({ ...draft, objective: draft.objective.replace('…', 'this') })).toEqual({});
    expect(templateOf(template.id)).toBe(template);
  }
});

test('what was written over a template is noticed', () => {
  const template = TEMPLATES[0];
  const draft = fromTemplate(template, BLANK);
  expect(isTouched(draft, template)).toBe(false);
  expect(isTouched({ ...draft, recipient: dana, most: 1 }, template)).toBe(false);
  expect(isTouched({ ...draft, objective: 'Get a quote for a tap' }, template)).toBe(true);
  expect(isTouched(BLANK, undefined)).toBe(false);
});

test('a fact is told with what it is about, and empty lines are not handed in', () => {
  const draft = fromTemplate(templateOf('quote'), { ...BLANK, recipient: dana });
  const facts = draft.facts.map((fact, index) =>
    index === 1 ? { ...fact, text: ' Here ' } : fact,
  );
  const todos = added(draft.todos, 'todo');
  expect(requestOf({ ...draft, facts, todos })).toMatchObject({
    target_contact: '+14155550101',
    facts: ['Where: Here'],
    todos: draft.todos.map(({ text }) => ({ text })),
  });
});

test('lines are moved, and never beyond the ends', () => {
  const lines = ['a', 'b', 'c'].map((key) => ({ key, text: key }));
  const keys = (from: number, to: number) =>
    moved(lines, from, to)
      .map(({ key }) => key)
      .join('');
  expect([keys(0, 1), keys(2, 0), keys(0, -1), keys(2, 3)]).toEqual(['bac', 'cab', 'abc', 'abc']);
});

const drafts: fc.Arbitrary<Draft> = fc.record({
  template: fc.constantFrom('blank', 'quote'),
  objective: fc.string({ maxLength: LIMITS.objective + 5 }),
  recipient: fc.constantFrom(null, dana),
  todos: fc.array(fc.record({ key: fc.uuid(), text: fc.string({ maxLength: LIMITS.todo + 5 }) }), {
    maxLength: 5,
  }),
  facts: fc.array(
    fc.record({
      key: fc.uuid(),
      label: fc.string(),
      text: fc.string({ maxLength: LIMITS.fact + 5 }),
    }),
    { maxLength: 5 },
  ),
  everyMs: fc.integer({ min: -5, max: LIMITS.longestIntervalMs + 5 }),
  most: fc.integer({ min: -5, max: LIMITS.followups + 5 }),
});

test('where nothing is wrong with it, the daemon takes it', () => {
  fc.assert(
    fc.property(drafts, (draft) => {
      fc.pre(Object.keys(wrongWith(draft)).length === 0);
      fc.pre(!JSON.stringify(draft).includes('\\u0000'));
      expect(createInstanceSchema.safeParse(requestOf(draft)).success).toBe(true);
    }),
  );
});

test('a draft that was kept is read again, and anything else is none', () => {
  fc.assert(
    fc.property(drafts, (draft) => {
      expect(readDraft(JSON.stringify(draft))).toEqual(draft);
    }),
  );
  fc.assert(fc.property(fc.json(), (text) => void readDraft(text)));
  for (const text of [null, '', '{', '{}', '{"todos":[null]}', '[]'])
    expect(readDraft(text)).toBeNull();
});

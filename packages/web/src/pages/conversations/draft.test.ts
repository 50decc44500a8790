import { CONVERSATION_LIMITS } from '@relay/contract/api/constants';
import { createInstanceSchema } from '@relay/contract/api/instances';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addDraftLine,
  BLANK_DRAFT,
  CONVERSATION_TEMPLATES,
  type ConversationDraft,
  differsFromTemplate,
  draftFromTemplate,
  findTemplate,
  moveDraftLine,
  readDraft,
  toCreateRequest,
  validateDraft,
} from './draft.ts';

const dana = { id: null, name: 'Dana', phone: '14155550101' };

test('a template fills in everything but the recipient, and its blanks must be completed', () => {
  for (const template of CONVERSATION_TEMPLATES) {
    const draft = draftFromTemplate(template, { ...BLANK_DRAFT, recipient: dana });
    expect(draft.recipient).toBe(dana);
    expect(Object.keys(validateDraft(draft))).toEqual(['objective']);
    expect(validateDraft({ ...draft, objective: draft.objective.replace('…', 'this') })).toEqual(
      {},
    );
    expect(findTemplate(template.id)).toBe(template);
  }
});

test('edits on top of a template are detected', () => {
  const template = CONVERSATION_TEMPLATES[0];
  const draft = draftFromTemplate(template, BLANK_DRAFT);
  expect(differsFromTemplate(draft, template)).toBe(false);
  expect(differsFromTemplate({ ...draft, recipient: dana, most: 1 }, template)).toBe(false);
  expect(differsFromTemplate({ ...draft, objective: 'Get a quote for a tap' }, template)).toBe(
    true,
  );
  expect(differsFromTemplate(BLANK_DRAFT, undefined)).toBe(false);
});

test('a fact is sent with its label, and empty lines are not sent', () => {
  const draft = draftFromTemplate(findTemplate('quote'), { ...BLANK_DRAFT, recipient: dana });
  const facts = draft.facts.map((fact, index) =>
    index === 1 ? { ...fact, text: ' Here ' } : fact,
  );
  const todos = addDraftLine(draft.todos, 'todos');
  expect(toCreateRequest({ ...draft, facts, todos })).toMatchObject({
    target_contact: '+14155550101',
    facts: ['Where: Here'],
    todos: draft.todos.map(({ text }) => ({ text })),
  });
});

test('lines can be moved, but never beyond the ends', () => {
  const lines = ['a', 'b', 'c'].map((key) => ({ key, text: key }));
  const keys = (from: number, to: number) =>
    moveDraftLine(lines, from, to)
      .map(({ key }) => key)
      .join('');
  expect([keys(0, 1), keys(2, 0), keys(0, -1), keys(2, 3)]).toEqual(['bac', 'cab', 'abc', 'abc']);
});

const drafts: fc.Arbitrary<ConversationDraft> = fc.record({
  template: fc.constantFrom('blank', 'quote'),
  objective: fc.string({ maxLength: CONVERSATION_LIMITS.objective + 5 }),
  recipient: fc.constantFrom(null, dana),
  todos: fc.array(
    fc.record({ key: fc.uuid(), text: fc.string({ maxLength: CONVERSATION_LIMITS.todo + 5 }) }),
    {
      maxLength: 5,
    },
  ),
  facts: fc.array(
    fc.record({
      key: fc.uuid(),
      label: fc.string(),
      text: fc.string({ maxLength: CONVERSATION_LIMITS.fact + 5 }),
    }),
    { maxLength: 5 },
  ),
  everyMs: fc.integer({ min: -5, max: CONVERSATION_LIMITS.longestIntervalMs + 5 }),
  most: fc.integer({ min: -5, max: CONVERSATION_LIMITS.followups + 5 }),
});

test('the daemon accepts every draft that passes validation', () => {
  fc.assert(
    fc.property(drafts, (draft) => {
      fc.pre(Object.keys(validateDraft(draft)).length === 0);
      fc.pre(!JSON.stringify(draft).includes('\\u0000'));
      expect(createInstanceSchema.safeParse(toCreateRequest(draft)).success).toBe(true);
    }),
  );
});

test('a stored draft is restored, and anything else is ignored', () => {
  fc.assert(
    fc.property(drafts, (draft) => {
      expect(readDraft(JSON.stringify(draft))).toEqual(draft);
    }),
  );
  fc.assert(fc.property(fc.json(), (text) => void readDraft(text)));
  for (const text of [null, '', '{', '{}', '{"todos":[null]}', '[]'])
    expect(readDraft(text)).toBeNull();
});

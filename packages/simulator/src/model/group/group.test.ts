import { expect, test } from 'vitest';
import type { ChatRequest } from '../schemas.ts';
import { answerAboutGroup, readGroupLine, summarizeGroup } from './group.ts';

const request = (system: string, user: string, more: object = {}) =>
  ({
    model: 'scripted',
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    ...more,
  }) as ChatRequest;
const between = (...lines: string[]) =>
  `The material stands between <m-1> and </m-1>.\n<m-1>\n${lines.join('\n')}\n</m-1>`;

test('copies the lines of an hour, without reactions and without anything else', () => {
  const reply = summarizeGroup(
    request(
      'You sum up one hour of a WhatsApp group for one of its members.',
      between(
        '[Fri 10:02] Mum: Dinner is final, Saturday 8 pm',
        '[Fri 10:03] Papa (owner) (answers Mum\'s "Dinner"): I bring “salad”',
        '[Fri 10:04] Nani reacted to Mum\'s "Dinner": 🙏',
        '[Fri 10:05] Priya: When?',
      ),
    ),
  );
  expect(JSON.parse(reply?.text ?? '')).toEqual({
    digest:
      'Mum said “Dinner is final, Saturday 8 pm”. Papa answered “I bring "salad"”. Priya asked “When?”.',
  });
});

test('sorts the facts of a day by simple signs, and closes an answered question', () => {
  const reply = summarizeGroup(
    request(
      'You sum up one day of a WhatsApp group for one of its members.',
      between(
        '10:00-11:00: Mum said “Dinner is final, Saturday 8 pm”. Papa said “I will bring salad”.',
        '11:00-12:00: Priya asked “Which train?”. Mum answered “the 10:20”. Bia asked “Is there wifi?”.',
      ),
    ),
  );
  expect(JSON.parse(reply?.text ?? '')).toMatchObject({
    decisions: [{ text: 'Dinner is final, Saturday 8 pm', who: 'Mum', hour: '10:00' }],
    events: [{ text: 'the 10:20' }],
    action_items: [{ text: 'I will bring salad', who: 'Papa' }],
    open_questions: [{ text: 'Is there wifi?', who: 'Bia', hour: '11:00' }],
  });
});

test('answers a question in a group with the lines that share its words, or says that there are none', () => {
  const system = 'You are Annie, the assistant of Rohan. You read a WhatsApp group in silence.';
  const notes =
    '<notes-00000000>\n[Fri 10:02] Mum: I bring salad on Saturday\n[Fri 10:03] Papa: the fridge\n</notes-00000000>';
  const ask = (words: string) =>
    answerAboutGroup(
      request(
        system,
        `${notes}\n\nYour owner asks:\n<owner-00000000>\nRohan: ${words}\n</owner-00000000>`,
      ),
    )?.text;
  expect(ask('Annie, who brings what on Saturday?')).toBe('Mum: I bring salad on Saturday');
  expect(ask('Annie, when is the wedding?')).toBe('I did not see that in the group.');
});

test('answers the owner with the text of a digest, never with its JSON', () => {
  const system = 'You are the personal assistant of one person';
  const tools = [{ type: 'function', function: { name: 'get_digest' } }];
  const question = 'What happened in the group?';
  const made = [{ id: 'a', type: 'function', function: { name: 'get_digest', arguments: '{}' } }];
  const ask = (result: unknown) =>
    answerAboutGroup({
      model: 'scripted',
      tools,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: question },
        { role: 'assistant', content: null, tool_calls: made },
        { role: 'tool', content: JSON.stringify(result), tool_call_id: 'a' },
      ],
    })?.text;
  expect(ask({ digests: [{ text: 'Holliday, Fri 6 Mar\nDinner is on Saturday.' }] })).toBe(
    'Holliday, Fri 6 Mar\nDinner is on Saturday.',
  );
  expect(ask({ error: 'You have not allowed reading' })).toBe('I did not see that in the group.');
});

test('reads a message of a group with its sender and their role', () => {
  const owner = '[Fri 10:03] Papa (owner) (answers Mum\'s "Dinner"): I bring salad';
  expect(readGroupLine(owner)).toEqual({
    who: 'Papa',
    role: 'owner',
    isAnswer: true,
    words: 'I bring salad',
  });
  const member = '[Fri 10:04] Mum (answers Papa (owner)\'s "Hi"): Yes';
  expect(readGroupLine(member)).toMatchObject({ who: 'Mum', role: 'member' });
  expect(readGroupLine('[Fri 10:04] Mum sent 2 photos')).toBeUndefined();
});

test('leaves other requests unanswered', () => {
  expect(summarizeGroup(request('You are a poet', 'Hello'))).toBeUndefined();
  expect(answerAboutGroup(request('You are a poet', 'Hello'))).toBeUndefined();
  expect(
    answerAboutGroup(request('You are the personal assistant of one person', 'And the group?')),
  ).toBeUndefined();
});

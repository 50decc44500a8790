import { expect, test } from 'vitest';
import type { ChatRequest } from '../schemas.ts';
import { answerAboutGroup, summarizeGroup } from './group.ts';

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

test('leaves other requests unanswered', () => {
  expect(summarizeGroup(request('You are a poet', 'Hello'))).toBeUndefined();
  expect(answerAboutGroup(request('You are a poet', 'Hello'))).toBeUndefined();
  expect(
    answerAboutGroup(request('You are the personal assistant of one person', 'And the group?')),
  ).toBeUndefined();
});

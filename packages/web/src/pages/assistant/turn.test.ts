import type { Approval } from '@relay/contract/api/approvals';
import type { AssistantEvent } from '@relay/contract/api/assistant';
import { expect, test } from 'vitest';
import { applyTurnEvent, beginTurn, linesOutsideTurn } from './turn.ts';

const heard = (...events: readonly AssistantEvent[]) =>
  events.reduce(applyTurnEvent, beginTurn('keys?', 0));
const RUN: AssistantEvent = { type: 'run', id: 'r', question: '7' };
const CALL: AssistantEvent = { type: 'tool_call', id: 'c', name: 'get_chats', arguments: {} };

test('words that follow one another are one text, and a step between them parts them', () => {
  const { parts, line } = heard(
    RUN,
    { type: 'text', delta: 'Let me ' },
    { type: 'text', delta: 'look.' },
    CALL,
    { type: 'tool_result', id: 'c', result: '{"chats":[]}' },
    { type: 'text', delta: 'Nobody.' },
  );
  expect(line).toBe('7');
  expect(parts).toEqual([
    { kind: 'text', text: 'Let me look.' },
    { kind: 'step', id: 'c', name: 'get_chats', given: {}, result: '{"chats":[]}' },
    { kind: 'text', text: 'Nobody.' },
  ]);
});

test('what a model said that broke off does not count, and the steps before it do', () => {
  const { parts } = heard(RUN, CALL, { type: 'text', delta: 'Half a' }, { type: 'text_reset' });
  expect(parts.map(({ kind }) => kind)).toEqual(['step']);
  expect(heard(RUN, CALL, { type: 'text_reset' }).parts).toHaveLength(1);
});

test('the whole answer stands at the end once it is done, said or not', () => {
  const said = heard(RUN, { type: 'text', delta: ' Yes' }, { type: 'done', text: 'Yes.' });
  expect(said.parts).toEqual([{ kind: 'text', text: 'Yes.' }]);
  expect(said.ending).toEqual({ is: 'done' });
  const silent = heard(RUN, CALL, { type: 'done', text: 'Stopped.' });
  expect(silent.parts.at(-1)).toEqual({ kind: 'text', text: 'Stopped.' });
});

test('what waits for a yes stands where it was asked, and a failure says why', () => {
  const approval = { id: 'a' } as Approval;
  const { parts, ending } = heard(
    RUN,
    CALL,
    { type: 'approval', approval },
    { type: 'error', code: 'model_failed', message: 'The model does not answer.' },
  );
  expect(parts.at(-1)).toEqual({ kind: 'approval', approval });
  expect(ending).toEqual({ is: 'failed', sentence: 'The model does not answer.' });
});

test('a line of the history that is shown as the turn is not shown twice', () => {
  const line = (id: string, role: 'user' | 'assistant', content: string) => ({ id, role, content });
  const before = [line('5', 'user', 'keys?'), line('6', 'assistant', 'No.')];
  const lines = [...before, line('7', 'user', 'keys?')];
  expect(linesOutsideTurn(lines, null)).toEqual(lines);
  expect(linesOutsideTurn(lines, heard(RUN))).toEqual(before);
  expect(linesOutsideTurn(lines, beginTurn('keys?', 0))).toEqual(before);
  expect(linesOutsideTurn(before, heard(RUN))).toEqual(before);
  const answered = [...lines, line('8', 'assistant', 'Yes.')];
  expect(linesOutsideTurn(answered, heard(RUN))).toEqual(before);
  expect(linesOutsideTurn(answered, { ...heard(RUN), isKept: true })).toEqual(answered);
  // Asked on the phone meanwhile: whatever was said after it stays in view.
  const later = [...answered, line('9', 'user', 'and now?')];
  expect(linesOutsideTurn(later, heard(RUN))).toEqual(later);
});

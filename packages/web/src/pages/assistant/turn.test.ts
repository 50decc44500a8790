import type { Approval } from '@relay/contract/api/approvals';
import type { AssistantEvent } from '@relay/contract/api/assistant';
import { expect, test } from 'vitest';
import { applyTurnEvent, beginTurn, isOwnerAsked, linesOutsideTurn } from './turn.ts';

const heard = (...events: readonly AssistantEvent[]) =>
  events.reduce(applyTurnEvent, beginTurn('keys?', 0));
const RUN: AssistantEvent = { type: 'run', id: 'r', question: '7' };
const CALL: AssistantEvent = { type: 'tool_call', id: 'c', name: 'get_chats', arguments: {} };

test('consecutive text is one part, and a step between splits it', () => {
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

test('the text of an interrupted model call is dropped, and the steps before it stay', () => {
  const { parts } = heard(RUN, CALL, { type: 'text', delta: 'Half a' }, { type: 'text_reset' });
  expect(parts.map(({ kind }) => kind)).toEqual(['step']);
  expect(heard(RUN, CALL, { type: 'text_reset' }).parts).toHaveLength(1);
});

test('the complete answer is at the end once the turn is done, streamed or not', () => {
  const said = heard(RUN, { type: 'text', delta: ' Yes' }, { type: 'done', text: 'Yes.' });
  expect(said.parts).toEqual([{ kind: 'text', text: 'Yes.' }]);
  expect(said.ending).toEqual({ is: 'done' });
  const silent = heard(RUN, CALL, { type: 'done', text: 'Stopped.' });
  expect(silent.parts.at(-1)).toEqual({ kind: 'text', text: 'Stopped.' });
});

test('a pending approval stays where it was asked, and a failure gives its reason', () => {
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

test('the assistant waits for the owner until they have decided, and no longer', () => {
  const approval = { id: 'a' } as Approval;
  const asking = heard(RUN, CALL, { type: 'approval', approval });
  expect(isOwnerAsked(asking.parts)).toBe(true);
  const declined = applyTurnEvent(asking, { type: 'tool_result', id: 'c', result: '{"error":""}' });
  expect(isOwnerAsked(declined.parts)).toBe(false);
  expect(isOwnerAsked(heard(RUN, CALL).parts)).toBe(false);
});

test('a history line that is shown as the running turn is not shown twice', () => {
  const line = (id: string, role: 'user' | 'assistant', content: string) => ({ id, role, content });
  const before = [line('5', 'user', 'keys?'), line('6', 'assistant', 'No.')];
  const lines = [...before, line('7', 'user', 'keys?')];
  expect(linesOutsideTurn(lines, null)).toEqual(lines);
  expect(linesOutsideTurn(lines, heard(RUN))).toEqual(before);
  expect(linesOutsideTurn(lines, beginTurn('keys?', 0))).toEqual(before);
  expect(linesOutsideTurn(before, heard(RUN))).toEqual(before);
  const answered = [...lines, line('8', 'assistant', 'Yes.')];
  expect(linesOutsideTurn(answered, heard(RUN))).toEqual(before);
  expect(linesOutsideTurn(answered, { ...heard(RUN), isInHistory: true })).toEqual(answered);
  // Another question was asked on the phone meanwhile: what was said after this one stays visible.
  const later = [...answered, line('9', 'user', 'and now?')];
  expect(linesOutsideTurn(later, heard(RUN))).toEqual(later);
});

import { expect, test } from 'vitest';
import { type ConversationControl, decideControl } from './decide.ts';

const outcome = (control: ConversationControl, startedIt: boolean, pausedIt: boolean) =>
  decideControl(control, { startedIt, pausedIt }).reason;

test('any client that sees a conversation may pause it, and only its creator may cancel it', () => {
  for (const pausedIt of [true, false]) {
    expect(outcome('pause', false, pausedIt)).toBe('narrowing');
    expect(outcome('cancel', true, pausedIt)).toBe('narrowing');
    expect(outcome('cancel', false, pausedIt)).toBe('not_its_own');
  }
});

test('a client may end its own pause, whoever began the conversation, and no other pause', () => {
  for (const startedIt of [true, false]) {
    expect(outcome('resume', startedIt, true)).toBe('token_scope');
    expect(outcome('resume', startedIt, false)).toBe('paused_by_another');
  }
});

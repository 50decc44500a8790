import { INSTANCE_STATES } from '@relay/contract/conversation/states';
import { CONVERSATION_EVENT_TYPES, ownersMoves } from '@relay/core/conversation/transition-table';
import { expect, test } from 'vitest';
import { readConversationSearch } from '../../../search-params.ts';
import { moveCopy, toConversationEntry, transitionText } from './copy.ts';

test('each move names its effect in every state', () => {
  for (const state of INSTANCE_STATES) {
    for (const legal of ownersMoves(state, 'ACTIVE')) {
      expect(moveCopy(legal).act).toMatch(/^[A-Z]/);
      expect(moveCopy(legal).result.length).toBeGreaterThan(8);
    }
  }
  const [send, back] = ownersMoves('NEEDS_HUMAN_INTERVENTION', null).map(moveCopy);
  expect([send?.act, back?.act]).toEqual(['Send, then hand back', 'Hand back']);
  const resumed = ownersMoves('PAUSED', 'WAITING_FOR_REPLY').map((legal) => moveCopy(legal).act);
  expect(resumed).toEqual(['Resume', 'Cancel']);
});

test('each step is described with its actor', () => {
  for (const trigger of CONVERSATION_EVENT_TYPES) {
    expect(transitionText({ trigger }, 'You')).toMatch(/^[A-Z][^_{}]+\.$/);
  }
  expect(transitionText({ trigger: 'pause' }, 'Claude Desktop')).toBe('Claude Desktop paused it.');
  expect(transitionText({ trigger: 'some_new_event' }, 'You')).toBe('some new event.');
});

test('an invalid address shows the transcript', () => {
  expect(readConversationSearch({ tab: 'plan', q: 1 })).toEqual({ tab: 'plan' });
  expect(readConversationSearch({ tab: '<b>' })).toEqual({});
});

test('a message held back by the daily limit says when it can be sent', () => {
  const line = {
    id: '1',
    instance_id: 'i',
    role: 'agent',
    content: 'Hello',
    timestamp: '2026-11-17T09:00:00Z',
    delivery: 'pending',
    message_id: 'M',
  } as const;
  expect(toConversationEntry(line).marks).toEqual([]);
  const queued = toConversationEntry({
    ...line,
    queued_until: new Date(2026, 10, 18, 9, 5).toISOString(),
  });
  expect(queued.marks).toEqual(['Not before Wednesday 18 November, 09:05']);
});

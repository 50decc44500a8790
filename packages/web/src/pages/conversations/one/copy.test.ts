import { INSTANCE_STATES } from '@relay/contract/conversation/states';
import { CONVERSATION_EVENT_TYPES, ownersMoves } from '@relay/core/conversation/transition-table';
import { expect, test } from 'vitest';
import { readConversationSearch } from '../../../search-params.ts';
import {
  type LegalButtonMove,
  moveCopy,
  resultRows,
  toConversationEntry,
  transitionText,
} from './copy.ts';

const buttons = (...state: Parameters<typeof ownersMoves>) =>
  ownersMoves(...state)
    .filter((legal): legal is LegalButtonMove => legal.move !== 'manual_send')
    .map(moveCopy);

test('each action names its effect in every state', () => {
  for (const state of INSTANCE_STATES) {
    for (const { act, result } of buttons(state, 'ACTIVE')) {
      expect(act).toMatch(/^[A-Z]/);
      expect(result).toMatch(/^[A-Z].+\.$/);
    }
  }
  const [resume] = buttons('NEEDS_HUMAN_INTERVENTION', null);
  expect(resume).toMatchObject({ act: 'Resume', result: 'The agent continues on its own.' });
  const paused = buttons('PAUSED', 'WAITING_FOR_REPLY').map(({ act }) => act);
  expect(paused).toEqual(['Resume', 'Cancel conversation']);
});

test('a conversation that had ended before a late reply can be dismissed', () => {
  const late = buttons('NEEDS_HUMAN_INTERVENTION', 'COMPLETED').map(({ act }) => act);
  expect(late).toEqual(['Resume', 'Pause', 'Dismiss']);
  expect(transitionText({ trigger: 'cancel', to_state: 'COMPLETED' }, null)).toBe(
    'You dismissed the late reply.',
  );
});

test('each step is described with its actor', () => {
  for (const trigger of CONVERSATION_EVENT_TYPES) {
    expect(transitionText({ trigger, to_state: 'FAILED' }, null)).toMatch(/^[A-Z][^_{}]+\.$/);
  }
  const paused = { trigger: 'pause', to_state: 'PAUSED' } as const;
  expect(transitionText(paused, null)).toBe('You paused the conversation.');
  expect(transitionText(paused, 'Claude Desktop')).toBe('Claude Desktop paused the conversation.');
  expect(transitionText({ ...paused, trigger: 'some_new_event' }, null)).toBe('some new event');
});

test('an invalid address shows the transcript', () => {
  expect(readConversationSearch({ tab: 'plan', q: 1 })).toEqual({ tab: 'plan' });
  expect(readConversationSearch({ tab: '<b>' })).toEqual({});
});

test('a message that the daily limit delays says until when it is queued', () => {
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
  expect(queued.marks).toEqual(['Queued until Wednesday 18 November, 09:05']);
});

test('a result is shown in the order of its schema, with lists and nested fields unfolded', () => {
  const text = { type: 'string' };
  const schema = {
    type: 'object',
    properties: {
      price: { type: 'number', title: 'Price' },
      rooms: { type: 'array', items: text },
      visits: { type: 'array', items: { type: 'object', properties: { day: text } } },
      fixed: { type: 'boolean' },
      note: text,
    },
  };
  const result = {
    note: null,
    fixed: true,
    visits: [{ day: 'Tuesday' }, { day: '<b>Friday</b>' }],
    rooms: ['hall', 'bath\u202e'],
    price: 80,
  };
  expect(resultRows(schema, result).map(({ name, value }) => [name, value])).toEqual([
    ['Price', '80'],
    ['rooms', 'hall\nbath⟨U+202E⟩'],
    ['visits 1 · day', 'Tuesday'],
    ['visits 2 · day', '<b>Friday</b>'],
    ['fixed', 'Yes'],
    ['note', '–'],
  ]);
});

test('a line with a file shows its caption, not the description of the file', () => {
  const line = {
    id: '1',
    instance_id: 'i',
    role: 'contact',
    content: '[Image] Our house',
    timestamp: '2026-11-17T09:00:00Z',
    delivery: null,
    message_id: 'M1',
  } as const;
  const media = {
    id: '3e6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
    kind: 'image',
    mimetype: 'image/jpeg',
    bytes: 10,
    sha256: null,
    state: 'stored',
  } as const;
  expect(toConversationEntry(line)).toMatchObject({ text: '[Image] Our house', media: null });
  expect(toConversationEntry({ ...line, media, caption: 'Our house' })).toMatchObject({
    text: 'Our house',
    media,
  });
});

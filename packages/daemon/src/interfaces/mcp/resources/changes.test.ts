import type { StreamEvent } from '@relay/contract/api/events';
import { expect, test } from 'vitest';
import { collectChanges } from './change-notices.ts';

const CHAT = '0b9c7a52-5f0e-4c39-9a55-0d7e9a1f6c11';
const TALK = '7f1d7c14-5a86-4ad7-8a4c-2a0a6a1a9b02';

const event = (kind: string, subject: string | null, data: StreamEvent['data'] = {}) => ({
  cursor: '1-1',
  at: '2026-10-14T12:00:00Z',
  kind,
  subject,
  data,
});

const sets = (...events: StreamEvent[]) => {
  const changes = collectChanges(events);
  return changes && [[...changes.chats], [...changes.days], [...changes.conversations]];
};

test('reports a message as a change of its chat once it was sent, whoever wrote it', () => {
  const outbox = (from: string, state: string, instance: string | null = null) =>
    event('outbox', TALK, { from, state, chat: CHAT, instance });
  expect(sets(event('message', CHAT))).toEqual([[CHAT], [], []]);
  expect(sets(outbox('pending', 'sent'))).toEqual([[CHAT], [], []]);
  expect(sets(outbox('unknown', 'delivered'))).toEqual([[CHAT], [], []]);
  expect(sets(outbox('sent', 'read'))).toBeNull();
  expect(sets(outbox('sent', 'read', TALK))).toEqual([[], [], [TALK]]);
  expect(sets(outbox('pending', 'failed', TALK))).toEqual([[], [], [TALK]]);
});

test('reports a new state, transcript line and digest as changes of their resources', () => {
  expect(sets(event('conversation', TALK), event('conversation.line', TALK))).toEqual([
    [],
    [],
    [TALK],
  ]);
  const [hour, day] = ['hourly', 'daily'].map((kind) =>
    event('digest', CHAT, { kind, day: '2026-10-13' }),
  );
  const changes = collectChanges([hour, day].filter((each) => each !== undefined));
  expect([...(changes?.days.get(CHAT) ?? [])]).toEqual(['2026-10-13']);
});

test('reports changed grants as a reason to reload, and ignores all other events', () => {
  expect(sets(event('grant', null))).toEqual([[], [], []]);
  expect(sets(event('contact.merged', CHAT))).toEqual([[], [], []]);
  for (const kind of ['hold', 'approval', 'schedule', 'report', 'link']) {
    expect(sets(event(kind, CHAT))).toBeNull();
  }
  expect(sets(event('outbox', CHAT, { state: 'sent' }), event('digest', CHAT))).toBeNull();
});

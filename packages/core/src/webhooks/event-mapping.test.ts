import type { StreamEvent } from '@relay/contract/api/events';
import { CONNECTION_STATES, type ConnectionState } from '@relay/contract/connection/states';
import { webhookBodySchema } from '@relay/contract/webhooks/events';
import { expect, test } from 'vitest';
import { healthEventOf, mapStreamEvent } from './event-mapping.ts';

const event = (kind: string, data: Record<string, unknown>, subject: string | null = 's') =>
  mapStreamEvent({
    cursor: '1-1',
    kind,
    at: '2026-11-15T10:00:00.000Z',
    subject,
    data,
  } as StreamEvent);

test('reports a failed message without the text of its failure', () => {
  const data = { state: 'failed', from: 'pending', message: 'm', chat: 'c', instance: null };
  expect(event('outbox', { ...data, reason: 'words of somebody' })).toEqual([
    {
      type: 'message.sent',
      facts: { outbox: 's', state: 'failed', message: 'm', chat: 'c', instance: null },
    },
  ]);
});

test.each([
  [
    'a message that waits again',
    'outbox',
    { state: 'pending', message: 'm', chat: 'c', instance: null },
  ],
  ['a question that was asked before', 'approval', { state: 'pending', fresh: false }],
  ['a kind nobody knows', 'diary', { words: 'dear diary' }],
  ['a message without its number', 'message', { message: 'm' }],
  ['a link in a state nobody knows', 'link', { state: 'floating', from: null }],
])('does not report %s', (_, kind, data) => {
  expect(event(kind, data)).toEqual([]);
});

test('every state of the link has a health to report, or is not reported', () => {
  const states = Object.keys(CONNECTION_STATES) as ConnectionState[];
  for (const state of states) {
    for (const from of [null, ...states]) {
      const [link, health, ...more] = event('link', { state, from }, null);
      expect(link).toEqual({ type: 'link.state', facts: { state, from } });
      expect(more).toEqual([]);
      if (health === undefined) continue;
      const body = { type: 'health', account: 'default', timestamp: '2026-11-15T10:00:00.000Z' };
      expect(webhookBodySchema.parse({ ...body, data: healthEventOf(health.facts) })).toBeDefined();
    }
  }
});

test('reports the link going down and coming up, but not retries', () => {
  const what = (state: string, from: string | null) =>
    event('link', { state, from }, null).flatMap(({ type, facts }) =>
      type === 'health' ? [healthEventOf(facts)?.ok] : [],
    );
  expect(what('connected', 'connecting')).toEqual([true]);
  expect(what('syncing', 'connected')).toEqual([]);
  expect(what('reconnecting', 'connected')).toEqual([false]);
  expect(what('connecting', 'reconnecting')).toEqual([]);
  expect(what('logged_out', 'connecting')).toEqual([false]);
});

test('reports an absence in the words of `relay status`', () => {
  const report = {
    cause: 'daemon',
    since: '2026-11-15T09:00:00.000Z',
    until: '2026-11-15T09:42:00.000Z',
    messages: 7,
    chats: 2,
    replayed: 9,
    unknownSends: 0,
    needsYou: 1,
  };
  const [health] = event('report', report, null);
  expect(health && healthEventOf(health.facts)).toEqual({
    what: 'daemon',
    ok: true,
    needs_you: true,
    explanation:
      'Relay was offline for 42 min: 7 messages received from 2 chats, 1 item needs you.',
  });
});

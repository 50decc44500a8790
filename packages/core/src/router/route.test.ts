import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import type { PolicyFacts } from '../policy/facts.ts';
import {
  FAMILY,
  FULL,
  facts,
  granting,
  OWN_CHAT,
  PLUMBER,
  PLUMBERS_CHAT,
  QUOTE,
  quote,
} from '../policy/testing/cast.ts';
import { type RouteFacts, type RouteReason, route, routeSentence } from './route.ts';

const routed = (
  known: PolicyFacts,
  said: Partial<Pick<RouteFacts, 'author' | 'kind' | 'signed' | 'self' | 'ended'>> = {},
) => {
  if (known.chat === null) throw new Error('a message is in a chat');
  const plain = {
    author: 'contact',
    kind: 'conversation',
    signed: false,
    self: false,
    ended: null,
  } as const;
  return route({ ...known, chat: known.chat, ...plain, ...said });
};

test('ignores what Relay sent, whatever else is true', () => {
  expect(routed(granting({}, { conversation: quote }), { author: 'relay' })).toEqual({
    to: 'nobody',
    outcome: 'ignored',
    reason: 'sent_by_relay',
  });
});

test('the owner’s message to the contact of an open conversation takes it over', () => {
  expect(routed(facts({ conversation: quote }), { author: 'owner' })).toEqual({
    to: 'takeover',
    outcome: 'handed_over',
    reason: 'owner_takeover',
    instance: QUOTE,
  });
});

test.each([
  ['to somebody without one', facts({}), 'conversation'],
  ['after it ended', facts({ conversation: { ...quote, ended: true } }), 'conversation'],
  ['in a group', facts({ chat: { kind: 'group', id: FAMILY, observed: false } }), 'conversation'],
  ['as a reaction', facts({ conversation: quote }), 'reactionMessage'],
  ['by taking a message back', facts({ conversation: quote }), 'protocolMessage'],
])('the owner’s message %s takes nothing over', (_, known, kind) => {
  expect(routed(known, { author: 'owner', kind })).toEqual({
    to: 'nobody',
    outcome: 'ignored',
    reason: 'own_message',
  });
});

test('an open conversation gets its contact’s message, with or without a standing grant', () => {
  for (const known of [facts({ conversation: quote }), granting({}, { conversation: quote })]) {
    expect(routed(known)).toEqual({
      to: 'conversation',
      outcome: 'handed_over',
      reason: 'open_conversation',
      instance: QUOTE,
    });
  }
});

test('an ended conversation does not get it', () => {
  expect(routed(facts({ conversation: { ...quote, ended: true } })).to).toBe('knock');
});

test('stores a group’s message', () => {
  const chat = { kind: 'group', id: FAMILY, observed: false } as const;
  expect(routed(facts({ chat }))).toMatchObject({
    to: 'nobody',
    outcome: 'stored',
    reason: 'group',
  });
});

test('every message of an observed group goes to the observer, the owner’s too, but not Relay’s', () => {
  const chat = { kind: 'group', id: FAMILY, observed: true } as const;
  const readable = granting({}, { chat, groupGrant: { ...FULL, canReply: false } });
  const heard = { to: 'observer', outcome: 'handed_over', reason: 'observed' };
  expect(routed(readable)).toEqual(heard);
  expect(routed(readable, { author: 'owner' })).toEqual(heard);
  expect(routed(readable, { kind: 'reactionMessage' })).toEqual(heard);
  expect(routed(readable, { author: 'relay' })).toMatchObject({ reason: 'sent_by_relay' });
  expect(routed(facts({ chat, contactGrant: FULL }))).toEqual({
    to: 'nobody',
    outcome: 'stored',
    reason: 'no_grant',
  });
});

test('stores and counts a message request without a grant to read', () => {
  expect(routed(facts())).toEqual({
    to: 'knock',
    outcome: 'stored',
    reason: 'no_grant',
    contact: PLUMBER,
  });
  expect(routed(granting({ canRead: false }))).toMatchObject({
    to: 'knock',
    reason: 'no_read_grant',
  });
});

test('auto-reply gets the message of a contact who may be read, but not a mark on a message', () => {
  expect(routed(granting())).toEqual({
    to: 'auto_reply',
    outcome: 'handed_over',
    reason: 'readable_contact',
    contact: PLUMBER,
  });
  expect(routed(granting(), { kind: 'reactionMessage' })).toMatchObject({
    to: 'nobody',
    reason: 'nothing_to_answer',
  });
});

test('the assistant gets the messages of the owner’s own chat and other numbers', () => {
  const own = facts({ chat: { kind: 'own', id: OWN_CHAT } });
  const assistant = { to: 'assistant', outcome: 'handed_over', reason: 'to_assistant' };
  expect(routed(own, { author: 'owner', self: true })).toEqual(assistant);
  expect(routed(own, { author: 'contact' })).toEqual(assistant);
  // Typed on the phone to one of their other numbers: not to the assistant.
  expect(routed(own, { author: 'owner' })).toMatchObject({ to: 'nobody', reason: 'own_message' });
  expect(routed(own, { author: 'owner', self: true, kind: 'pollUpdateMessage' }).to).toBe('nobody');
});

test('handles the owner’s reaction in their own chat, and nobody else’s', () => {
  const own = facts({ chat: { kind: 'own', id: OWN_CHAT } });
  const kind = 'reactionMessage';
  const heard = { to: 'reaction', outcome: 'handed_over', reason: 'owner_reaction' };
  expect(routed(own, { author: 'owner', self: true, kind })).toEqual(heard);
  expect(routed(own, { author: 'contact', kind })).toEqual(heard);
  expect(routed(own, { author: 'owner', kind }).to).toBe('nobody');
  expect(routed(granting(), { author: 'contact', kind }).to).toBe('nobody');
});

test('Relay’s own messages never reach the assistant: by id, or without one by signature', () => {
  const own = facts({ chat: { kind: 'own', id: OWN_CHAT } });
  expect(routed(own, { author: 'relay', self: true })).toMatchObject({ reason: 'sent_by_relay' });
  expect(routed(own, { author: 'contact', signed: true })).toMatchObject({
    to: 'nobody',
    reason: 'signed_by_relay',
  });
  expect(routed(own, { author: 'owner', self: true, signed: true })).toMatchObject({
    to: 'nobody',
    reason: 'signed_by_relay',
  });
});

test('counts no message request while the identity is uncertain', () => {
  const chat = { kind: 'direct', id: PLUMBERS_CHAT, contact: null } as const;
  expect(routed(facts({ chat }))).toMatchObject({ to: 'nobody', reason: 'unresolved_identity' });
});

test.each<RouteReason>([
  'own_message',
  'open_conversation',
  'group',
  'nothing_to_answer',
  'no_grant',
])('%s has a sentence', (reason) => {
  expect(routeSentence(reason)).toMatch(/^[A-Z].*\.$/);
});

test('a recently ended conversation gets its contact’s reply, whatever the grant says', () => {
  verifies('CONV-LATE-REPLY');
  const ended = { instance: QUOTE, isDismissed: false };
  const late = {
    to: 'late_reply',
    outcome: 'handed_over',
    reason: 'late_reply',
    instance: QUOTE,
  };
  expect(routed(facts(), { ended })).toEqual(late);
  expect(routed(granting(), { ended })).toEqual(late);
  expect(routed(facts(), { ended, kind: 'reactionMessage' }).to).not.toBe('late_reply');
  expect(routed(facts({ conversation: quote }), { ended }).to).toBe('conversation');
});

test('a contact whose reply the owner dismissed is still not a message request', () => {
  verifies('CONV-LATE-REPLY');
  const ended = { instance: QUOTE, isDismissed: true };
  expect(routed(facts(), { ended })).toEqual({
    to: 'nobody',
    outcome: 'stored',
    reason: 'late_reply_dismissed',
  });
  expect(routed(granting(), { ended }).to).toBe('auto_reply');
});

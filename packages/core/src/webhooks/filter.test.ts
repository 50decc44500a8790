import { expect, test } from 'vitest';
import { type EventPlace, matchesFilter } from './event-mapping.ts';

const ANA = { chat: 'chat of Ana', contact: 'Ana', direction: 'in', state: null } as const;
const GROUP: EventPlace = { chat: 'group', contact: null, direction: 'in', state: null };
const NOWHERE: EventPlace = { chat: null, contact: null, direction: null, state: 'connected' };

test('accepts everything without a filter', () => {
  for (const place of [ANA, GROUP, NOWHERE]) expect(matchesFilter({}, place)).toBe(true);
});

test('accepts only the named contacts and groups, and events without a chat', () => {
  const filter = { contacts: ['Ana'], chats: [] };
  expect([ANA, GROUP, NOWHERE].map((place) => matchesFilter(filter, place))).toEqual([
    true,
    false,
    true,
  ]);
  const group = { contacts: [], chats: ['group'] };
  expect([ANA, GROUP, NOWHERE].map((place) => matchesFilter(group, place))).toEqual([
    false,
    true,
    true,
  ]);
});

test('a filter whose contacts are all gone accepts no contact’s events', () => {
  expect(matchesFilter({ contacts: [], chats: [] }, ANA)).toBe(false);
});

test('an approval about a contact without a chat is about that contact', () => {
  const asked: EventPlace = { chat: null, contact: 'Ben', direction: null, state: 'pending' };
  expect(matchesFilter({ contacts: ['Ana'] }, asked)).toBe(false);
  expect(matchesFilter({ contacts: ['Ben'] }, asked)).toBe(true);
});

test('a direction and a state apply only to events that have one', () => {
  expect(matchesFilter({ directions: ['out'] }, ANA)).toBe(false);
  expect(matchesFilter({ directions: ['out'] }, NOWHERE)).toBe(true);
  expect(matchesFilter({ states: ['logged_out'] }, NOWHERE)).toBe(false);
  expect(matchesFilter({ states: ['logged_out'] }, ANA)).toBe(true);
});

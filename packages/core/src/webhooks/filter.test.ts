import { expect, test } from 'vitest';
import { type EventPlace, matchesFilter } from './event-mapping.ts';

const ANA = { chat: 'chat of Ana', contact: 'Ana', direction: 'in', state: null } as const;
const GROUP: EventPlace = { chat: 'group', contact: null, direction: 'in', state: null };
const NOWHERE: EventPlace = { chat: null, contact: null, direction: null, state: 'connected' };

test('without a filter everything is wanted', () => {
  for (const place of [ANA, GROUP, NOWHERE]) expect(matchesFilter({}, place)).toBe(true);
});

test('who is named is wanted, and nobody else; what happens nowhere is not held back', () => {
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

test('a filter whose people are all gone wants nothing of anybody', () => {
  expect(matchesFilter({ contacts: [], chats: [] }, ANA)).toBe(false);
});

test('a question about a person without a chat is about that person', () => {
  const asked: EventPlace = { chat: null, contact: 'Ben', direction: null, state: 'pending' };
  expect(matchesFilter({ contacts: ['Ana'] }, asked)).toBe(false);
  expect(matchesFilter({ contacts: ['Ben'] }, asked)).toBe(true);
});

test('a direction and a state hold back only what has one', () => {
  expect(matchesFilter({ directions: ['out'] }, ANA)).toBe(false);
  expect(matchesFilter({ directions: ['out'] }, NOWHERE)).toBe(true);
  expect(matchesFilter({ states: ['logged_out'] }, NOWHERE)).toBe(false);
  expect(matchesFilter({ states: ['logged_out'] }, ANA)).toBe(true);
});

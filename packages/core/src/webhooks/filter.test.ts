import { expect, test } from 'vitest';
import { isWanted, type Place } from './filter.ts';

const ANA = { chat: 'chat of Ana', contact: 'Ana', direction: 'in', state: null } as const;
const GROUP: Place = { chat: 'group', contact: null, direction: 'in', state: null };
const NOWHERE: Place = { chat: null, contact: null, direction: null, state: 'connected' };

test('without a filter everything is wanted', () => {
  for (const place of [ANA, GROUP, NOWHERE]) expect(isWanted({}, place)).toBe(true);
});

test('who is named is wanted, and nobody else; what happens nowhere is not held back', () => {
  const filter = { contacts: ['Ana'], chats: [] };
  expect([ANA, GROUP, NOWHERE].map((place) => isWanted(filter, place))).toEqual([
    true,
    false,
    true,
  ]);
  const group = { contacts: [], chats: ['group'] };
  expect([ANA, GROUP, NOWHERE].map((place) => isWanted(group, place))).toEqual([false, true, true]);
});

test('a filter whose people are all gone wants nothing of anybody', () => {
  expect(isWanted({ contacts: [], chats: [] }, ANA)).toBe(false);
});

test('a question about a person without a chat is about that person', () => {
  const asked: Place = { chat: null, contact: 'Ben', direction: null, state: 'pending' };
  expect(isWanted({ contacts: ['Ana'] }, asked)).toBe(false);
  expect(isWanted({ contacts: ['Ben'] }, asked)).toBe(true);
});

test('a direction and a state hold back only what has one', () => {
  expect(isWanted({ directions: ['out'] }, ANA)).toBe(false);
  expect(isWanted({ directions: ['out'] }, NOWHERE)).toBe(true);
  expect(isWanted({ states: ['logged_out'] }, NOWHERE)).toBe(false);
  expect(isWanted({ states: ['logged_out'] }, ANA)).toBe(true);
});

import { expect, test } from 'vitest';
import { parseResourceUri, type ResourceRef, resourceUri, resourceUriSpellings } from './uris.ts';

const ID = '0b9c7a52-5f0e-4c39-9a55-0d7e9a1f6c11';
const BEN = '15550000001@s.whatsapp.net';
const GROUP = '120363040000000001@g.us';

const PLACES: readonly (readonly [string, ResourceRef])[] = [
  ['relay://chats', { kind: 'chats' }],
  [`relay://chats/${BEN}`, { kind: 'chat', chat: BEN }],
  [`relay://chats/900000001@lid`, { kind: 'chat', chat: '900000001@lid' }],
  [`relay://chats/${ID}`, { kind: 'chat', chat: ID }],
  [`relay://digests/${GROUP}`, { kind: 'digests', group: GROUP }],
  [`relay://digests/${GROUP}/2026-10-13`, { kind: 'day', group: GROUP, day: '2026-10-13' }],
  [`relay://conversations/${ID}/transcript`, { kind: 'transcript', conversation: ID }],
];

test.each(PLACES)('parses and formats the address %s', (uri, place) => {
  expect(parseResourceUri(uri)).toEqual(place);
  expect(resourceUri(place)).toBe(uri);
});

test('accepts an address as a filled-in template spells it', () => {
  for (const [, place] of PLACES) {
    for (const spelling of resourceUriSpellings(place))
      expect(parseResourceUri(spelling)).toEqual(place);
  }
  expect(resourceUriSpellings({ kind: 'chat', chat: BEN })).toEqual([
    `relay://chats/${BEN}`,
    `relay://chats/${BEN.replace('@', '%40')}`,
  ]);
});

test.each([
  '',
  'relay://',
  'relay://chats/',
  'relay://chats/Ben',
  'relay://chats/%',
  'relay://chats/%2e%2e',
  `relay://chats/${BEN}/`,
  `relay://chats/${BEN}?limit=1`,
  `relay://digests/${GROUP}/yesterday`,
  `relay://conversations/${ID}`,
  `relay://conversations/${ID}/notes`,
  `RELAY://chats`,
  `http://chats/${BEN}`,
  `relay://chats/${'1'.repeat(500)}@lid`,
  `relay://chats/1@lid%0a`,
])('rejects the invalid address %j', (uri) => {
  expect(parseResourceUri(uri)).toBeNull();
});

import type { PlaceholderKind } from '@relay/contract/api/ingest';
import { expect, test } from 'vitest';
import { toStoredContent } from './media.ts';
import { haveSameEssence, messageEssence } from './pairing.ts';

const text = (words: string) => messageEssence(toStoredContent(null, words, null));
const media = (kind: PlaceholderKind, words = '') =>
  messageEssence(toStoredContent(kind, words, null));

test.each([
  ['Flight is at 3pm', 'Flight  is at\u00a03pm'],
  ['Flight is at 3pm', '\u200eFlight is at 3pm '],
  ['So happy 😂❤️', 'So happy'],
  ['So happy 👩‍👩‍👧 today', 'So happy \ufffd today'],
  ['*Dinner* at _eight_', 'Dinner at eight'],
  ['line\nbreak', 'line break'],
  ['@4915112345678 can you come?', '@Ana María can you come?'],
  ['ask @4915112345678 or @4915112345679', 'ask @Ana or @Ben'],
])('"%s" equals "%s"', (one, other) => {
  expect(haveSameEssence(text(one), text(other))).toBe(true);
  expect(haveSameEssence(text(other), text(one))).toBe(true);
});

test.each([
  ['yes', 'no'],
  ['Flight is at 3pm', 'Flight is at 5pm'],
  ['😂', '❤️'],
  ['@4915112345678 can you come?', 'can you come?'],
  ['@4915112345678 can you come?', '@Ana can you cook?'],
])('"%s" does not equal "%s"', (one, other) => {
  expect(haveSameEssence(text(one), text(other))).toBe(false);
});

test('media without text equals only its kind; a caption is the content', () => {
  expect(haveSameEssence(media('image'), media('image'))).toBe(true);
  expect(haveSameEssence(media('image'), media('video'))).toBe(false);
  expect(haveSameEssence(media('image', 'Goa'), text('📷 Goa'))).toBe(true);
});

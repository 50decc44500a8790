import { expect, test } from 'vitest';
import { parseHeaderList } from './settings.ts';

test('parses comma-separated pairs, decodes values and lowercases names', () => {
  expect(parseHeaderList('Authorization=Bearer%20abc==, x-team = a b ')).toEqual({
    authorization: 'Bearer abc==',
    'x-team': 'a b',
  });
});

test.each([
  '',
  'authorization',
  '=x',
  'a=',
  'a b=c',
  'a=%',
  'a=b,',
  'a=x%0d%0ahost: y',
  'a=\u00e9',
])('refuses %j', (text) => expect(parseHeaderList(text)).toBeNull());

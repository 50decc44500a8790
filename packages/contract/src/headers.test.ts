import { expect, test } from 'vitest';
import { parseHeaderList } from './settings.ts';

test('headers are pairs with commas between, their values decoded and their names in lower case', () => {
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
])('%j is none that could be sent', (text) => expect(parseHeaderList(text)).toBeNull());

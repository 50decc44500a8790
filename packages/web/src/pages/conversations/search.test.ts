import { expect, test } from 'vitest';
import { readConversationsSearch } from '../../search-params.ts';

test('reads an address as it was written', () => {
  const search = {
    view: 'list',
    turn: 'them',
    state: 'WAITING_FOR_REPLY',
    person: '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
    words: 'boiler',
    new: 'quote',
  };
  expect(readConversationsSearch(search)).toEqual(search);
});

test('ignores unknown parameters and reads a number as text', () => {
  expect(
    readConversationsSearch({
      view: 'wall',
      turn: 'mine',
      state: 'LOST',
      person: '1',
      words: 4711,
    }),
  ).toEqual({ words: '4711' });
  expect(readConversationsSearch({ words: '  ', new: { a: 1 }, other: 'x' })).toEqual({});
});

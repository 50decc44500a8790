import { expect, test } from 'vitest';
import { onceEach } from './words.ts';

test('a conversation that stopped for a yes is shown by its approval alone', () => {
  const stopped = [
    { id: 'leak', approval_id: null },
    { id: 'van', approval_id: 'yes-1' },
    { id: 'desk', approval_id: 'yes-2' },
  ];
  const shown = onceEach(stopped, [{ id: 'yes-1' }, { id: 'other' }]);
  expect(shown.map(({ id }) => id)).toEqual(['leak', 'desk']);
});

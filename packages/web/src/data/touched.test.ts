import { expect, test } from 'vitest';
import { nounsTouchedBy, QUERY_NOUNS } from './refresher.ts';

test('a kind is known by its first word', () => {
  expect(nounsTouchedBy({ kind: 'conversation.line' })).toEqual(
    nounsTouchedBy({ kind: 'conversation' }),
  );
  expect(nounsTouchedBy({ kind: 'grant' })).toContain('whatsapp-permissions');
  expect(nounsTouchedBy({ kind: 'link' })).toContain('whatsapp-status');
});

test('what a newer daemon tells may be about anything', () => {
  expect(nounsTouchedBy({ kind: 'something.new' })).toEqual(QUERY_NOUNS);
});

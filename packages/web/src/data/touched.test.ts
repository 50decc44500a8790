import { expect, test } from 'vitest';
import { NOUNS, touchedBy } from './touched.ts';

test('a kind is known by its first word', () => {
  expect(touchedBy({ kind: 'conversation.line' })).toEqual(touchedBy({ kind: 'conversation' }));
  expect(touchedBy({ kind: 'grant' })).toContain('whatsapp-permissions');
  expect(touchedBy({ kind: 'link' })).toContain('whatsapp-status');
});

test('what a newer daemon tells may be about anything', () => {
  expect(touchedBy({ kind: 'something.new' })).toEqual(NOUNS);
});

import { expect, test } from 'vitest';
import { nounsTouchedBy, QUERY_NOUNS } from './refresher.ts';

test('recognizes an event kind by its first word', () => {
  expect(nounsTouchedBy({ kind: 'conversation.line' })).toEqual(
    nounsTouchedBy({ kind: 'conversation' }),
  );
  expect(nounsTouchedBy({ kind: 'grant' })).toContain('whatsapp-permissions');
  expect(nounsTouchedBy({ kind: 'link' })).toContain('whatsapp-status');
});

test('treats an unknown event kind as affecting everything', () => {
  expect(nounsTouchedBy({ kind: 'something.new' })).toEqual(QUERY_NOUNS);
});

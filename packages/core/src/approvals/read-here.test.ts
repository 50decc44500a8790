import { expect, test } from 'vitest';
import { withoutApprovalsHint } from './approval-text.ts';

test('removes a sentence that points to the approvals, and cuts a mere mention', () => {
  expect(withoutApprovalsHint('It is a draft. Approve it with `relay approvals`.')).toBe(
    'It is a draft.',
  );
  expect(
    withoutApprovalsHint('A message needs your approval: `relay approvals`. Or resume it.'),
  ).toBe('A message needs your approval. Or resume it.');
  expect(withoutApprovalsHint('Other text. Unchanged.')).toBe('Other text. Unchanged.');
});

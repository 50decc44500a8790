import { expect, test } from 'vitest';
import { withoutApprovalsHint } from './approval-text.ts';

test('removes a sentence that points to the approvals, and cuts a mere mention', () => {
  expect(withoutApprovalsHint('It is a draft. Read it under `relay approvals` and say yes.')).toBe(
    'It is a draft.',
  );
  expect(
    withoutApprovalsHint('A message waits for your yes: `relay approvals`. Or resume it.'),
  ).toBe('A message waits for your yes. Or resume it.');
  expect(withoutApprovalsHint('Nothing of it. At all.')).toBe('Nothing of it. At all.');
});

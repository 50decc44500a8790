import { expect, test } from 'vitest';
import { withoutApprovalsHint } from './approval-text.ts';

test('a sentence that leads to the approvals is left out, a mention alone is cut', () => {
  expect(withoutApprovalsHint('It is a draft. Read it under `relay approvals` and say yes.')).toBe(
    'It is a draft.',
  );
  expect(
    withoutApprovalsHint('A message waits for your yes: `relay approvals`. Or resume it.'),
  ).toBe('A message waits for your yes. Or resume it.');
  expect(withoutApprovalsHint('Nothing of it. At all.')).toBe('Nothing of it. At all.');
});

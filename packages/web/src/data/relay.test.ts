import { RelayApiError } from '@relay/contract/client/api-error';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { readableError } from './relay.ts';

test('an error is shown with what the owner can do in the console, not with a command', () => {
  verifies('WORDS-ERROR-ACTION');
  const refused = new RelayApiError(403, 'denied', 'Not allowed: Sending is on hold.', {
    action: 'End the hold with `relay release`.',
    reason: 'hold',
  });
  expect(readableError(refused)).toBe('Sending is on hold. End the hold at the top of the page.');
  const gone = { action: 'List them with `relay schedules`.', reason: 'no_schedule' };
  const noSchedule = new RelayApiError(403, 'denied', 'Not allowed: There is none.', gone);
  expect(readableError(noSchedule)).toBe('There is no such schedule.');
  const parts = { action: 'Check key and model name with `relay init`, then resume.' };
  const failed = new RelayApiError(
    502,
    'model_refused',
    'The model refused: it answered 401.',
    parts,
  );
  expect(readableError(failed)).toBe(
    'The model refused: it answered 401. Check key, model name and address under Tools and connections, then resume.',
  );
});

test('an error that the console does not know is shown in the words of the daemon', () => {
  const newer = new RelayApiError(409, 'from_a_newer_daemon', 'It is full.', { action: 'Wait.' });
  expect(readableError(newer)).toBe('It is full. Wait.');
});

test('the console’s own sentence stands without an action that names a command', () => {
  const answered = new RelayApiError(409, 'approval_answered', 'Approval 1 is already approved.', {
    action: 'List pending approvals with `relay approvals`.',
  });
  expect(readableError(answered)).toBe(
    'This was already answered. An approval can be answered once.',
  );
});

import { RelayApiError } from '@relay/contract/client/api-error';
import { RelayError } from '@relay/contract/errors';
import { expect, test } from 'vitest';
import { toCommandFailure } from './failure.ts';

test('keeps the code and exit code of a known error', () => {
  expect(toCommandFailure(new RelayError('daemon_not_running'))).toMatchObject({ exit: 3 });
  expect(toCommandFailure(new RelayApiError(409, 'import_not_empty', 'Not empty.'))).toMatchObject({
    exit: 5,
  });
});

test('treats an unknown code as a plain failure', () => {
  expect(toCommandFailure(new RelayApiError(400, 'from_the_future', 'New.'))).toEqual({
    code: 'from_the_future',
    message: 'New.',
    sentence: 'New.',
    action: undefined,
    exit: 1,
  });
});

test('reports anything else as one sentence', () => {
  expect(toCommandFailure(new Error('boom'))).toMatchObject({
    code: 'command_failed',
    message: 'The command failed: boom. Run `relay doctor` to look for problems.',
  });
});

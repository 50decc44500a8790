import { ApiError } from '@relay/core/client/client';
import { RelayError } from '@relay/core/errors';
import { expect, test } from 'vitest';
import { failureOf } from './failure.ts';

test('keeps the code and exit code of what is in the table', () => {
  expect(failureOf(new RelayError('daemon_not_running'))).toMatchObject({ exit: 3 });
  expect(failureOf(new ApiError(409, 'import_not_empty', 'Not empty.'))).toMatchObject({ exit: 5 });
});

test('takes a code it does not know for a plain failure', () => {
  expect(failureOf(new ApiError(400, 'from_the_future', 'New.'))).toEqual({
    code: 'from_the_future',
    message: 'New.',
    exit: 1,
  });
});

test('says anything else as one sentence', () => {
  expect(failureOf(new Error('boom'))).toMatchObject({
    code: 'command_failed',
    message: 'The command failed: boom. `relay doctor` may say more.',
  });
});

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

test('says what to do with the command, also after an answer that names a path of the API', () => {
  const parts = { action: 'See /api/contacts for all contacts.' };
  const refused = new RelayApiError(404, 'contact_not_found', 'There is no such contact.', parts);
  expect(toCommandFailure(refused)).toMatchObject({
    message: 'There is no such contact. See all contacts with `relay contacts`.',
    action: 'See all contacts with `relay contacts`.',
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

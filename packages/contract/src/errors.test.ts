import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { DAEMON_ERRORS } from './errors/daemon.ts';
import {
  CONTACT_ERRORS,
  MEDIA_ERRORS,
  MEMORY_ERRORS,
  MODEL_ERRORS,
  NOTIFICATION_ERRORS,
  WEBHOOK_ERRORS,
} from './errors/features.ts';
import { REQUEST_ERRORS } from './errors/requests.ts';
import type { ErrorSpec } from './errors/spec.ts';
import { ERRORS } from './errors.ts';

test('each code is in one part of the table', () => {
  const codes = [
    REQUEST_ERRORS,
    CONTACT_ERRORS,
    MEDIA_ERRORS,
    DAEMON_ERRORS,
    MODEL_ERRORS,
    MEMORY_ERRORS,
    NOTIFICATION_ERRORS,
    WEBHOOK_ERRORS,
  ].flatMap((part) => Object.keys(part));
  expect(codes.toSorted()).toEqual(Object.keys(ERRORS).toSorted());
});

/** Seed 000 fixes their sentences. */
const OF_THE_SEED = new Set<string>([
  'invalid_phone',
  'permission_incomplete',
  'permission_exists',
  'permission_not_found',
  'no_qr_code',
]);

test('every error says what is wrong and what to do, each in sentences of its own', () => {
  verifies('WORDS-ERROR-ACTION');
  const rows = Object.entries<ErrorSpec>(ERRORS).filter(([code]) => !OF_THE_SEED.has(code));
  for (const [code, { sentence, action }] of rows) {
    expect(sentence, code).toMatch(/[.?!}”]$/);
    // A command is something to do.
    if (!sentence.startsWith('`{command}`')) expect(sentence, code).not.toMatch(/`relay /);
    if (action !== undefined) expect(action, code).toMatch(/^[A-Z].*\.$/);
  }
});

import { expect, test } from 'vitest';
import { ASKING } from './errors/asking.ts';
import { MEMORY } from './errors/memory.ts';
import { MODELS } from './errors/models.ts';
import { PEOPLE } from './errors/people.ts';
import { RUNNING } from './errors/running.ts';
import { WEBHOOKS } from './errors/webhooks.ts';
import { ERRORS } from './errors.ts';

test('each code stands in one part of the table', () => {
  const codes = [ASKING, PEOPLE, RUNNING, MODELS, MEMORY, WEBHOOKS].flatMap((part) =>
    Object.keys(part),
  );
  expect(codes.toSorted()).toEqual(Object.keys(ERRORS).toSorted());
});

/** Their words are seed 000's. */
const OF_THE_SEED = new Set<string>([
  'invalid_phone',
  'permission_incomplete',
  'permission_exists',
  'permission_not_found',
  'no_qr_code',
]);

test('what a person reads is a whole sentence', () => {
  const rows = Object.entries(ERRORS).filter(([code]) => !OF_THE_SEED.has(code));
  for (const [code, { sentence }] of rows) expect(sentence, code).toMatch(/[.?!}]$/);
});

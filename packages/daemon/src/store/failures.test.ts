import { describe, expect, test } from 'vitest';
import { isDatabaseAway } from './failures.ts';

const withCode = (code: string, syscall?: string) =>
  Object.assign(new Error('x'), { code, ...(syscall === undefined ? {} : { syscall }) });

describe('a database that is away', () => {
  test.each([
    withCode('57P01'),
    withCode('57P03'),
    withCode('08006'),
    withCode('ECONNREFUSED', 'connect'),
    withCode('ENOENT', 'connect'),
    new Error('Connection terminated unexpectedly'),
  ])('%o', (error) => {
    expect(isDatabaseAway(error)).toBe(true);
  });

  test.each([
    withCode('23505'),
    withCode('42601'),
    withCode('ENOENT', 'open'),
    new Error('anything else'),
    'Connection terminated',
    null,
  ])('is not %o', (error) => {
    expect(isDatabaseAway(error)).toBe(false);
  });
});

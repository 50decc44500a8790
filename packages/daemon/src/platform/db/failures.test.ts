import { describe, expect, test, vi } from 'vitest';
import { isDatabaseUnavailable, retryWhileUnavailable } from './failures.ts';

const withCode = (code: string, syscall?: string) =>
  Object.assign(new Error('x'), { code, ...(syscall === undefined ? {} : { syscall }) });

describe('isDatabaseUnavailable', () => {
  test.each([
    withCode('57P01'),
    withCode('57P03'),
    withCode('08006'),
    withCode('ECONNREFUSED', 'connect'),
    withCode('ENOENT', 'connect'),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout expired'),
  ])('is true for %o', (error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test.each([
    withCode('23505'),
    withCode('42601'),
    withCode('ENOENT', 'open'),
    new Error('anything else'),
    'Connection terminated',
    null,
  ])('is false for %o', (error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});

describe('retryWhileUnavailable', () => {
  const away = withCode('ECONNREFUSED', 'connect');
  const wrongPassword = withCode('28P01');

  test('retries until the database is reachable, and reports every failure', async () => {
    const attempt = vi.fn(async () => 'answer');
    attempt.mockRejectedValueOnce(away).mockRejectedValueOnce(away);
    const failures: number[] = [];
    const answer = retryWhileUnavailable(attempt, 60_000, (_error, nth) => failures.push(nth));
    expect(await answer).toBe('answer');
    expect(failures).toEqual([1, 2]);
  });

  test('gives up immediately on an error that a retry does not fix', async () => {
    const attempt = vi.fn(() => Promise.reject(wrongPassword));
    await expect(retryWhileUnavailable(attempt, 60_000)).rejects.toBe(wrongPassword);
    expect(attempt).toHaveBeenCalledOnce();
  });

  test('gives up with the last error when the time is up', async () => {
    const attempt = vi.fn(() => Promise.reject(away));
    await expect(retryWhileUnavailable(attempt, 0)).rejects.toBe(away);
    expect(attempt).toHaveBeenCalledOnce();
  });
});

// Distinguishes a database that is unreachable for now from errors that a retry does not fix.
import { setTimeout as sleep } from 'node:timers/promises';

/** Connection exceptions, the server's shutdown and start, and too many connections. */
const UNAVAILABLE_CODES = /^(08...|57P0[1-5]|53300)$/;
const UNREACHABLE_CODES = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
];
/** Errors of `pg` that have no code. */
const BROKEN_CONNECTION =
  /^(Connection terminated|timeout expired$|timeout exceeded when trying to connect|Client has encountered a connection error)/;

export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) return BROKEN_CONNECTION.test(error.message);
  // A socket that does not exist yet; any other missing file is a bug of ours.
  if (code === 'ENOENT') return syscall === 'connect';
  return UNAVAILABLE_CODES.test(code) || UNREACHABLE_CODES.includes(code);
}

const RETRY_DELAY_MS = 100;
const LONGEST_RETRY_DELAY_MS = 2_000;

/**
 * Calls `attempt` until it succeeds, fails for a reason that a retry does not fix, or the time is up; then throws the
 * last error. Attempts are numbered from 1.
 */
export async function retryWhileUnavailable<T>(
  attempt: () => Promise<T>,
  patienceMs: number,
  onFailure: (error: unknown, attempt: number) => void = () => {},
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (let n = 1, delay = RETRY_DELAY_MS; ; n++, delay *= 2) {
    try {
      return await attempt();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() >= deadline) throw error;
      onFailure(error, n);
    }
    await sleep(Math.min(delay, LONGEST_RETRY_DELAY_MS));
  }
}

// Distinguishes a database that is unreachable for now from errors that a retry does not fix.
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/contract/errors';

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

/** PostgreSQL found no room on its disk. Even a new connection needs some. */
export const isDatabaseFull = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === '53100';

/** The database cannot be used for now; Relay continues by itself. */
export const isDatabaseAway = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || isDatabaseFull(error);

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

/** The variable that names an external server. */
type UrlVariable = 'DATABASE_URL' | 'DATABASE_OWNER_URL';

const WRONG_LOGIN_CODES = ['28P01', '28000'];
const NO_SUCH_DATABASE = '3D000';

/** Why an external server cannot be used, with what to do about it. */
export function externalServerError(
  cause: unknown,
  url: string,
  variable: UrlVariable = 'DATABASE_URL',
): RelayError {
  if (cause instanceof RelayError) return cause;
  if (!URL.canParse(url)) {
    const reason = `${variable} is not of the form postgres://user:password@host:5432/database.`;
    return new RelayError('database_refused', { reason }, { cause });
  }
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  const place = /^(|\/.*)$/.test(host)
    ? `the local socket${host && ` in ${host}`}`
    : `${host}:${searchParams.get('port') ?? (port || 5432)}`;
  const { code, message } = cause as NodeJS.ErrnoException;
  if (isDatabaseUnavailable(cause)) {
    return new RelayError('database_unreachable', { place, variable }, { cause });
  }
  if (isDatabaseFull(cause)) return new RelayError('database_full', {}, { cause });
  const role = decodeURIComponent(username);
  if (code === NO_SUCH_DATABASE) {
    const database = decodeURIComponent(pathname.slice(1)) || role;
    return new RelayError('database_missing', { place, variable, database }, { cause });
  }
  if (code !== undefined && WRONG_LOGIN_CODES.includes(code)) {
    const params = { place, variable, role, reason: message };
    return new RelayError('database_role_refused', params, { cause });
  }
  const reason = `${message ?? String(cause)}.`;
  return new RelayError('database_refused', { reason }, { cause });
}

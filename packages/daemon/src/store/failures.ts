// Tells a database that is away, which passes, from a statement that is wrong, which does not.

/** Connection exceptions, the server's shutdown and start, and too many connections. */
const AWAY = /^(08...|57P0[1-5]|53300)$/;
const UNREACHABLE = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'];
/** What `pg` says without a code. */
const BROKEN =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) return BROKEN.test(error.message);
  // A socket that is not there yet; any other missing file is a fault of ours.
  if (code === 'ENOENT') return syscall === 'connect';
  return AWAY.test(code) || UNREACHABLE.includes(code);
}

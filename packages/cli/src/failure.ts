// Every way a command can end badly becomes one sentence with its code and exit code.
import { ERRORS, type ErrorCode, RelayError } from '@relay/core/errors';

/** What the daemon refused, in the daemon's own words. */
export class RemoteError extends Error {
  readonly code: string;
  readonly exit: number;

  constructor(code: string, message: string, exit?: number) {
    super(message);
    this.name = 'RemoteError';
    this.code = code;
    this.exit = exit ?? (code in ERRORS ? ERRORS[code as ErrorCode].exit : 1);
  }
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exit: number;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof RelayError || error instanceof RemoteError) {
    return { code: error.code, message: error.message, exit: error.exit };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return failureOf(
    new RelayError('command_failed', { reason: /[.!?]$/.test(reason) ? reason : `${reason}.` }),
  );
}

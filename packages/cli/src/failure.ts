// Turns every error of a command into one sentence with an error code and an exit code.
import { RelayApiError } from '@relay/contract/client/api-error';
import { actionIn, ERRORS, type KnownErrorCode, RelayError } from '@relay/contract/errors';
import type { Terminal } from './terminal.ts';

/** Why a starting daemon failed, with its exit code. */
export class StartFailure extends Error {
  readonly code: string;
  readonly exit: number;

  constructor(code: string, message: string, exit: number) {
    super(message);
    this.name = 'StartFailure';
    this.code = code;
    this.exit = exit;
  }
}

interface CommandFailure {
  readonly code: string;
  /** What is wrong, and what to do. */
  readonly message: string;
  readonly sentence: string;
  readonly action: string | undefined;
  readonly exit: number;
}

/** Prints the failure as text or as JSON; returns the exit code. */
export function reportFailure(error: unknown, terminal: Terminal): number {
  const { message, sentence, code, action, exit } = toCommandFailure(error);
  terminal.error(terminal.json ? JSON.stringify({ error: sentence, code, action }) : message);
  return exit;
}

export function toCommandFailure(error: unknown): CommandFailure {
  if (error instanceof StartFailure) {
    const { code, message, exit } = error;
    return { code, message, sentence: message, action: undefined, exit };
  }
  if (error instanceof RelayError) return { ...partsOf(error, error.code), exit: error.exit };
  if (error instanceof RelayApiError) {
    const code = error.code in ERRORS ? (error.code as KnownErrorCode) : null;
    return { ...partsOf(error, code), exit: code === null ? 1 : ERRORS[code].exit };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return toCommandFailure(
    new RelayError('command_failed', { reason: /[.!?]$/.test(reason) ? reason : `${reason}.` }),
  );
}

function partsOf(
  { code, sentence, action: usual }: RelayError | RelayApiError,
  known: KnownErrorCode | null,
): Omit<CommandFailure, 'exit'> {
  const action = (known === null ? undefined : actionIn(known, 'command')) ?? usual;
  const message = action === undefined ? sentence : `${sentence} ${action}`;
  return { code, message, sentence, action };
}

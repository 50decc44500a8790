// The table of errors: code, HTTP status, exit code of the command, and the sentence for people. Every sentence says
// what is wrong and, if there is one, the next step. An error that is not in this table is never shown verbatim: it
// becomes `internal`.

import { DAEMON_ERRORS } from './errors/daemon.ts';
import { CONTACT_ERRORS, MEMORY_ERRORS, MODEL_ERRORS, WEBHOOK_ERRORS } from './errors/features.ts';
import { REQUEST_ERRORS } from './errors/requests.ts';

export const ERRORS = {
  ...REQUEST_ERRORS,
  ...CONTACT_ERRORS,
  ...DAEMON_ERRORS,
  ...MODEL_ERRORS,
  ...MEMORY_ERRORS,
  ...WEBHOOK_ERRORS,
} as const;

export type KnownErrorCode = keyof typeof ERRORS;
type ErrorParams = Readonly<Record<string, string | number>>;

export function errorSentence(code: KnownErrorCode, params: ErrorParams = {}): string {
  return ERRORS[code].sentence.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in params ? String(params[name]) : whole,
  );
}

/** The only error that may cross a boundary: its message is the table's sentence. */
export class RelayError extends Error {
  readonly code: KnownErrorCode;
  readonly params: ErrorParams;
  /** One more sentence for people, besides the main one. */
  readonly details: string | undefined;

  constructor(
    code: KnownErrorCode,
    params: ErrorParams = {},
    options: { details?: string; cause?: unknown } = {},
  ) {
    super(
      errorSentence(code, params),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'RelayError';
    this.code = code;
    this.params = params;
    this.details = options.details;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** Whether trying again later may help. */
  get isRetryable(): boolean {
    return 'passes' in ERRORS[this.code];
  }

  get exit(): number {
    return ERRORS[this.code].exit;
  }
}

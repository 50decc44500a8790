// The one table of errors: code, HTTP status, exit code of the command, and the sentence a person
// reads. Every sentence says what is wrong and, where there is one, the next step. Whatever is
// thrown inside and is not in this table reaches nobody verbatim: it becomes `internal`.
import { ASKING } from './errors/asking.ts';
import { MEMORY } from './errors/memory.ts';
import { MODELS } from './errors/models.ts';
import { PEOPLE } from './errors/people.ts';
import { RUNNING } from './errors/running.ts';
import { WEBHOOKS } from './errors/webhooks.ts';

export const ERRORS = {
  ...ASKING,
  ...PEOPLE,
  ...RUNNING,
  ...MODELS,
  ...MEMORY,
  ...WEBHOOKS,
} as const;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorParams = Readonly<Record<string, string | number>>;

export function sentence(code: ErrorCode, params: ErrorParams = {}): string {
  return ERRORS[code].sentence.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in params ? String(params[name]) : whole,
  );
}

/** The only error that may cross a boundary: its message is the table's sentence. */
export class RelayError extends Error {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  /** One further sentence for a person, beside the main one. */
  readonly details: string | undefined;

  constructor(
    code: ErrorCode,
    params: ErrorParams = {},
    options: { details?: string; cause?: unknown } = {},
  ) {
    super(
      sentence(code, params),
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
  get passes(): boolean {
    return 'passes' in ERRORS[this.code];
  }

  get exit(): number {
    return ERRORS[this.code].exit;
  }
}

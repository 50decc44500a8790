// The table of errors: code, HTTP status, exit code of the command, what is wrong (`sentence`) and, if something can be
// done, what to do (`action`). An error that is not in this table is never shown verbatim: it becomes `internal`.

import { DAEMON_ERRORS } from './errors/daemon.ts';
import {
  CONTACT_ERRORS,
  MEDIA_ERRORS,
  MEMORY_ERRORS,
  MODEL_ERRORS,
  NOTIFICATION_ERRORS,
  WEBHOOK_ERRORS,
} from './errors/features.ts';
import { REQUEST_ERRORS } from './errors/requests.ts';
import type { ErrorReader, ErrorSpec } from './errors/spec.ts';

export const ERRORS = {
  ...REQUEST_ERRORS,
  ...CONTACT_ERRORS,
  ...DAEMON_ERRORS,
  ...MODEL_ERRORS,
  ...MEMORY_ERRORS,
  ...NOTIFICATION_ERRORS,
  ...WEBHOOK_ERRORS,
  ...MEDIA_ERRORS,
} as const;

export type KnownErrorCode = keyof typeof ERRORS;
type ErrorParams = Readonly<Record<string, string | number>>;

export const errorSentence = (code: KnownErrorCode, params: ErrorParams = {}): string =>
  fill(ERRORS[code].sentence, params);

function errorAction(code: KnownErrorCode, params: ErrorParams): string | undefined {
  const spec: ErrorSpec = ERRORS[code];
  return spec.action === undefined ? undefined : fill(spec.action, params);
}

/** What a reader of this kind can do, if it differs from the usual action. */
export const actionIn = (code: KnownErrorCode, reader: ErrorReader): string | undefined =>
  (ERRORS[code] as ErrorSpec).actionFor?.[reader];

const fill = (text: string, params: ErrorParams): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in params ? String(params[name]) : whole,
  );

/** The only error that may cross a boundary: its message is the table's sentence and action. */
export class RelayError extends Error {
  readonly code: KnownErrorCode;
  readonly params: ErrorParams;
  /** What is wrong. */
  readonly sentence: string;
  /** What to do. */
  readonly action: string | undefined;
  /** Why the gate refused it. */
  readonly reason: string | undefined;
  /** One more sentence for people, besides the main one. */
  readonly details: string | undefined;

  constructor(
    code: KnownErrorCode,
    params: ErrorParams = {},
    options: {
      action?: string | undefined;
      reason?: string;
      details?: string;
      cause?: unknown;
    } = {},
  ) {
    const sentence = errorSentence(code, params);
    const action = options.action ?? errorAction(code, params);
    super(
      action === undefined ? sentence : `${sentence} ${action}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'RelayError';
    this.code = code;
    this.params = params;
    this.sentence = sentence;
    this.action = action;
    this.reason = options.reason;
    this.details = options.details;
  }

  /** What this reader can do; `more` fills what the error itself does not know. */
  actionFor(reader: ErrorReader, more: ErrorParams = {}): string | undefined {
    const text = actionIn(this.code, reader);
    return text === undefined ? this.action : fill(text, { ...more, ...this.params });
  }

  /** The message for this reader. */
  messageFor(reader: ErrorReader): string {
    const action = this.actionFor(reader);
    return action === undefined ? this.sentence : `${this.sentence} ${action}`;
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

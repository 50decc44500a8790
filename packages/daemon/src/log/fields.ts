// Which fields a log line may carry, checked as it is written: a caller that slips in another, or
// gives one the wrong type, loses that field and nothing else.
import type { LogFields } from '@relay/core/log';
import { mask } from './mask.ts';

const BODY_LENGTH = 50;
const TEXT_LENGTH = 8_192;
const CAUSES = 3;

type Kind = 'id' | 'text' | 'number' | 'body' | 'error';

const FIELDS = {
  account: 'number',
  instance: 'id',
  contact: 'id',
  chat: 'id',
  message: 'id',
  run: 'id',
  job: 'id',
  queue: 'text',
  route: 'text',
  method: 'text',
  status: 'number',
  request: 'id',
  from: 'text',
  to: 'text',
  event: 'text',
  state: 'text',
  reason: 'text',
  code: 'text',
  count: 'number',
  attempt: 'number',
  ms: 'number',
  pid: 'number',
  port: 'number',
  version: 'text',
  path: 'text',
  body: 'body',
  error: 'error',
} as const satisfies Record<keyof LogFields, Kind>;

export const text = (value: string): string => mask(value.slice(0, TEXT_LENGTH));

export function allowed(fields: LogFields, debug: boolean): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(FIELDS)) {
    const value = fields[name as keyof LogFields];
    if (value === undefined) continue;
    const written = WRITERS[kind](value, debug);
    if (written !== undefined) kept[name] = written;
  }
  return kept;
}

const WRITERS: Record<Kind, (value: unknown, debug: boolean) => unknown> = {
  // A bare message id is hexadecimal; masking its digits would make it useless and protect nobody.
  id: (value) =>
    typeof value !== 'string'
      ? undefined
      : /^(?=.*[A-F])[0-9A-F]{16,40}$/.test(value)
        ? value
        : text(value),
  text: (value) => (typeof value === 'string' ? text(value) : undefined),
  number: (value) => (typeof value === 'number' ? value : undefined),
  body: (value, debug) =>
    debug && typeof value === 'string' ? text(value).slice(0, BODY_LENGTH) : undefined,
  error: (value) => describe(value, CAUSES),
};

/** Name, code, message, stack and causes. Whatever else an error carries may hold anyone's data. */
function describe(error: unknown, causes: number): unknown {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: typeof error === 'string' ? text(error) : undefined };
  }
  const code = (error as { code?: unknown }).code;
  return {
    type: text(String(error.name)),
    message: text(String(error.message)),
    code: typeof code === 'string' ? text(code) : undefined,
    stack: typeof error.stack === 'string' ? text(error.stack) : undefined,
    cause:
      error.cause === undefined || causes === 0 ? undefined : describe(error.cause, causes - 1),
  };
}

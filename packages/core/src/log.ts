// The log interface. Callers name an event and give fields; the implementation decides which fields appear and how they
// are masked, so no caller can leak data by accident.

/** The only fields a log line may carry. A body is written at debug level only and cut to 50 characters. */
export interface LogFields {
  account?: number;
  worker?: string;
  instance?: string;
  contact?: string;
  chat?: string;
  message?: string;
  run?: string;
  job?: string;
  queue?: string;
  route?: string;
  method?: string;
  status?: number;
  request?: string;
  from?: string;
  to?: string;
  event?: string;
  state?: string;
  reason?: string;
  code?: string;
  count?: number;
  attempt?: number;
  ms?: number;
  pid?: number;
  port?: number;
  version?: string;
  path?: string;
  body?: string;
  error?: unknown;
}

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Discards everything; for tests and tools. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

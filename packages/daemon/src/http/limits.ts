// Every bound the HTTP server keeps, in one place. Tests narrow them; nobody widens them at run time.

export interface Limits {
  /** Largest JSON body. An archive to import is streamed and has none. */
  readonly bodyBytes: number;
  /** How long a JSON body may take to arrive. */
  readonly bodyMs: number;
  readonly headersMs: number;
  /** Wrong credentials in a minute, from all callers together, before they get 429. */
  readonly failuresPerMinute: number;
  /** Requests in a minute for one token or one browser session. */
  readonly requestsPerMinute: number;
  /** The same for the token of notification forwarders: no group is as lively. */
  readonly forwardedPerMinute: number;
  /** How long running requests may take to finish once the server closes. */
  readonly drainMs: number;
  /** How often a stream looks at the log though nothing woke it. */
  readonly pollMs: number;
  readonly keepAliveMs: number;
  /** Seed 000's figure for its stream. */
  readonly linkKeepAliveMs: number;
  /** Events a stream reads at a time: all it ever holds for a slow reader. */
  readonly streamBatch: number;
  /** Questions to the assistant that are answered or wait, from all callers together. */
  readonly questionsAtOnce: number;
  /** How long `/api/init` waits for a QR code; shorter than `drainMs`. */
  readonly initMs: number;
  /** How long a message to oneself may take; pacing may hold it back for a while. */
  readonly probeMs: number;
  readonly probeLookMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 1_048_576,
  bodyMs: 10_000,
  headersMs: 10_000,
  failuresPerMinute: 20,
  requestsPerMinute: 30_000,
  forwardedPerMinute: 300,
  drainMs: 10_000,
  pollMs: 5_000,
  keepAliveMs: 20_000,
  linkKeepAliveMs: 30_000,
  streamBatch: 100,
  questionsAtOnce: 8,
  initMs: 8_000,
  probeMs: 25_000,
  probeLookMs: 500,
};

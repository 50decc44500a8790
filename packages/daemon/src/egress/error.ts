// Why nothing came from the outside. For the caller to act on and to say in its own words: it names no
// address, since that may be text that somebody wrote.

const REASONS = {
  not_an_address: 'that is not an address on the web',
  not_http: 'only http and https lead outside, and never from https back to http',
  address_inside: 'that address is not on the public internet',
  unknown_name: 'that name has no address',
  unreachable: 'nothing answers there',
  too_slow: 'the answer took too long',
  stopped: 'it was stopped',
  too_large: 'the answer is too large',
  too_many_redirects: 'it leads on to other addresses too often',
  garbled: 'the answer cannot be read',
} as const;

export type EgressReason = keyof typeof REASONS;

export class EgressError extends Error {
  readonly reason: EgressReason;

  constructor(reason: EgressReason, options: { cause?: unknown } = {}) {
    super(REASONS[reason], options);
    this.name = 'EgressError';
    this.reason = reason;
  }
}

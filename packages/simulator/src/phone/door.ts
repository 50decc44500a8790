// Who may speak to the phone page: its own page in a browser that was given the address, and nobody else. A page from
// elsewhere has another origin, a rebound name shows in `host`, and neither knows the token in the fragment.
// Invariant: without the token nothing is shown and nothing is written.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { RequestError } from '../http.ts';

export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export function refuseOthers({ headers }: IncomingMessage, url: string): void {
  if (headers.host !== new URL(url).host) {
    throw new RequestError(403, 'This page answers to its own address only.');
  }
  const { origin } = headers;
  if (origin !== undefined && origin !== url) {
    throw new RequestError(403, 'Not for pages from elsewhere.');
  }
}

export function requireToken({ headers }: IncomingMessage, token: string): void {
  const given = Buffer.from(headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    throw new RequestError(401, 'Open the phone at the address that `relay demo` printed.');
  }
}

// Where a request comes from, judged by headers a web page cannot forge. Invariant: a page of
// another origin, or one that rebinds its name to loopback, is refused whatever else it carries.
import type { IncomingHttpHeaders } from 'node:http';
import { RelayError } from '@relay/core/errors';

function ownHosts(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
}

export function refuseForeign(headers: IncomingHttpHeaders, port: number, followed: boolean): void {
  const { host, origin } = headers;
  if (host === undefined || !ownHosts(port).includes(host)) throw new RelayError('bad_host');
  if (origin !== undefined && origin !== `http://${host}`) throw new RelayError('bad_origin');
  if (headers['sec-fetch-site'] === 'cross-site' && !followed) throw new RelayError('bad_origin');
}

/**
 * A person who follows a link: the browser opens the page itself and no other page sees it. `relay open`
 * comes this way, from a file of the owner's. For the open pages only, which hold no data.
 */
export function isFollowedLink(headers: IncomingHttpHeaders): boolean {
  return (
    headers.origin === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

/**
 * A cookie is sent by the browser, not by the page's author, and to every port of the host alike.
 * So what it permits must come from our own page: by the Origin header where something changes.
 */
export function refuseForeignSession(headers: IncomingHttpHeaders, method: string): void {
  if (headers['sec-fetch-site'] === 'same-site') throw new RelayError('bad_origin');
  if (method !== 'GET' && headers.origin === undefined) throw new RelayError('bad_origin');
}

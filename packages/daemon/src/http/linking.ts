// Begins the link to WhatsApp the way somebody asked for, and waits for what comes of it.
// Invariant: the way asked for last wins only while nobody has scanned or typed anything yet.
import { statusOf } from '@relay/core/connection/states';
import { phoneAlias } from '@relay/core/contacts/alias';
import { RelayError } from '@relay/core/errors';
import type { Link, LinkMethod, Transport } from '@relay/core/ports/transport';

export function linkMethod(phone: string | undefined): LinkMethod {
  if (phone === undefined) return { kind: 'qr' };
  const alias = phoneAlias(phone);
  if (alias === null) throw new RelayError('invalid_phone');
  return { kind: 'code', phone: alias.value };
}

/** Resolves once it has begun, not when it is done. */
export async function beginLinking(transport: Transport, method: LinkMethod): Promise<void> {
  const { state } = transport.link;
  const otherWay = method.kind === 'qr' ? state === 'pairing_code_ready' : state === 'qr_ready';
  if (otherWay) await transport.disconnect({ forget: false });
  transport.connect(method);
}

export const isConnected = (transport: Transport): boolean =>
  statusOf(transport.link.state) === 'connected';

/** The first link that satisfies; the one there is when time is up. */
export function untilLink(
  transport: Transport,
  satisfies: (link: Link) => boolean,
  ms: number,
): Promise<Link> {
  return new Promise((resolve) => {
    const look = () => {
      if (satisfies(transport.link)) done();
    };
    const done = () => {
      clearTimeout(timer);
      unsubscribe();
      resolve(transport.link);
    };
    const unsubscribe = transport.subscribe(look);
    const timer = setTimeout(done, ms);
    look();
  });
}

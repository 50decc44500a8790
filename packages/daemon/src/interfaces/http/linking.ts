// Begins the link to WhatsApp the way somebody asked for, and waits for what comes of it.
// Invariant: the way asked for last wins only while nobody has scanned or typed anything yet.
import { whatsappStatusOf } from '@relay/contract/connection/states';
import { RelayError } from '@relay/contract/errors';
import { phoneAlias } from '@relay/core/contacts/alias';
import type { LinkMethod, Transport, WhatsAppLink } from '@relay/core/ports/transport';

export function parseLinkMethod(phone: string | undefined): LinkMethod {
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
  whatsappStatusOf(transport.link.state) === 'connected';

/** The first link that satisfies; the one there is when time is up. */
export function waitForLink(
  transport: Transport,
  satisfies: (link: WhatsAppLink) => boolean,
  ms: number,
): Promise<WhatsAppLink> {
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

// A QR code as seed 000 serves it: a PNG in a data URL. The last one is kept, since every reader of the
// stream asks for the same.

export type QrPicture = (text: string) => Promise<string>;

export function createQrPicture(): QrPicture {
  let last: { text: string; url: Promise<string> } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, url: draw(text) };
    return last.url;
  };
}

async function draw(text: string): Promise<string> {
  // Loaded when the first code is drawn: an account is linked once, the daemon started often.
  const { default: qrcode } = await import('qrcode');
  return qrcode.toDataURL(text, { type: 'image/png', margin: 4, scale: 6 });
}

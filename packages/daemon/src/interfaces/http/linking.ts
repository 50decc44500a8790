// Starts linking with WhatsApp by QR code or pairing code, and waits for the result.
// Invariant: a new request replaces the method in use only while no code has been scanned or typed yet.
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

/** Resolves once linking has begun, not when it is done. */
export async function beginLinking(transport: Transport, method: LinkMethod): Promise<void> {
  const { state } = transport.link;
  const otherWay = method.kind === 'qr' ? state === 'pairing_code_ready' : state === 'qr_ready';
  if (otherWay) await transport.disconnect({ forget: false });
  transport.connect(method);
}

export const isConnected = (transport: Transport): boolean =>
  whatsappStatusOf(transport.link.state) === 'connected';

/** Resolves with the first link that satisfies the condition, or with the current one after `ms`. */
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

// A QR code as seed 000 serves it: a PNG in a data URL. The last picture is cached, because every reader of the stream
// requests the same one.

export type QrPicture = (text: string) => Promise<string>;

export function createQrPicture(): QrPicture {
  let last: { text: string; url: Promise<string> } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, url: draw(text) };
    return last.url;
  };
}

async function draw(text: string): Promise<string> {
  // Loaded with the first code: an account is linked once, but the daemon starts often.
  const { default: qrcode } = await import('qrcode');
  return qrcode.toDataURL(text, { type: 'image/png', margin: 4, scale: 6 });
}

// Seed 000's `streamWhatsAppQR`: follows one connection to the stream and reports how it ended. The caller decides
// whether to reconnect; the first `status` then contains what was missed.
import type { WhatsAppStatusBody } from '../api/whatsapp.ts';
import { PLATFORM } from './platform.ts';
import { readFrames } from './sse.ts';
import { type ClientTransport, createFetchTransport } from './transport.ts';

export const QR_STREAM = '/api/whatsapp/qr/stream';

export interface QrStreamCallbacks {
  onQr(qr: string): void;
  onStatus(status: string, phone: string | null): void;
  onConnected(phone: string | null): void;
  /** The stream ended normally, for example because the daemon restarts. */
  onClose?(): void;
  /** The stream could not be opened, or it broke. */
  onError?(error: Error): void;
}

/**
 * `abort()` on the result closes the stream; nothing is called after that. On a page served by the daemon the callbacks
 * are enough; elsewhere a client provides the daemon's address.
 */
export function streamWhatsAppQR(
  callbacks: QrStreamCallbacks,
  relay: Pick<ClientTransport, 'open'> = createFetchTransport({ baseUrl: '' }, PLATFORM),
): AbortController {
  const controller = new AbortController();
  void follow(callbacks, relay, controller.signal);
  return controller;
}

async function follow(
  callbacks: QrStreamCallbacks,
  { open }: Pick<ClientTransport, 'open'>,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { event, data } of readFrames(await open(QR_STREAM, signal))) {
      if (signal.aborted) return;
      tell(callbacks, event, data);
    }
    if (!signal.aborted) callbacks.onClose?.();
  } catch (error) {
    if (signal.aborted) return;
    callbacks.onError?.(error instanceof Error ? error : new Error(String(error)));
  }
}

function tell(callbacks: QrStreamCallbacks, event: string, data: unknown): void {
  const { status, phoneNumber, qr } = data as WhatsAppStatusBody & { readonly qr: string };
  if (event === 'status') callbacks.onStatus(status, phoneNumber);
  if (event === 'qr') callbacks.onQr(qr);
  if (event === 'connected') callbacks.onConnected(phoneNumber);
}

// Changes of the link as SSE frames, pulled by the response. Invariant: what is true now comes at once,
// then every change in order; a reader that does not read is held a bounded number of them.
import { linkBody, publicStatus } from '@relay/core/connection/link';
import type { Link, Transport } from '@relay/core/ports/transport';
import { createBell } from './bell.ts';
import type { Limits } from './limits.ts';
import type { QrPicture } from './qr-picture.ts';

/** The frames one change is worth to a reader who has seen all before it; empty when none. */
export type LinkFrames = (link: Link) => Promise<string> | string;

interface LinkStream {
  readonly transport: Pick<Transport, 'link' | 'subscribe'>;
  readonly frames: LinkFrames;
  readonly signal: AbortSignal;
  /** Whether the reader may still read; asked at every slow poll. */
  allowed(): Promise<boolean>;
  readonly limits: Pick<Limits, 'pollMs' | 'linkKeepAliveMs' | 'streamBatch'>;
}

export async function* linkStream(stream: LinkStream): AsyncGenerator<string, void, void> {
  const { transport, signal, limits } = stream;
  const bell = createBell();
  const waiting: Link[] = [transport.link];
  const unsubscribe = transport.subscribe((event) => {
    if (event.type !== 'link') return;
    waiting.push(event.link);
    if (waiting.length > limits.streamBatch) waiting.shift();
    bell.ring();
  });
  try {
    let kept = performance.now();
    let checked = kept;
    while (!signal.aborted) {
      for (let link = waiting.shift(); link !== undefined; link = waiting.shift()) {
        const text = await stream.frames(link);
        if (text !== '') yield text;
      }
      const quiet = kept + limits.linkKeepAliveMs - performance.now();
      await bell.wait(Math.max(0, Math.min(limits.pollMs, quiet)), signal);
      const now = performance.now();
      if (now - checked >= limits.pollMs) {
        checked = now;
        if (!(await stream.allowed())) return;
      }
      if (!signal.aborted && now - kept >= limits.linkKeepAliveMs) {
        kept = now;
        yield ': keep-alive\n\n';
      }
    }
  } finally {
    unsubscribe();
  }
}

/** Seed 000's three events. `connected` is an event of the moment: who comes later learns it by `status`. */
export function qrFrames(picture: QrPicture): LinkFrames {
  let seen: { readonly status: string; readonly qr: string | null } | null = null;
  return async (link) => {
    const before = seen;
    const body = publicStatus(link);
    seen = { status: body.status, qr: link.qr };
    let text = '';
    if (body.status !== before?.status) text += frame('status', body);
    if (link.qr !== null && link.qr !== before?.qr) {
      text += frame('qr', { qr: await picture(link.qr) });
    }
    if (before !== null && body.status === 'connected' && before.status !== 'connected') {
      text += frame('connected', { phoneNumber: body.phoneNumber });
    }
    return text;
  };
}

/** Our own: the whole link, whenever something a person could see has changed. */
export function wholeFrames(): LinkFrames {
  let seen = '';
  return (link) => {
    const { health, ...visible } = linkBody(link);
    const now = JSON.stringify(visible);
    if (now === seen) return '';
    seen = now;
    return frame('link', { ...visible, health });
  };
}

const frame = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

// One request to the collector, and what its answer means: taken, to be tried again, or never to be. Which is which is
// OTLP's own rule; everything it does not name is final.
import type { Egress } from '../egress/egress.ts';
import { EgressError, type EgressReason } from '../egress/error.ts';

export interface Collector {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** To places that the owner has written down. */
  readonly egress: Egress;
}

export type Sent =
  | { readonly kind: 'taken'; readonly rejected: number; readonly why: string }
  | { readonly kind: 'later'; readonly why: string; readonly afterMs: number }
  | { readonly kind: 'refused'; readonly why: string };

const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const UNREACHED: ReadonlySet<EgressReason> = new Set<EgressReason>([
  'unreachable',
  'unknown_name',
  'too_slow',
  'stopped',
]);
const TIMEOUT_MS = 10_000;
/** However long a collector asks to be left alone. */
const LONGEST_MS = 300_000;

export async function send(
  { url, headers, egress }: Collector,
  body: string,
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const answer = await egress(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    const why = `it answered with ${answer.status}`;
    if (AGAIN.has(answer.status)) {
      return { kind: 'later', why, afterMs: askedFor(answer.headers['retry-after']) };
    }
    if (answer.status < 200 || answer.status > 299) return { kind: 'refused', why };
    return { kind: 'taken', ...rejectedIn(answer.body) };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const { reason, message: why } = error;
    return UNREACHED.has(reason) ? { kind: 'later', why, afterMs: 0 } : { kind: 'refused', why };
  }
}

/** In seconds; a date is as good as nothing said. */
function askedFor(after: string | undefined): number {
  const seconds = Number(after ?? 0);
  return seconds > 0 ? Math.min(seconds * 1_000, LONGEST_MS) : 0;
}

/** What of it the collector did not want. */
function rejectedIn(body: Uint8Array): { rejected: number; why: string } {
  try {
    const { partialSuccess } = JSON.parse(Buffer.from(body).toString()) as {
      partialSuccess?: { rejectedSpans?: unknown; errorMessage?: unknown };
    };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    const why = String(partialSuccess?.errorMessage ?? '').slice(0, 200);
    return { rejected: Number.isSafeInteger(rejected) ? rejected : 0, why };
  } catch {
    return { rejected: 0, why: '' };
  }
}

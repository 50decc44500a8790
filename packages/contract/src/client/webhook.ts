// Verifies that a webhook came from Relay, by Standard Webhooks: an HMAC over id, time and exact body. Uses only
// WebCrypto, so that it runs everywhere. Nothing of a body is parsed before it is verified.
import type { WebhookEvent } from './webhook-event.ts';

/** The webhook did not come from Relay, was changed on its way, or is too old. */
export class RelayWebhookError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'RelayWebhookError';
  }
}

/** Headers of Node, fetch or any framework. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The maximum age and clock difference, in seconds; five minutes by default. */
  readonly toleranceSeconds?: number;
  /** Milliseconds; for tests. */
  readonly now?: number;
}

/** `body` is the received body before any parsing. */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw new RelayWebhookError('A webhook header is missing.');
  const age = Math.abs(now / 1_000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds) {
    throw new RelayWebhookError('The webhook is too old, or a clock is wrong.');
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  if (!(await isSigned(secret, joined(head, bytes), signatures))) {
    throw new RelayWebhookError('The signature is not valid.');
  }
  return JSON.parse(new TextDecoder().decode(bytes));
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : undefined;
}

/** There can be several signatures while a secret is rotated. WebCrypto compares in constant time. */
async function isSigned(
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const raw = bytesOf(secret.replace(/^whsec_/, ''));
  if (raw === null) throw new RelayWebhookError('The secret cannot be read.');
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', raw, hmac, false, ['verify']);
  for (const signature of signatures.split(' ')) {
    const given = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : null;
    if (given !== null && (await subtle.verify('HMAC', key, given, signed))) return true;
  }
  return false;
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

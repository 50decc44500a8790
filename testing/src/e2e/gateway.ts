// A client of Relay's API with the owner's token. A refusal is returned as a response; waits that time out throw a
// sentence.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BufferedMessage, WhatsAppStatusBody } from '@relay/contract/api/whatsapp';
import { type RawResponse, rawRequest } from './raw-request.ts';

/** Only against hanging: a busy machine is slow. */
const PATIENCE_MS = 90_000;

export interface AcceptedSend {
  readonly success: boolean;
  readonly jid: string;
  readonly id: string;
  readonly messageId: string;
  readonly state: string;
}

export class Gateway {
  readonly #at: () => { port: number; token: string };

  /** Called for every request: a restarted daemon may have another port. */
  constructor(at: () => { port: number; token: string }) {
    this.#at = at;
  }

  call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RawResponse> {
    const { port, token } = this.#at();
    const authorization = `Bearer ${token}`;
    return rawRequest({ port, method, path, body, headers: { authorization, ...headers } });
  }

  async ok<T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> {
    const answer = await this.call(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json as T;
  }

  status(): Promise<WhatsAppStatusBody> {
    return this.ok('GET', '/api/whatsapp/status');
  }

  connect(body: { phone?: string } = {}): Promise<{ status: string }> {
    return this.ok('POST', '/api/whatsapp/connect', body);
  }

  /** Waits for the QR code: a PNG in a data URL. */
  qr(): Promise<string> {
    return eventually('a QR code', async () => {
      const { status, json } = await this.call('GET', '/api/whatsapp/qr');
      return status === 200 ? (json as { qr: string }).qr : undefined;
    });
  }

  connected(patience = PATIENCE_MS): Promise<string> {
    const look = async () => {
      const { status, phoneNumber } = await this.status();
      return status === 'connected' ? (phoneNumber ?? '') : undefined;
    };
    return eventually('a connection', look, patience);
  }

  async messages(query: Record<string, string | number> = {}): Promise<BufferedMessage[]> {
    const words = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) words.set(name, String(value));
    const path = `/api/whatsapp/messages?${words}`;
    return (await this.ok<{ messages: BufferedMessage[] }>('GET', path)).messages;
  }

  /** Resolves when the message is durable; the same key is the same message. */
  send(to: string, text: string, key?: string): Promise<AcceptedSend> {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    return this.ok('POST', '/api/whatsapp/messages', { to, text }, headers);
  }
}

/** Polls until there is a value; a daemon that does not answer yet counts as none. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  patience = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + patience;
  let last: unknown;
  for (;;) {
    const found = await look().catch((error: unknown) => {
      last = error;
      return undefined;
    });
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`, { cause: last });
    await sleep(25);
  }
}

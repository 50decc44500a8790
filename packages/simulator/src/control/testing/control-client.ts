// A test client of the control API that uses only HTTP. Invariant: a refusal is returned like any response; callers
// that expect success use `ok`.
import { until } from '../../whatsapp/testing/client.ts';

export interface ControlReply {
  status: number;
  body: unknown;
}

export interface RemoteMessage {
  id: string;
  chat: string;
  from: string;
  fromMe: boolean;
  text: string | null;
  media: { kind: string; mimetype: string | null } | null;
  status: string;
  receipts: Record<string, string>;
}

export class ControlClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async ask(
    route: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ControlReply> {
    const [method = '', path] = route.split(' ');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers,
      ...(text !== undefined && { body: text }),
    });
    const heard = await response.text();
    return { status: response.status, body: heard === '' ? undefined : JSON.parse(heard) };
  }

  async ok<T>(route: string, body?: unknown): Promise<T> {
    const heard = await this.ask(route, body);
    if (heard.status >= 300) throw new Error(`${route}: ${JSON.stringify(heard)}`);
    return heard.body as T;
  }

  async messages(phone: string, other?: string): Promise<RemoteMessage[]> {
    const query = other === undefined ? '' : `?with=${encodeURIComponent(other)}`;
    const route = `GET /accounts/${phone}/messages${query}`;
    return (await this.ok<{ messages: RemoteMessage[] }>(route)).messages;
  }

  /** Polls until a message of this account matches. */
  async sees(phone: string, wish: Partial<RemoteMessage>): Promise<RemoteMessage> {
    let found: RemoteMessage | undefined;
    const look = async () => {
      const as = (message: RemoteMessage) =>
        Object.entries(wish).every(([name, value]) => message[name as keyof typeof wish] === value);
      found = (await this.messages(phone)).find(as);
    };
    const timer = setInterval(() => void look().catch(() => undefined), 25);
    try {
      return await until(() => found, `${phone} to see ${JSON.stringify(wish)}`);
    } finally {
      clearInterval(timer);
    }
  }
}

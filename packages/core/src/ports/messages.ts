// The messages an account received and sent, as the gateway shows them. Implemented by `store`.
import type { BufferedMessage } from '../api/whatsapp.ts';

export interface MessageQuery {
  /** Digits; matched as a substring of the numbers of sender and recipient. */
  readonly contact?: string;
  /** Only this chat, by JID. */
  readonly chat?: string;
  readonly limit: number;
}

export interface MessageReader {
  /** The last ones, oldest first. */
  recent(query: MessageQuery): Promise<readonly BufferedMessage[]>;
}

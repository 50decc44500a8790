// The messages an account received and sent, as the gateway shows them. Implemented by `store`.
import type { BufferedMessage } from '../api/whatsapp.ts';

export type MessageQuery = { readonly limit: number } & (
  | {
      /** Digits; matched as a substring of the numbers of sender and recipient. */
      readonly contact?: string;
      readonly chat?: never;
    }
  | {
      readonly contact?: never;
      /** Only this chat, by JID. */
      readonly chat: string;
    }
);

/** A message as an event names it. */
export interface MessageRef {
  /** Relay's own. */
  readonly number: number;
  /** WhatsApp's. */
  readonly message: string;
}

export interface MessageReader {
  /** The last ones, oldest first. */
  recent(query: MessageQuery): Promise<readonly BufferedMessage[]>;
  /** Those that are still there, by number. */
  named(refs: readonly MessageRef[]): Promise<ReadonlyMap<number, BufferedMessage>>;
}

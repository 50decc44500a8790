// Writing as the owner, through the gate like everybody else. Implemented by composition from gate and
// outbox; resolves when the message is durable, long before it has left.
import type { OutboxState } from '../outbox/progress.ts';

export interface OwnerMessage {
  /** A JID: a person's or a group's. */
  readonly to: string;
  readonly text: string;
  /**
   * The same key is the same message: asked again it is not sent again, and the answer says where it
   * stands now. With another recipient or text it is refused.
   */
  readonly key?: string;
}

export interface OwnerSent {
  readonly jid: string;
  readonly id: string;
  readonly messageId: string;
  readonly state: OutboxState;
}

export type SendAsOwner = (message: OwnerMessage) => Promise<OwnerSent>;

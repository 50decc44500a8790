// The gate's permit for one intent. The outbox accepts nothing else, and only the gate creates one: the brand prevents
// building one by accident, an import rule on purpose.
import type { AccountId, ChatId, InstanceId, PermitId } from '@relay/contract/ids';

declare const permitted: unique symbol;

export interface Permit {
  readonly [permitted]: true;
  readonly account: AccountId;
  readonly id: PermitId;
  readonly chat: ChatId;
  readonly instance: InstanceId | null;
  /** The hash of recipient and content: valid for exactly this message. */
  readonly hash: string;
}

export function mintPermit(facts: Omit<Permit, typeof permitted>): Permit {
  return facts as Permit;
}

// The gate's yes to one intent. The outbox takes nothing else, and only the gate makes one: the brand
// keeps others from building it by accident, an import rule from doing so on purpose.
import type { AccountId, ChatId, InstanceId, PermitId } from '@relay/contract/ids';

declare const permitted: unique symbol;

export interface Permit {
  readonly [permitted]: true;
  readonly account: AccountId;
  readonly id: PermitId;
  readonly chat: ChatId;
  readonly instance: InstanceId | null;
  /** Hash of recipient and content together: good for exactly this message. */
  readonly hash: string;
}

export function mintPermit(facts: Omit<Permit, typeof permitted>): Permit {
  return facts as Permit;
}

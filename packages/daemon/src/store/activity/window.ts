// The time whose activity is looked at, cut into buckets.
import type { AccountId } from '@relay/core/ids';

export interface Window {
  readonly account: AccountId;
  /** Where each bucket begins. */
  readonly ticks: readonly Date[];
  /** Of the owner's today. */
  readonly midnight: Date;
  /** The earlier of the first tick and midnight. */
  readonly from: Date;
  readonly now: Date;
}

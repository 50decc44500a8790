// What every step of a merge needs: the transaction, and who becomes whom.
import type { AccountId, ContactId } from '@relay/core/ids';
import type { Transaction } from '../database.ts';

export interface MergeWork {
  readonly tx: Transaction;
  readonly account: AccountId;
  readonly into: ContactId;
  readonly from: ContactId;
}

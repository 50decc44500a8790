// A message that was read, with the rows it belongs to.
import type { ChatId, ContactId } from '@relay/core/ids';
import type { Taken } from './read.ts';

export interface Placed extends Taken {
  readonly chat: ChatId;
  /** Null when the account itself wrote it. */
  readonly sender: ContactId | null;
}

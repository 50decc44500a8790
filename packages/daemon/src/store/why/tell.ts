// The story of one message, whichever way it went.
import type { AccountId } from '@relay/core/ids';
import type { Place, Story } from '@relay/core/ledger/story';
import type { Reader } from '../database.ts';
import type { Found } from './find.ts';
import { inboundStory, type Told } from './inbound.ts';
import { outboundStory } from './outbound.ts';

export function tell(
  db: Reader,
  account: AccountId,
  message: Found,
  place: Place,
): Promise<Told<Story>> {
  const { outbox, number, sentAt } = message;
  if (outbox !== null) return outboundStory(db, account, outbox, place);
  if (number === null || sentAt === null) throw new Error('a message that stands nowhere');
  return inboundStory(db, account, { ...message, number, sentAt }, place);
}

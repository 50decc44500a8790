// What reading a group costs and what the noise filter spares, by the group's own days.
import type { AccountId, ChatId } from '@relay/core/ids';
import { dayIn } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';

export interface Usage {
  readonly kept?: number;
  readonly cut?: number;
  /** Tokens that a model took or gave. */
  readonly spent?: number;
  /** Tokens that no model had to read. */
  readonly saved?: number;
}

/** Whose, and when by whose clock. */
export interface UsedIn {
  readonly chat: ChatId;
  /** An IANA name. */
  readonly zone: string;
  readonly at: Date;
}

export async function addUsage(
  db: Reader,
  account: AccountId,
  { chat, zone, at }: UsedIn,
  { kept = 0, cut = 0, spent = 0, saved = 0 }: Usage,
): Promise<void> {
  await sql`INSERT INTO observer_usage AS u (account_id, chat_id, day, messages_kept, messages_cut, tokens_spent, tokens_saved)
    VALUES (${account}, ${chat}, ${dayIn(zone, at)}, ${kept}, ${cut}, ${spent}, ${saved})
    ON CONFLICT (account_id, chat_id, day) DO UPDATE SET
      messages_kept = u.messages_kept + excluded.messages_kept,
      messages_cut = u.messages_cut + excluded.messages_cut,
      tokens_spent = u.tokens_spent + excluded.tokens_spent,
      tokens_saved = u.tokens_saved + excluded.tokens_saved`.execute(db);
}

// What the noise filter said of each message of an observed group, as rows: the raw buffer is what it let
// through and what still stands. The words are in `messages` alone.
import type { AccountId } from '@relay/core/ids';
import type { Verdict } from '@relay/core/observer/verdict';
import type { Transaction } from '../database.ts';
import type { Place } from './messages.ts';

export interface Judgement extends Place {
  readonly verdict: Verdict;
  /** How many the words would cost a model. */
  readonly tokens: number;
}

/** False when it was judged before. */
export async function putVerdict(
  tx: Transaction,
  account: AccountId,
  { chat, number, sentAt, verdict, tokens }: Judgement,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('observed_messages')
    .values({
      account_id: account,
      chat_id: chat,
      message: number,
      sent_at: sentAt,
      category: verdict.category,
      noise: verdict.noise,
      tokens,
    })
    .onConflict((on) => on.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function letGoOf(
  tx: Transaction,
  account: AccountId,
  { chat, number }: Pick<Place, 'chat' | 'number'>,
): Promise<void> {
  await tx
    .deleteFrom('observed_messages')
    .where('account_id', '=', account)
    .where('chat_id', '=', chat)
    .where('message', '=', number)
    .execute();
}

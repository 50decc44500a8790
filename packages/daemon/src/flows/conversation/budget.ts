// What agents may use: the tokens of one conversation, and those of all in the owner's day. Looked at before
// a turn and after every call of the model; used up, it names the setting that would allow more.
import { RelayError } from '@relay/core/errors';
import type { Spent } from '@relay/core/ports/turn';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { InstanceRow } from './rows.ts';
import type { ConversationWorld } from './work.ts';

/** Tokens. Those of turns that failed or were discarded count too: they were paid for. */
export interface Used {
  readonly conversation: number;
  readonly day: number;
}

export const tokensOf = ({ inputTokens, outputTokens }: Spent): number =>
  inputTokens + outputTokens;

export function overBudget(
  { settings }: Pick<ConversationWorld, 'settings'>,
  used: Used,
): RelayError | null {
  const { tokens_per_conversation, tokens_per_day } = settings.agent;
  if (used.conversation >= tokens_per_conversation) {
    return spent('this conversation', used.conversation, 'tokens_per_conversation', settings);
  }
  return used.day >= tokens_per_day ? spent('today', used.day, 'tokens_per_day', settings) : null;
}

const spent = (
  whom: string,
  used: number,
  name: 'tokens_per_conversation' | 'tokens_per_day',
  { agent }: ConversationWorld['settings'],
) => new RelayError('budget_spent', { whom, used, limit: agent[name], setting: `agent.${name}` });

/** What the runs of a conversation have cost, as an expression. */
export const usedBy = (
  row: Pick<InstanceRow, 'account_id' | 'id'>,
): RawBuilder<number> => sql<number>`
  (SELECT coalesce(sum(input_tokens::bigint + output_tokens), 0)::bigint FROM runs
    WHERE account_id = ${row.account_id} AND instance_id = ${row.id})`;

// What agents may use: the tokens of one conversation, and what all may use in the owner's day. Looked at before
// a turn and after every call of the model; used up, it names the setting that would allow more.
import { type DayUse, dayBudgetSpent } from '@relay/core/agent/budget';
import { RelayError } from '@relay/core/errors';
import type { Spent } from '@relay/core/ports/turn';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { InstanceRow } from './rows.ts';
import type { ConversationWorld } from './work.ts';

/** What turns used that failed or were discarded counts too: it was paid for. */
export interface Used {
  /** In tokens. */
  readonly conversation: number;
  readonly day: DayUse;
}

export const tokensOf = ({ inputTokens, outputTokens }: Spent): number =>
  inputTokens + outputTokens;

export function overBudget(
  { settings }: Pick<ConversationWorld, 'settings'>,
  used: Used,
): RelayError | null {
  const { tokens_per_conversation: limit } = settings.agent;
  if (used.conversation < limit) return dayBudgetSpent(settings.agent, used.day);
  return new RelayError('budget_spent', {
    whom: 'this conversation',
    used: used.conversation,
    limit,
    setting: 'agent.tokens_per_conversation',
  });
}

/** What the runs of a conversation have cost, as an expression. */
export const usedBy = (
  row: Pick<InstanceRow, 'account_id' | 'id'>,
): RawBuilder<number> => sql<number>`
  (SELECT coalesce(sum(input_tokens::bigint + output_tokens), 0)::bigint FROM runs
    WHERE account_id = ${row.account_id} AND instance_id = ${row.id})`;

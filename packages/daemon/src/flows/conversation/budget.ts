// What agents may use: the tokens of one conversation, and those of all in the owner's day. Asked before a
// turn and after every call of the model; used up, it names the setting that would allow more.
import { RelayError } from '@relay/core/errors';
import type { InstanceId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Transaction } from '../../store/database.ts';
import type { ConversationWorld } from './work.ts';

export async function budgetSpent(
  tx: Transaction,
  world: Pick<ConversationWorld, 'lease' | 'settings' | 'now'>,
  instance: InstanceId,
): Promise<RelayError | null> {
  const { tokens_per_conversation, tokens_per_day } = world.settings.agent;
  const { rows } = await sql<{ conversation: number; day: number }>`
    SELECT coalesce(sum(tokens) FILTER (WHERE mine), 0)::bigint AS conversation,
      coalesce(sum(tokens) FILTER (WHERE today), 0)::bigint AS day
    FROM (
      SELECT input_tokens::bigint + output_tokens AS tokens, started_at >= ${dayOf(world.now())} AS today,
        coalesce(instance_id = ${instance}, false) AS mine
      FROM runs WHERE account_id = ${world.lease.account}
        AND (instance_id = ${instance} OR started_at >= ${dayOf(world.now())})
    ) used`.execute(tx);
  const { conversation = 0, day = 0 } = rows[0] ?? {};
  if (conversation >= tokens_per_conversation) {
    return spent('this conversation', conversation, 'tokens_per_conversation', world);
  }
  return day >= tokens_per_day ? spent('today', day, 'tokens_per_day', world) : null;
}

const spent = (
  whom: string,
  used: number,
  name: 'tokens_per_conversation' | 'tokens_per_day',
  { settings }: Pick<ConversationWorld, 'settings'>,
) =>
  new RelayError('budget_spent', {
    whom,
    used,
    limit: settings.agent[name],
    setting: `agent.${name}`,
  });

/** The owner's day begins at midnight where the daemon runs. */
const dayOf = (now: Date) => new Date(now.getFullYear(), now.getMonth(), now.getDate());

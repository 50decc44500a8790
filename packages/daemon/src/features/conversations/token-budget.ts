// Token budgets of one conversation and of the owner's day, checked before a turn and after every model call. The error
// names the setting that would allow more.

import { RelayError } from '@relay/contract/errors';
import type { RunId } from '@relay/contract/ids';
import { type DayUse, dayBudgetError, ZERO_DAY_USE } from '@relay/core/agent/budget';
import type { ModelUsage } from '@relay/core/ports/agent-turn';
import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import { noteRunSpending, spentTodaySql } from '../../platform/db/runs.ts';
import type { InstanceRow } from './sql.ts';
import type { ConversationDeps } from './transitions.ts';

/** Includes what failed and discarded turns used, because that was paid for too. */
export interface BudgetUse {
  /** In tokens. */
  readonly conversation: number;
  readonly day: DayUse;
}

const usedTokens = ({ inputTokens, outputTokens }: ModelUsage): number =>
  inputTokens + outputTokens;

export function conversationBudgetError(
  { settings }: Pick<ConversationDeps, 'settings'>,
  used: BudgetUse,
): RelayError | null {
  const { tokens_per_conversation: limit } = settings.agent;
  if (used.conversation < limit) return dayBudgetError(settings.agent, used.day);
  return new RelayError('budget_spent', {
    whom: 'this conversation',
    used: used.conversation,
    limit,
    setting: 'agent.tokens_per_conversation',
  });
}

/** SQL expression for the tokens that the runs of a conversation have used. */
const tokensUsedBy = (
  row: Pick<InstanceRow, 'account_id' | 'id'>,
): RawBuilder<number> => sql<number>`
  (SELECT coalesce(sum(input_tokens::bigint + output_tokens), 0)::bigint FROM runs
    WHERE account_id = ${row.account_id} AND instance_id = ${row.id})`;

// Queries over a conversation's runs: what they read and used, and how often they failed.

/** Counts the failed runs in the current epoch. */
export async function countFailuresInEpoch(tx: Transaction, row: InstanceRow): Promise<number> {
  const { count } = await tx
    .selectFrom('runs')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('account_id', '=', row.account_id)
    .where('instance_id', '=', row.id)
    .where('epoch', '=', row.epoch)
    .where('state', '=', 'failed')
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns what the earlier turns used and read. */
export async function readPastUse(
  tx: Transaction,
  clock: Pick<ConversationDeps, 'now' | 'zone'>,
  row: InstanceRow,
): Promise<BudgetUse & { readonly readUpTo: number }> {
  const { rows } = await sql<BudgetUse & { readUpTo: number | null }>`
    SELECT ${tokensUsedBy(row)} AS conversation, ${spentTodaySql(row.account_id, clock)} AS day,
      (SELECT read_up_to FROM runs WHERE account_id = ${row.account_id} AND instance_id = ${row.id}
        AND state = 'done' ORDER BY started_at DESC LIMIT 1) AS "readUpTo"`.execute(tx);
  const { conversation = 0, day = ZERO_DAY_USE, readUpTo = null } = rows[0] ?? {};
  return { conversation, day, readUpTo: readUpTo ?? 0 };
}

/** Adds the usage of a model call and returns the new totals. */
export async function addTurnUsage(
  deps: ConversationDeps,
  turn: Pick<InstanceRow, 'id'> & { readonly run: RunId },
  spent: ModelUsage,
): Promise<BudgetUse> {
  const { db, lease } = deps;
  const usedBefore = tokensUsedBy({ account_id: lease.account, id: turn.id });
  const spending = { run: turn.run, clock: deps, usedBefore };
  const { before, day } = await noteRunSpending(db, lease, spending, spent);
  return { conversation: before + usedTokens(spent), day };
}

// Records the usage of each model call while the turn continues. The record of a call is awaited before the next call's
// answer is used and before the turn ends. If this turn is known to have used up a budget, its record is awaited at
// once, so only the usage of other runs can be noticed one call late.

export class TokenMeter {
  readonly #deps: Pick<ConversationDeps, 'settings'>;
  readonly #note: (spent: ModelUsage) => Promise<BudgetUse>;
  /** As far as known: the usage of other runs is learnt with each record. */
  #used: BudgetUse;
  #noting: Promise<void> = Promise.resolve();

  constructor(
    deps: Pick<ConversationDeps, 'settings'>,
    used: BudgetUse,
    note: (spent: ModelUsage) => Promise<BudgetUse>,
  ) {
    this.#deps = deps;
    this.#used = used;
    this.#note = note;
  }

  /** Rejects when a budget was used up by the previous call or is by this one; the usage is recorded in either case. */
  async add(spent: ModelUsage): Promise<void> {
    const before = this.#noting;
    this.#used = addUse(this.#used, spent);
    this.#noting = this.#add(spent);
    // The rejection is handled by whoever awaits `#noting`, at the latest at the end of the turn.
    this.#noting.catch(() => {});
    await before;
    if (conversationBudgetError(this.#deps, this.#used) !== null) await this.#noting;
  }

  /** Resolves when all usage is recorded. Rejects when a budget was used up. */
  settled(): Promise<void> {
    return this.#noting;
  }

  async #add(spent: ModelUsage): Promise<void> {
    const used = await this.#note(spent);
    const { tokens, micros } = this.#used.day;
    const day = {
      tokens: Math.max(used.day.tokens, tokens),
      micros: Math.max(used.day.micros, micros),
    };
    this.#used = { ...this.#used, day };
    const fault = conversationBudgetError(this.#deps, used);
    if (fault !== null) throw fault;
  }
}

const addUse = ({ conversation, day }: BudgetUse, spent: ModelUsage): BudgetUse => ({
  conversation: conversation + usedTokens(spent),
  day: { tokens: day.tokens + usedTokens(spent), micros: day.micros + spent.micros },
});

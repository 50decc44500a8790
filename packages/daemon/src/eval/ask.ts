// One question to the owner's model, without tools and remembered by nobody. What it costs counts towards
// the owner's day like everything that agents do, and ends when that is used up.
import { randomUUID } from 'node:crypto';
import { type DayUse, dayBudgetSpent } from '@relay/core/agent/budget';
import type { Labelled, Trusted } from '@relay/core/agent/labelled';
import { RelayError } from '@relay/core/errors';
import { INVENTED } from '@relay/core/eval/digest';
import { runId } from '@relay/core/ids';
import type { AgentSettings } from '@relay/core/settings';
import { sql } from 'kysely';
import type { Clock } from '../agent/clock.ts';
import type { ModelSource, OpenedModel } from '../agent/model.ts';
import { createAgentSession } from '../agent/session.ts';
import type { Reader } from '../store/database.ts';
import type { Lease } from '../store/lease.ts';
import { noteSpent, spentToday } from '../store/runs.ts';

export interface EvalWorld {
  readonly db: Reader;
  readonly lease: Lease;
  readonly now: () => Date;
  readonly zone: string;
  readonly models: ModelSource;
  readonly clock: Clock;
  readonly limits: AgentSettings;
}

export interface Question {
  readonly instructions: Trusted;
  readonly text: Labelled;
}

export interface Asking {
  /** The answer; null when none came though the model can be reached. Rejects when asking on is pointless. */
  ask(question: Question): Promise<string | null>;
  readonly spent: { calls: number; input_tokens: number; output_tokens: number };
}

export function asking(world: EvalWorld, model: OpenedModel, signal: AbortSignal): Asking {
  const { db, lease, limits, clock } = world;
  // Nobody's turn: the day's count takes it, and there is no row of `runs` for it.
  const run = runId(randomUUID());
  const spent = { calls: 0, input_tokens: 0, output_tokens: 0 };
  return {
    spent,
    async ask({ instructions, text }) {
      const session = createAgentSession({
        model,
        instructions,
        tools: [],
        limits,
        clock,
        hooks: {
          signal,
          read: INVENTED,
          reads: async () => {},
          spent: async (cost) => {
            spent.calls += 1;
            spent.input_tokens += cost.inputTokens;
            spent.output_tokens += cost.outputTokens;
            const spending = { run, clock: world, usedBefore: sql<number>`0` };
            const { day } = await noteSpent(db, lease, spending, cost);
            const fault = dayBudgetSpent(limits, day);
            if (fault !== null) throw fault;
          },
        },
      });
      try {
        return (await session.ask(instructions, text)).text;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RelayError && error.passes) return null;
        throw error;
      }
    },
  };
}

export async function leftToday(world: EvalWorld): Promise<number> {
  const { db, lease, limits } = world;
  const { rows } = await sql<{ day: DayUse }>`
    SELECT ${spentToday(lease.account, world)} AS day`.execute(db);
  return Math.max(0, limits.tokens_per_day - (rows[0]?.day.tokens ?? 0));
}

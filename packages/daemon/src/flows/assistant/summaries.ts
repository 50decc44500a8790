// Summaries for whoever asks beside the assistant's turns: the same question to the owner's model, without
// tools. What it costs counts towards the owner's day, and nothing is asked once that is used up.
import { type DayUse, dayBudgetSpent, NOTHING_USED } from '@relay/core/agent/budget';
import { trusted } from '@relay/core/agent/labelled';
import { UNTAINTED } from '@relay/core/policy/facts';
import type { Summaries } from '@relay/core/ports/summaries';
import { sql } from 'kysely';
import { readsOnly } from '../../agent/reads-only.ts';
import { createAgentSession } from '../../agent/session.ts';
import { noteAside, spentToday } from '../../store/runs.ts';
import { summarise } from '../../tools/assistant/summary.ts';
import type { AssistantWorld } from './world.ts';

export type SummaryWorld = Pick<
  AssistantWorld,
  'db' | 'lease' | 'now' | 'zone' | 'models' | 'clock' | 'settings'
>;

export function summaries(world: SummaryWorld): Summaries {
  const { db, lease, models, clock, settings } = world;
  return {
    async begin(by, chat, signal) {
      const taint = { ...UNTAINTED, chats: [chat] };
      const model = await models.open();
      const { rows } = await sql<{ day: DayUse }>`
        SELECT ${spentToday(lease.account, world)} AS day`.execute(db);
      const fault = dayBudgetSpent(settings.agent, rows[0]?.day ?? NOTHING_USED);
      if (fault !== null) throw fault;
      const session = createAgentSession({
        model,
        instructions: trusted(''),
        tools: [],
        limits: settings.agent,
        clock,
        hooks: {
          signal,
          ...readsOnly(chat),
          // An answer that is paid for is given, whatever is left of the day.
          spent: (spent) => noteAside(db, lease, { actor: by, clock: world, taint }, spent),
        },
      });
      return async (name, lines) => (await summarise(session, name, lines, taint)).text;
    },
  };
}

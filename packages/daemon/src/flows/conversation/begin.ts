// The beginning of a turn, one transaction: is it still wanted, is it allowed, and what may the agent know?
// Nothing here is lost when the turn is: whatever it reads it finds again when it is taken anew.
import type { ConversationEvent } from '@relay/core/conversation/events';
import type { TurnPurpose } from '@relay/core/conversation/turns';
import { purposeNow } from '@relay/core/conversation/turns';
import { together, UNTAINTED } from '@relay/core/policy/facts';
import type { TurnContext } from '@relay/core/ports/turn';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import { beginRun } from '../../store/runs.ts';
import { taintOfAuthors } from '../../store/taint.ts';
import { apply } from './apply.ts';
import type { Used } from './budget.ts';
import { overBudget } from './budget.ts';
import { park } from './hold.ts';
import type { InstanceRow } from './rows.ts';
import { linesOf, toTranscript } from './rows.ts';
import { lookBack } from './runs.ts';
import type { Wake } from './wake.ts';
import { lockIfCurrent } from './wake.ts';
import type { ConversationWorld } from './work.ts';

/** How a turn begins in each state that can have one. Only the first try finds the state before ACTIVE. */
const BEGINNINGS: Partial<Record<InstanceRow['state'], readonly ConversationEvent[]>> = {
  CREATED: [{ type: 'agent_sends_first_message' }],
  WAITING_FOR_AGENT: [{ type: 'agent_processes_reply' }],
  ACTIVE: [{ type: 'turn_begins' }],
  HEARTBEAT_SCHEDULED: [],
};

export interface Begun {
  readonly context: TurnContext;
  /** Before this turn. */
  readonly used: Used;
}

/** Null when there is nothing to think about; the job is settled then. */
export function begin(
  world: ConversationWorld,
  job: Wake,
  purpose: TurnPurpose,
): Promise<Begun | null> {
  return inOneTransaction(world, async (work) => {
    const row = await lockIfCurrent(world, work, job);
    if (row === null) return null;
    const beginning = BEGINNINGS[row.state];
    if (beginning === undefined) {
      await job.complete(work.tx);
      return null;
    }
    // The acknowledgement of what is unsent asks for this turn again.
    if (row.held || row.unsent) {
      await park(world, work, job, row);
      return null;
    }
    const before = await lookBack(work.tx, world, row);
    const spent = overBudget(world, before);
    if (spent !== null) {
      const reason = spent.message;
      await apply(world, work, row, [...beginning, { type: 'request_intervention', reason }]);
      await job.complete(work.tx);
      return null;
    }
    if (beginning.length > 0) await apply(world, work, row, beginning);
    return { context: await contextOf(work, row, purpose, before.readUpTo), used: before };
  });
}

async function contextOf(
  work: Work,
  row: InstanceRow,
  asked: TurnPurpose,
  readUpTo: number,
): Promise<TurnContext> {
  const lines = await linesOf(work.tx, row.account_id, row.id)
    .where('m.id', '>', row.summary_up_to ?? 0)
    .orderBy('m.id')
    .execute();
  const unread = lines.filter(({ role, id }) => role === 'contact' && id > readUpTo).length;
  const isSaid = ({ role, delivery }: (typeof lines)[number]) =>
    (role === 'agent' || role === 'manual') && delivery !== 'failed';
  const spoken = row.summary_up_to !== null || lines.some(isSaid);
  const taskFrom = await taintOfAuthors(work.tx, row.account_id, [row.created_by]);
  const taint = together(taskFrom, { ...UNTAINTED, chats: [row.chat_id] });
  return {
    instance: row.id,
    chat: row.chat_id,
    taint,
    taskFrom,
    run: await beginRun(work.tx, {
      account: row.account_id,
      actor: `conversation:${row.id}`,
      of: { instance: row.id },
      epoch: row.epoch,
      readUpTo: lines.at(-1)?.id ?? row.summary_up_to,
      taint,
    }),
    purpose: purposeNow(asked, { spoken, unread }),
    objective: row.objective,
    todos: row.todos,
    facts: row.options.facts ?? [],
    summary: row.summary,
    transcript: lines.map(toTranscript),
    unread,
    followUpCount: row.follow_up_count,
    maxFollowups: row.max_followups,
  };
}

// A wake-up of one conversation: a heartbeat that is due, or a turn of its agent. The model runs between
// two transactions, never inside one; what it wanted counts only if nothing overtook it meanwhile.
import { randomUUID } from 'node:crypto';
import type { ConversationEvent } from '@relay/core/conversation/events';
import { legalEvents } from '@relay/core/conversation/table';
import type { TurnPurpose } from '@relay/core/conversation/transition';
import { RelayError } from '@relay/core/errors';
import type { InstanceId, MessageId } from '@relay/core/ids';
import { runId } from '@relay/core/ids';
import type { TakeTurn, TurnContext, TurnOutcome } from '@relay/core/ports/turn';
import type { Job } from '../../jobs/worker.ts';
import { apply } from './apply.ts';
import type { InstanceRow } from './rows.ts';
import { lockInstance, toTranscript } from './rows.ts';
import type { ConversationWorld, Work } from './work.ts';
import { inOneTransaction } from './work.ts';

type Wake = Job<'conversation'>;

export function onWake(world: ConversationWorld, takeTurn: TakeTurn) {
  return async (job: Wake, signal: AbortSignal): Promise<void> => {
    const { wake } = job.data;
    if (wake === 'heartbeat') return fireHeartbeat(world, job);
    if (wake === 'undelivered') return failUndelivered(world, job);
    const context = await begin(world, job, wake);
    if (context === null) return;
    const outcome = await takeTurn(context, { signal, spent: async () => {} }).catch(
      (error: unknown) => afterFailure(world, job, error),
    );
    await finish(world, job, context, outcome);
  };
}

/** Tried once more, then a person is asked; a failure that will not pass by itself is not tried again. */
function afterFailure(world: ConversationWorld, job: Wake, error: unknown): TurnOutcome {
  const known = error instanceof RelayError ? error : null;
  if (job.attempt < 2 && (known === null || known.passes)) throw error;
  world.log.error('the agent failed', { instance: job.data.subject, error });
  if (known !== null) return { messages: [], intervene: known.message };
  return {
    messages: [],
    intervene: 'The agent failed twice in a row. Resume it to let it try again.',
  };
}

/** Locks the conversation if the wake-up still means it; a stale one is settled and discarded. */
async function lockIfCurrent(
  world: ConversationWorld,
  work: Work,
  job: Wake,
): Promise<InstanceRow | null> {
  const row = await lockInstance(work.tx, world.lease, job.data.subject);
  if (row.epoch === job.data.epoch) return row;
  await job.complete(work.tx);
  work.told.push(() =>
    world.log.warn('stale wake-up discarded', {
      instance: row.id,
      state: row.state,
      event: job.data.wake,
    }),
  );
  return null;
}

function fireHeartbeat(world: ConversationWorld, job: Wake): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const row = await lockIfCurrent(world, work, job);
    if (row === null) return;
    await apply(world, work, row, [{ type: 'heartbeat_fires' }]);
    await job.complete(work.tx);
  });
}

/** A message that will never arrive ends the conversation, unless it is over or its owner has it. */
function failUndelivered(world: ConversationWorld, job: Wake): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const row = await lockInstance(work.tx, world.lease, job.data.subject);
    const undelivered = await work.tx
      .selectFrom('outbox')
      .select('failure')
      .where('account_id', '=', world.lease.account)
      .where('id', '=', job.data.message ?? null)
      .where('state', '=', 'failed')
      .executeTakeFirst();
    if (undelivered !== undefined && legalEvents(row.state).includes('unrecoverable_error')) {
      const reason = undelivered.failure ?? 'A message could not be delivered.';
      await apply(world, work, row, [{ type: 'unrecoverable_error', reason }]);
    }
    await job.complete(work.tx);
  });
}

/** How a turn begins in each state that can have one. Only the first try finds the state before ACTIVE. */
const BEGINNINGS: Partial<Record<InstanceRow['state'], ConversationEvent | null>> = {
  CREATED: { type: 'agent_sends_first_message' },
  WAITING_FOR_AGENT: { type: 'agent_processes_reply' },
  ACTIVE: { type: 'turn_begins' },
  HEARTBEAT_SCHEDULED: null,
};

function begin(
  world: ConversationWorld,
  job: Wake,
  purpose: TurnPurpose,
): Promise<TurnContext | null> {
  return inOneTransaction(world, async (work) => {
    const row = await lockIfCurrent(world, work, job);
    if (row === null) return null;
    const beginning = BEGINNINGS[row.state];
    if (beginning === undefined) {
      await job.complete(work.tx);
      return null;
    }
    if (beginning !== null) await apply(world, work, row, [beginning]);
    return contextOf(work, row, purpose);
  });
}

async function contextOf(work: Work, row: InstanceRow, purpose: TurnPurpose): Promise<TurnContext> {
  const messages = await work.tx
    .selectFrom('instance_messages')
    .selectAll()
    .where('account_id', '=', row.account_id)
    .where('instance_id', '=', row.id)
    .orderBy('id')
    .execute();
  return {
    instance: row.id,
    run: runId(randomUUID()),
    purpose,
    objective: row.objective,
    todos: row.todos,
    facts: row.options.facts ?? [],
    summary: row.summary,
    transcript: messages.map(toTranscript),
    unread: row.unread,
    followUpCount: row.follow_up_count,
    maxFollowups: row.max_followups,
  };
}

function finish(
  world: ConversationWorld,
  job: Wake,
  context: TurnContext,
  outcome: TurnOutcome,
): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const row = await lockIfCurrent(world, work, job);
    if (row === null) return;
    await saveTodos(work, row, outcome);
    await apply(world, work, row, eventsOf(context, outcome));
    await job.complete(work.tx);
  });
}

/** What the agent wanted, as events, in the only order the machine allows. */
function eventsOf(context: TurnContext, outcome: TurnOutcome): ConversationEvent[] {
  const { messages: texts, nextHeartbeatMs, end, intervene } = outcome;
  if (intervene !== undefined) return [{ type: 'request_intervention', reason: intervene, texts }];
  const events: ConversationEvent[] = [];
  const delay = nextHeartbeatMs === undefined ? {} : { nextHeartbeatMs };
  if (texts.length > 0) {
    const type = context.purpose === 'follow_up' ? 'followup_sent' : 'message_sent';
    events.push({ type, texts, ...delay });
  } else if (nextHeartbeatMs !== undefined && end === undefined) {
    events.push({ type: 'schedule_next_heartbeat', delayMs: nextHeartbeatMs });
  }
  if (end !== undefined) events.push({ type: 'end_conversation', reason: end });
  if (events.length > 0) return events;
  return [
    {
      type: 'request_intervention',
      reason: 'The agent had nothing to say. Resume it or write yourself.',
    },
  ];
}

async function saveTodos(work: Work, row: InstanceRow, outcome: TurnOutcome): Promise<void> {
  if (outcome.todos === undefined || outcome.todos.length === 0) return;
  const status = new Map(outcome.todos.map((todo) => [todo.id, todo.status]));
  const todos = row.todos.map((todo) => ({ ...todo, status: status.get(todo.id) ?? todo.status }));
  await work.tx
    .updateTable('instances')
    .set({ todos: JSON.stringify(todos) })
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .execute();
}

/** A message of the contact: into the transcript in every state, and to the agent when it is its turn. */
export async function hearContact(
  world: ConversationWorld,
  work: Work,
  id: InstanceId,
  content: string,
  messageId: MessageId,
): Promise<void> {
  const row = await lockInstance(work.tx, world.lease, id);
  await work.tx
    .insertInto('instance_messages')
    .values({
      account_id: row.account_id,
      instance_id: id,
      role: 'contact',
      content,
      message_id: messageId,
    })
    .execute();
  await apply(world, work, row, [{ type: 'contact_replies' }]);
}

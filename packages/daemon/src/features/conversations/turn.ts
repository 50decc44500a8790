// Runs the turns of a conversation's agent. The model runs between two transactions, never inside one; its outcome
// counts only if nothing overtook the turn, and whatever overtakes a turn aborts it.

import type { OutgoingContent } from '@relay/contract/api/outgoing';
import {
  isTerminal,
  TURN_PURPOSES,
  TURN_STATES,
  type TurnPurpose,
  WAITS_FOR_APPROVAL,
} from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import { type InstanceId, mediaId, type RunId } from '@relay/contract/ids';
import { type ConversationEvent, legalEvents } from '@relay/core/conversation/transition-table';
import { withContent } from '@relay/core/messages/outgoing';
import { toStorableValue } from '@relay/core/messages/text';
import { REASONS, reasonText } from '@relay/core/policy/reasons';
import type {
  TakeTurn,
  ToolCallRecord,
  TurnContext,
  TurnOutcome,
} from '@relay/core/ports/agent-turn';
import { sql } from 'kysely';
import type { OnRelease } from '../../pipeline/gate/approvals.ts';
import type { EvaluatedProposal } from '../../pipeline/gate/gate.ts';
import { resolveContent } from '../../pipeline/gate/outgoing-request.ts';
import { hasUnsent } from '../../pipeline/gate/withdrawals.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { findMedia } from '../../platform/db/media.ts';
import { waitForMedia } from '../../platform/db/message-text.ts';
import { endRun, saveRunTaint } from '../../platform/db/runs.ts';
import {
  TransactionConflict,
  transaction,
  type UnitOfWork,
} from '../../platform/db/transaction.ts';
import type { Job } from '../../platform/jobs/queue-worker.ts';
import { type InstanceRow, lockInstance, lockInstanceUnderHold } from './sql.ts';
import {
  addTurnUsage,
  type BudgetUse,
  conversationBudgetError,
  countFailuresInEpoch,
  readPastUse,
  TokenMeter,
} from './token-budget.ts';
import {
  appendTranscriptLine,
  applyEvents,
  type ConversationDeps,
  enqueueTurns,
  evaluateText,
} from './transitions.ts';
import { beginRunWithContext } from './turn-context.ts';

export function onConversationJob(deps: ConversationDeps, takeTurn: TakeTurn) {
  return async (job: ConversationJob, stop: AbortSignal): Promise<void> => {
    const { wake, subject, epoch } = job.data;
    if (wake === 'heartbeat') return fireHeartbeat(deps, job);
    if (wake === 'undelivered') return failUndelivered(deps, job);
    if (wake === 'acknowledged') return acknowledgeSent(deps, job);
    const turn = deps.running.start(subject, epoch, stop);
    try {
      await waitForMedia(deps, selectChatOfInstance(deps, subject), turn.signal);
      const begun = await beginConversationTurn(deps, job, wake);
      if (begun === null) return;
      const { context } = begun;
      const thought = await runAgent(deps, takeTurn, begun, turn.signal);
      turn.end();
      if (thought === 'ended') return await discardTurn(deps, job, context);
      if ('failed' in thought) return await failTurn(deps, job, context, thought.failed);
      await finishTurn(deps, job, context, thought);
    } finally {
      turn.end();
    }
  };
}

const selectChatOfInstance = ({ db, lease: { account } }: ConversationDeps, id: InstanceId) =>
  db
    .selectFrom('instances')
    .select('chat_id')
    .where('account_id', '=', account)
    .where('id', '=', id);

/** Returns as soon as the signal aborts, even if the agent ignores it. */
async function runAgent(
  deps: ConversationDeps,
  takeTurn: TakeTurn,
  { context, usedBefore }: BegunTurn,
  signal: AbortSignal,
): Promise<TurnOutcome | { readonly failed: unknown } | 'ended'> {
  if (signal.aborted) return 'ended';
  const ended = Promise.withResolvers<'ended'>();
  signal.addEventListener('abort', () => ended.resolve('ended'), { once: true });
  const { instance: id, run } = context;
  const tab = new TokenMeter(deps, usedBefore, (spent) => addTurnUsage(deps, { id, run }, spent));
  const outcome = Promise.resolve()
    .then(() =>
      takeTurn(context, {
        signal,
        onUsage: (spent) => tab.add(spent),
        beforeReading: (taint) =>
          transaction(deps, ({ tx }) => saveRunTaint(tx, deps.lease.account, run, taint)),
      }),
    )
    .finally(() => tab.settled())
    .catch((error: unknown) => (signal.aborted ? ('ended' as const) : { failed: error }));
  return Promise.race([outcome, ended.promise]);
}

// Beginning of a turn, in one transaction: checks that it is still wanted and allowed, and reads the agent's context.

/** The events that begin a turn in each state that can have one. A retry finds the state ACTIVE already. */
const BEGIN_EVENTS: Partial<Record<InstanceRow['state'], readonly ConversationEvent[]>> = {
  CREATED: [{ type: 'agent_sends_first_message' }],
  WAITING_FOR_AGENT: [{ type: 'agent_processes_reply' }],
  ACTIVE: [{ type: 'turn_begins' }],
  HEARTBEAT_SCHEDULED: [],
};

interface BegunTurn {
  readonly context: TurnContext;
  /** Usage before this turn. */
  readonly usedBefore: BudgetUse;
}

/** Null when no turn is needed; the job is completed then. */
function beginConversationTurn(
  deps: ConversationDeps,
  job: ConversationJob,
  purpose: TurnPurpose,
): Promise<BegunTurn | null> {
  return transaction(deps, async (work) => {
    const row = await lockIfCurrent(deps, work, job);
    if (row === null) return null;
    const beginning = BEGIN_EVENTS[row.state];
    if (beginning === undefined) {
      await job.complete(work.tx);
      return null;
    }
    // The acknowledgement of the unsent message queues this turn again.
    if (row.held || row.unsent) {
      await parkTurn(deps, work, job, row);
      return null;
    }
    const usedBefore = await readPastUse(work.tx, deps, row);
    const spent = conversationBudgetError(deps, usedBefore);
    if (spent !== null) {
      const reason = spent.message;
      await applyEvents(deps, work, row, [...beginning, { type: 'request_intervention', reason }]);
      await job.complete(work.tx);
      return null;
    }
    if (beginning.length > 0) await applyEvents(deps, work, row, beginning);
    return {
      context: await beginRunWithContext(work, row, purpose, usedBefore.readUpTo),
      usedBefore,
    };
  });
}

// End of a turn, in one transaction: the outcome becomes events and is written with them: todos, summary, tool calls,
// the run's end, messages, timer, job. Either all of it or none.

function finishTurn(
  deps: ConversationDeps,
  job: ConversationJob,
  context: TurnContext,
  outcome: TurnOutcome,
): Promise<void> {
  return transaction(deps, async (work) => {
    const row = await lockIfCurrent(deps, work, job);
    if (row === null) return endRun(work.tx, deps.lease.account, context.run, 'discarded');
    if (row.held) {
      await endRun(work.tx, deps.lease.account, context.run, 'discarded');
      return parkTurn(deps, work, job, row);
    }
    const { run, purpose } = context;
    const followUp = purpose === 'follow_up';
    const wanted = toStorableOutcome(outcome);
    await saveSummary(work, row, wanted);
    await endRunWithCalls(deps, work, row, run, wanted.calls ?? []);
    await job.complete(work.tx);
    const speeches = await speechesOf(work.tx, row, wanted);
    if (speeches === null) {
      const reason = FILE_GONE;
      await applyEvents(deps, work, row, [{ type: 'request_intervention', reason }]);
      return;
    }
    const said = speeches.map(({ text, content }) => withContent(text, content));
    const decided = await evaluateSpeeches(deps, work, row, speeches, { followUp, run });
    const { allowed: evaluated, refused } = decided;
    const progress = { ...todosAfterTurn(row, wanted), result: wanted.result, evaluated };
    if (refused === null) {
      await applyEvents(deps, work, row, eventsOf(context, wanted, said), progress);
      return;
    }
    const texts = said.slice(0, evaluated.length);
    const intervention = [{ type: 'request_intervention', reason: refused.reason, texts }] as const;
    await applyEvents(deps, work, row, intervention, progress);
    // Writes the ledger entry and, if the owner may allow it, an approval.
    const { decision } = await refused.evaluated.submit();
    const content = `Not sent: ${REASONS[decision.reason].sentence}`;
    await appendTranscriptLine(work, row, { role: 'system', content });
  });
}

/** If overtaken, the outcome and the job are dropped. If only the daemon stops, the job stays for its next start. */
async function discardTurn(
  deps: ConversationDeps,
  job: ConversationJob,
  { run }: TurnContext,
): Promise<void> {
  const overtaken = await transaction(deps, async (work) => {
    await endRun(work.tx, deps.lease.account, run, 'discarded');
    return (await lockIfCurrent(deps, work, job)) === null;
  });
  if (!overtaken) throw new Error('the daemon stopped in the middle of a turn');
}

/** Retries once, then asks the owner; an error that says what it needs is not retried. */
async function failTurn(
  deps: ConversationDeps,
  job: ConversationJob,
  { run }: TurnContext,
  error: unknown,
): Promise<void> {
  const isRelayError = error instanceof RelayError;
  const again = await transaction(deps, async (work) => {
    const row = await lockIfCurrent(deps, work, job);
    const failure = isRelayError ? error.message : error instanceof Error ? error.name : 'failed';
    await endRun(work.tx, deps.lease.account, run, row === null ? 'discarded' : 'failed', failure);
    if (row === null) return false;
    const mayPass = !isRelayError || error.isRetryable;
    if (mayPass && (await countFailuresInEpoch(work.tx, row)) < 2) return true;
    const reason = isRelayError
      ? error.message
      : 'The agent failed twice in a row. Resume it to try again.';
    work.afterCommit.push(() =>
      deps.log.error('agent turn failed', { instance: row.id, run, error }),
    );
    await applyEvents(deps, work, row, [{ type: 'request_intervention', reason }]);
    await job.complete(work.tx);
    return false;
  });
  if (again) throw error;
}

/** A message of the agent: a text, or a file with its caption. */
interface AgentSpeech {
  readonly text: string;
  readonly content?: OutgoingContent;
}

const FILE_GONE =
  'The agent wanted to send a file that is not attached, or is not stored any more, so nothing was sent. Resume it or write yourself.';

/** The agent names a file by its place; which file that is, the owner has said. Null if one is not there. */
async function speechesOf(
  tx: Transaction,
  row: InstanceRow,
  { messages, attached = [] }: TurnOutcome,
): Promise<readonly AgentSpeech[] | null> {
  const speeches: AgentSpeech[] = [];
  for (const [at, text] of messages.entries()) {
    const place = attached[at] ?? null;
    const id = place === null ? undefined : row.options.media?.[place - 1];
    if (place === null) {
      speeches.push({ text });
      continue;
    }
    const media = id === undefined ? null : await findMedia(tx, row.account_id, mediaId(id));
    if (media?.sha256 == null || media.mime_type === null) return null;
    const { kind } = media;
    const request = {
      kind: 'media',
      id: media.id,
      as: kind === 'sticker' ? 'document' : kind,
    } as const;
    const lookup = { account: row.account_id, chat: row.chat_id };
    speeches.push({ text, ...(await resolveContent(tx, lookup, request)) });
  }
  return speeches;
}

interface EvaluatedTexts {
  readonly allowed: readonly EvaluatedProposal[];
  /** The first text that the gate does not allow; later texts are not sent either. */
  readonly refused: { readonly evaluated: EvaluatedProposal; readonly reason: string } | null;
}

async function evaluateSpeeches(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  speeches: readonly AgentSpeech[],
  { followUp, run }: { readonly followUp: boolean; readonly run: TurnContext['run'] },
): Promise<EvaluatedTexts> {
  const allowed: EvaluatedProposal[] = [];
  for (const [at, said] of speeches.entries()) {
    const speech = { role: 'agent', ...said, followUp } as const;
    const earlierInTurn = speeches.slice(0, at).map(({ text }) => text);
    const evaluated = await evaluateText(deps, work, row, speech, { earlierInTurn, run });
    const { outcome, reason } = evaluated.decision;
    if (outcome !== 'allow') {
      // A hold has just begun: the turn is parked and the owner need not be asked.
      if (reason === 'hold') throw new TransactionConflict('a hold began');
      const sentence = outcome === 'deny' ? reasonText(reason) : WAITS_FOR_APPROVAL;
      return { allowed, refused: { evaluated, reason: sentence } };
    }
    allowed.push(evaluated);
  }
  return { allowed, refused: null };
}

/** The outcome as events, in the only order the state machine allows. */
function eventsOf(
  context: TurnContext,
  outcome: TurnOutcome,
  texts: readonly string[],
): readonly ConversationEvent[] {
  const { nextHeartbeatMs, endReason, interventionReason } = outcome;
  if (interventionReason !== undefined)
    return [{ type: 'request_intervention', reason: interventionReason, texts }];
  const events: ConversationEvent[] = [];
  const delay = nextHeartbeatMs === undefined ? {} : { nextHeartbeatMs };
  if (texts.length > 0) {
    const type = context.purpose === 'follow_up' ? 'followup_sent' : 'message_sent';
    events.push({ type, texts, ...delay });
  } else if (nextHeartbeatMs !== undefined && endReason === undefined) {
    events.push({ type: 'schedule_next_heartbeat', delayMs: nextHeartbeatMs });
  }
  if (endReason !== undefined) events.push({ type: 'end_conversation', reason: endReason });
  if (events.length > 0) return events;
  return [
    {
      type: 'request_intervention',
      reason: 'The agent gave no answer. Resume it or write yourself.',
    },
  ];
}

// What a turn stores besides its messages: todos, a new summary, and each tool call once. Model output is made storable
// here, before any of it is used.

/** The outcome, safe to store and send. */
const toStorableOutcome = (outcome: TurnOutcome): TurnOutcome =>
  toStorableValue(outcome) as TurnOutcome;

/** The todos after the turn; no field if it marked none. */
function todosAfterTurn(
  row: InstanceRow,
  { todos: marked = [] }: TurnOutcome,
): { readonly todos?: InstanceRow['todos'] } {
  if (marked.length === 0) return {};
  const status = new Map(marked.map((todo) => [todo.id, todo.status]));
  return {
    todos: row.todos.map((todo) => ({ ...todo, status: status.get(todo.id) ?? todo.status })),
  };
}

/** Runs before the gate is asked, because a summary is as private as what it summarises. */
async function saveSummary(
  work: UnitOfWork,
  row: InstanceRow,
  { summary }: TurnOutcome,
): Promise<void> {
  if (summary === undefined) return;
  await work.tx
    .updateTable('instances')
    .set({ summary: summary.text, summary_up_to: Number(summary.upTo) })
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .execute();
}

/** Ends the run and stores its tool calls. */
async function endRunWithCalls(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  run: RunId,
  calls: readonly ToolCallRecord[],
): Promise<void> {
  // The same id is the same call: a repeated call is stored once.
  await sql`
    WITH ended AS (UPDATE runs SET state = 'done', failure = NULL, ended_at = now()
      WHERE account_id = ${row.account_id} AND id = ${run})
    INSERT INTO tool_calls (account_id, run_id, call_id, name, arguments, result)
    SELECT ${row.account_id}::bigint, ${run}::uuid, * FROM unnest(
      ${calls.map(({ id }) => id)}::text[], ${calls.map(({ name }) => name)}::text[],
      ${calls.map((call) => JSON.stringify(call.arguments ?? null))}::jsonb[],
      ${calls.map(({ result }) => JSON.stringify(result))}::jsonb[])
    ON CONFLICT (account_id, run_id, call_id) DO NOTHING`.execute(work.tx);
  work.afterCommit.push(() => {
    for (const { name } of calls)
      deps.log.debug('tool call', { instance: row.id, run, event: name });
  });
}

// Jobs of a conversation other than turns: stale wake-ups, a heartbeat that is due, a message that was sent, and one
// that will never be delivered. Each is one transaction that also completes the job.

type ConversationJob = Job<'conversation'>;

/** Locks the conversation if the wake-up is of its current epoch; completes and drops a stale one. */
async function lockIfCurrent(
  deps: ConversationDeps,
  work: UnitOfWork,
  job: ConversationJob,
): Promise<(InstanceRow & { readonly held: boolean }) | null> {
  const row = await lockInstanceUnderHold(work.tx, deps.lease, job.data.subject);
  if (row.epoch === job.data.epoch) return row;
  await job.complete(work.tx);
  work.afterCommit.push(() =>
    deps.log.warn('stale wake-up discarded', {
      instance: row.id,
      state: row.state,
      event: job.data.wake,
    }),
  );
  return null;
}

function fireHeartbeat(deps: ConversationDeps, job: ConversationJob): Promise<void> {
  return transaction(deps, async (work) => {
    const row = await lockIfCurrent(deps, work, job);
    if (row === null) return;
    await applyEvents(deps, work, row, [{ type: 'heartbeat_fires' }]);
    await job.complete(work.tx);
  });
}

/** WhatsApp acknowledged a message, or it was withdrawn: once none is unsent, the follow-up clock starts. */
function acknowledgeSent(deps: ConversationDeps, job: ConversationJob): Promise<void> {
  return transaction(deps, async (work) => {
    const row = await lockInstance(work.tx, deps.lease, job.data.subject);
    const { account } = deps.lease;
    if (row.unsent && !isTerminal(row.state) && !(await hasUnsent(work.tx, account, row.id))) {
      const at = (await lastSentAt(work, row)) ?? deps.now();
      await applyEvents(deps, work, row, [{ type: 'messages_acknowledged', at }]);
    }
    await job.complete(work.tx);
  });
}

async function lastSentAt({ tx }: UnitOfWork, row: InstanceRow): Promise<Date | null> {
  const { at } = await tx
    .selectFrom('outbox as o')
    .innerJoin('instance_messages as m', (join) =>
      join.onRef('m.account_id', '=', 'o.account_id').onRef('m.outbox_id', '=', 'o.id'),
    )
    .select(({ fn }) => fn.max('o.sent_at').as('at'))
    .where('m.account_id', '=', row.account_id)
    .where('m.instance_id', '=', row.id)
    .executeTakeFirstOrThrow();
  return at;
}

/**
 * A message that will never be delivered ends its conversation. One that has ended or is paused stays as it is; its
 * transcript has shown the failure since the outbox gave up.
 */
function failUndelivered(deps: ConversationDeps, job: ConversationJob): Promise<void> {
  return transaction(deps, async (work) => {
    const row = await lockInstance(work.tx, deps.lease, job.data.subject);
    const undelivered = await work.tx
      .selectFrom('outbox')
      .select('failure')
      .where('account_id', '=', deps.lease.account)
      .where('id', '=', job.data.message ?? null)
      .where('state', '=', 'failed')
      .executeTakeFirst();
    if (undelivered !== undefined && legalEvents(row.state).includes('unrecoverable_error')) {
      const reason = undelivered.failure ?? 'A message could not be delivered.';
      await applyEvents(deps, work, row, [{ type: 'unrecoverable_error', reason }]);
    }
    await job.complete(work.tx);
  });
}

// During a hold no agent runs: a turn that would begin or finish then is parked. That needs no record, because the
// conversation's state shows that it needs a turn. Ending the hold queues all of these turns.

/**
 * The hold's row is locked until the commit, so a release either waits for this transaction or was waited for and is
 * seen here.
 */
async function parkTurn(
  deps: ConversationDeps,
  work: UnitOfWork,
  job: Job<'conversation'>,
  row: InstanceRow,
): Promise<void> {
  await job.complete(work.tx);
  work.afterCommit.push(() => {
    deps.log.info('turn postponed', { instance: row.id, state: row.state, event: job.data.wake });
  });
}

/**
 * Called in the transaction that ends a hold, once its row is locked or gone. A turn that is queued twice runs once.
 */
async function enqueueParkedTurns(deps: ConversationDeps, work: UnitOfWork): Promise<void> {
  const parked = await work.tx
    .selectFrom('instances')
    .select(['id', 'epoch', 'state'])
    .where('account_id', '=', deps.lease.account)
    .where('state', 'in', TURN_STATES)
    .orderBy('queue_seq')
    .execute();
  await enqueueTurns(
    deps,
    work,
    parked.map(({ id, epoch, state }) => ({
      id,
      epoch,
      purpose: TURN_PURPOSES[state] ?? 'continue',
    })),
  );
}

export const resumeTurnsOnRelease =
  (deps: ConversationDeps): OnRelease =>
  (work) =>
    enqueueParkedTurns(deps, work);

// Applies transitions: the pure state machine decides, and the row, log, permits, messages, timer, jobs and stream
// event are all written in the caller's transaction.

import type { OutgoingContent } from '@relay/contract/api/outgoing';
import {
  findResultProblems,
  formatProblem,
  type ResultStatus,
} from '@relay/contract/conversation/result';
import {
  isTerminal,
  STATE_SENTENCES,
  TURN_PURPOSES,
  type TurnPurpose,
  WAITS_FOR_APPROVAL,
} from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import type { InstanceId, MessageId } from '@relay/contract/ids';
import type { Settings } from '@relay/contract/settings';
import {
  type ConversationEffect,
  conversationNotice,
  type Instance,
  type OwnerNews,
  type StateStep,
  settleEffects,
  transition,
  type WithdrawalReason,
} from '@relay/core/conversation/transition';
import { type ConversationEvent, EVENT_PHRASES } from '@relay/core/conversation/transition-table';
import type { Actor } from '@relay/core/policy/actors';
import type { TurnResult } from '@relay/core/ports/agent-turn';
import { type RawBuilder, sql } from 'kysely';
import type { SubmitContext } from '../../pipeline/gate/evaluate.ts';
import { type EvaluatedProposal, type Gate, notifyOwner } from '../../pipeline/gate/gate.ts';
import {
  hasUnsent,
  type WithdrawalResult,
  withdrawFromConversation,
} from '../../pipeline/gate/withdrawals.ts';
import type { NewEvent } from '../../platform/db/events.ts';
import type { UnitOfWork } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import { clearTimerSql, setTimerSql } from '../../platform/jobs/timers.ts';
import { suspendedSince } from './follow-up-clock.ts';
import {
  type InstanceMessageRow,
  type InstanceRow,
  lockInstance,
  type ResultColumns,
  saveInstance,
  type TranscriptLineRow,
  toColumns,
  toInstance,
} from './sql.ts';

export interface AppliedTransition {
  readonly row: InstanceRow;
  readonly instance: Instance;
  /** The lines written to the transcript, in order. */
  readonly lines: readonly TranscriptLineRow[];
}

interface ApplyOptions {
  /** The texts that the events send, in their order: already allowed, and submitted here. */
  readonly evaluated?: readonly EvaluatedProposal[];
  /** The todos after the turn. */
  readonly todos?: InstanceRow['todos'];
  /** What the agent gave when it ended the conversation. */
  readonly result?: TurnResult | undefined;
  /** The client that causes the events. */
  readonly by?: string;
}

/** Applies the events one after the other to a row that is already locked. */
export async function applyEvents(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  events: readonly ConversationEvent[],
  { todos, by, result, evaluated = [] }: ApplyOptions = {},
): Promise<AppliedTransition> {
  const now = deps.now();
  const before = toInstance(row);
  const decided = await decideTransition(deps, work, row, events, now);
  const { steps } = decided;
  let { instance } = decided;
  let settled = settleEffects(decided.effects);
  const withdrawn = await withdrawMessages(deps, work, row, settled, now);
  if (withdrawn !== null && withdrawn.count > 0) {
    const isLeft = settled.some(({ kind }) => kind === 'send');
    const unsent = isLeft || (await hasUnsent(work.tx, deps.lease.account, row.id));
    instance = { ...instance, unsent };
    if (!unsent) settled = withTurn(settled, instance);
  }
  const started = settled.find(({ kind }) => kind === 'start_timer');
  const timerSetAt = started?.kind === 'start_timer' ? started.from : row.timer_set_at;
  const changed: NewEvent = {
    kind: 'conversation',
    subject: row.id,
    data: { state: instance.state, from: before.state, trigger: events.at(-1)?.type },
  };
  const settledResult = settleResult(row, instance, events, result);
  await saveInstance(work.tx, deps.lease, instance, now, {
    steps,
    by,
    todos,
    result: settledResult,
    timer: timerStatement(deps, work, instance, settled),
    timerSetAt,
    events: [...ownerEvents(row, instance, settled), changed],
  });
  logSteps(deps, work, instance, steps);
  for (const effect of settled) await carryOutEffect(deps, work, row, instance, effect);
  await withdrawn?.record();
  const lines = await sendMessages(deps, work, row, instance, settled, evaluated);
  work.afterCommit.push(() => deps.running.overtake(row.id, instance.epoch));
  const saved = {
    ...toColumns(instance),
    ...settledResult,
    timer_set_at: timerSetAt,
    updated_at: now,
  };
  return { row: { ...row, ...saved }, instance, lines };
}

/**
 * The result that is written with the end of a conversation. The agent's value is checked here, whatever was checked
 * before. A conversation that is reopened keeps its result until its agent ends it again.
 */
function settleResult(
  { result_schema: schema, result_status: status }: InstanceRow,
  { state, reason }: Instance,
  events: readonly ConversationEvent[],
  given: TurnResult | undefined,
): ResultColumns | undefined {
  const without = (result_status: ResultStatus, result_reason: string): ResultColumns => ({
    result_status,
    result: null,
    result_reason,
  });
  if (schema === null || !isTerminal(state)) return undefined;
  if (!events.some(({ type }) => type === 'end_conversation')) {
    return status === 'pending' ? without('none', reason ?? STATE_SENTENCES[state]) : undefined;
  }
  if (given === undefined)
    return without('missing', 'The agent ended the conversation without a result.');
  const problems =
    'value' in given ? findResultProblems(schema, given.value).map(formatProblem) : given.problems;
  return problems.length === 0 && 'value' in given
    ? { result_status: 'valid', result: given.value, result_reason: null }
    : without('invalid', `The agent's result does not match the schema: ${problems.join('; ')}.`);
}

interface DecidedTransition {
  readonly instance: Instance;
  readonly steps: readonly StateStep[];
  readonly effects: readonly ConversationEffect[];
}

async function decideTransition(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  events: readonly ConversationEvent[],
  now: Date,
): Promise<DecidedTransition> {
  const decided = runTransitions(deps, row, events, now);
  if (row.timer_due_at === null || decided.instance.state !== 'PAUSED') return decided;
  // A suspended clock keeps the time that was left when it was suspended.
  const since = await suspendedSince(work.tx, deps.lease.account);
  if (since === null) return decided;
  const stopped = Math.max(since.getTime(), row.timer_set_at?.getTime() ?? 0);
  return runTransitions(deps, row, events, new Date(stopped));
}

function runTransitions(
  deps: ConversationDeps,
  row: InstanceRow,
  events: readonly ConversationEvent[],
  now: Date,
): DecidedTransition {
  let instance = toInstance(row);
  const steps: StateStep[] = [];
  const effects: ConversationEffect[] = [];
  for (const event of events) {
    const result = transition(instance, event, now);
    if (!result.ok) {
      deps.log.warn('transition refused', {
        instance: row.id,
        state: instance.state,
        event: event.type,
      });
      throw new RelayError(
        'illegal_transition',
        { id: row.id, state: instance.state, event: EVENT_PHRASES[event.type] },
        { details: result.sentence },
      );
    }
    instance = result.instance;
    steps.push(...result.steps);
    effects.push(...result.effects);
  }
  return { instance, steps, effects };
}

/**
 * When the unsent message is withdrawn, no acknowledgement will arrive for it, so the turn that waited for one is
 * queued now.
 */
function withTurn(
  effects: readonly ConversationEffect[],
  { state }: Instance,
): readonly ConversationEffect[] {
  const purpose = TURN_PURPOSES[state];
  const isAsked = effects.some(({ kind }) => kind === 'run_turn');
  return purpose === undefined || isAsked ? effects : [...effects, { kind: 'run_turn', purpose }];
}

const WITHDRAWALS = {
  answered: {
    reason: 'answered',
    sentence: 'The contact wrote before this message was sent, so it was withdrawn.',
    agentOnly: false,
  },
  ended: {
    reason: 'conversation_over',
    sentence: 'The conversation ended before this message was sent, so it was withdrawn.',
    agentOnly: false,
  },
  taken_over: {
    reason: 'taken_over',
    sentence:
      'You wrote to the contact yourself before this message was sent, so it was withdrawn.',
    agentOnly: true,
  },
} as const satisfies Record<WithdrawalReason, unknown>;

async function withdrawMessages(
  deps: ConversationDeps,
  work: UnitOfWork,
  { id: instance }: InstanceRow,
  effects: readonly ConversationEffect[],
  at: Date,
): Promise<WithdrawalResult | null> {
  const effect = effects.find(({ kind }) => kind === 'withdraw');
  if (effect?.kind !== 'withdraw') return null;
  const { account } = deps.lease;
  return withdrawFromConversation(work.tx, {
    account,
    instance,
    at,
    ...WITHDRAWALS[effect.because],
  });
}

function logSteps(
  deps: ConversationDeps,
  work: UnitOfWork,
  { id, failureReason }: Instance,
  steps: readonly StateStep[],
): void {
  work.afterCommit.push(() => {
    for (const { from, to, trigger } of steps) {
      deps.log.info('transition', { instance: id, from, to, event: trigger });
      if (trigger !== 'unrecoverable_error') continue;
      deps.log.error('conversation failed', { instance: id, reason: failureReason ?? trigger });
    }
  });
}

/**
 * Runs last, because the ledger stays locked from here to the commit and nothing else may be waited for under that
 * lock.
 */
async function sendMessages(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  instance: Instance,
  effects: readonly ConversationEffect[],
  evaluated: readonly EvaluatedProposal[],
): Promise<readonly TranscriptLineRow[]> {
  const said: TranscriptLineRow[] = [];
  for (const effect of effects) {
    if (effect.kind !== 'send') continue;
    said.push(await sendInConversation(deps, work, row, effect, evaluated[said.length]));
  }
  for (const effect of effects) {
    if (effect.kind === 'tell_owner')
      await notifyOwnerOfConversation(deps, work, row, instance, effect.about);
  }
  return said;
}

/** Several events may be applied at once: only the final timer is set. */
function timerStatement(
  deps: ConversationDeps,
  work: UnitOfWork,
  { id, epoch, timerDueAt }: Instance,
  effects: readonly ConversationEffect[],
): RawBuilder<unknown> | null {
  const { account } = deps.lease;
  const effect = effects.find(({ kind }) => kind === 'start_timer' || kind === 'cancel_timer');
  if (effect?.kind === 'start_timer' && timerDueAt !== null) {
    const { dueAt } = effect;
    work.afterCommit.push(() => {
      const ms = dueAt.getTime() - deps.now().getTime();
      deps.log.debug('timer set', { instance: id, ms });
    });
    return setTimerSql({ account, kind: 'heartbeat', subject: id, epoch }, dueAt);
  }
  if (effect?.kind !== 'cancel_timer' || timerDueAt !== null) return null;
  work.afterCommit.push(() => deps.log.debug('timer cancelled', { instance: id }));
  return clearTimerSql(account, 'heartbeat', id);
}

/** The events for the owner's streams. */
const ownerEvents = (
  row: InstanceRow,
  { reason }: Instance,
  effects: readonly ConversationEffect[],
): NewEvent[] =>
  effects.flatMap((effect) =>
    effect.kind === 'tell_owner'
      ? [
          {
            kind: `conversation.${effect.about}`,
            subject: row.id,
            data: { reason, contact: row.contact_id },
          },
        ]
      : [],
  );

/** Carries out effects that go beyond the instance's own rows: the next conversation in the queue, and turns. */
async function carryOutEffect(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  { epoch, state }: Instance,
  effect: ConversationEffect,
): Promise<void> {
  if (effect.kind === 'free_contact') return startNextInQueue(deps, work, row);
  if (effect.kind !== 'run_turn' || TURN_PURPOSES[state] === undefined) return;
  return enqueueTurns(deps, work, [{ id: row.id, epoch, purpose: effect.purpose }]);
}

/** The contact is free: starts the conversation that has waited longest, in the same transaction. */
async function startNextInQueue(
  deps: ConversationDeps,
  work: UnitOfWork,
  ended: InstanceRow,
): Promise<void> {
  await lockContact(deps, work, ended.contact_id);
  const next = await work.tx
    .selectFrom('instances')
    .select('id')
    .where('account_id', '=', deps.lease.account)
    .where('contact_id', '=', ended.contact_id)
    .where('state', '=', 'QUEUED')
    .orderBy('queue_seq')
    .limit(1)
    // Waits for a conversation that is just leaving the queue, and then skips it.
    .forUpdate()
    .executeTakeFirst();
  if (next === undefined) return;
  const row = await lockInstance(work.tx, deps.lease, next.id);
  await applyEvents(deps, work, row, [{ type: 'prior_instance_terminal' }]);
}

/** Serialises creating, ending and resuming conversations with one contact. */
export async function lockContact(
  deps: ConversationDeps,
  work: UnitOfWork,
  contact: InstanceRow['contact_id'],
): Promise<void> {
  await work.tx
    .selectFrom('contacts')
    .select('id')
    .where('account_id', '=', deps.lease.account)
    .where('id', '=', contact)
    .forNoKeyUpdate()
    .execute();
}

// Messages of a conversation pass the gate under the conversation's own grant and are added to the transcript. All
// texts of a turn are decided before any of them is submitted.

type OutgoingText = Omit<Extract<ConversationEffect, { kind: 'send' }>, 'kind'> & {
  /** The message that the owner replies to. */
  readonly quotes?: MessageId;
  readonly content?: OutgoingContent;
  /** The owner's idempotency key. */
  readonly key?: string;
};

async function sendInConversation(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  { role, text: content }: OutgoingText,
  evaluated: EvaluatedProposal | undefined,
): Promise<TranscriptLineRow> {
  const message = (await evaluated?.submit())?.message ?? null;
  if (message === null) throw new Error('a text is said that the gate did not allow');
  work.afterCommit.push(() => {
    const { messageId } = message;
    deps.log.debug('message queued', {
      instance: row.id,
      message: messageId,
      from: role,
      body: content,
    });
  });
  const line = await appendTranscriptLine(work, row, { role, content, outbox_id: message.id });
  return { ...line, sent_id: message.messageId };
}

/** The gate's decision on a text, given the earlier texts of the same turn (`earlierInTurn`). */
export function evaluateText(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  { role, text, followUp, quotes, content, key }: OutgoingText,
  context: Pick<SubmitContext, 'run' | 'earlierInTurn' | 'checksNumber'> = {},
): Promise<EvaluatedProposal> {
  const actor: Actor =
    role === 'manual'
      ? { kind: 'owner' }
      : { kind: 'conversation', instance: row.id, chat: row.chat_id };
  const proposal = {
    kind: 'send_message',
    chat: row.chat_id,
    text,
    followUp,
    ...(quotes === undefined ? {} : { quotes }),
    ...(content === undefined ? {} : { content }),
    ...(key === undefined ? {} : { key }),
  } as const;
  return deps.gate.evaluate(work.tx, actor, proposal, {
    conversation: {
      instance: row.id,
      chat: row.chat_id,
      contact: row.contact_id,
      // The state when the agent wrote it: a farewell still belongs to the conversation.
      ended: isTerminal(row.state),
      firstContactApproved: true,
    },
    ...context,
  });
}

export function appendTranscriptLine(
  work: UnitOfWork,
  row: InstanceRow,
  line: Pick<InstanceMessageRow, 'role' | 'content'> &
    Partial<Pick<InstanceMessageRow, 'outbox_id' | 'message_id'>>,
): Promise<InstanceMessageRow> {
  return work.tx
    .insertInto('instance_messages')
    .values({ account_id: row.account_id, instance_id: row.id, ...line })
    .returningAll()
    .executeTakeFirstOrThrow();
}

// Queues turns of agents: one job each, in the caller's transaction, bound to the current epoch.

interface WantedTurn {
  readonly id: InstanceId;
  readonly epoch: number;
  readonly purpose: TurnPurpose;
}

export async function enqueueTurns(
  deps: ConversationDeps,
  work: UnitOfWork,
  turns: readonly WantedTurn[],
): Promise<void> {
  if (turns.length === 0) return;
  const { account } = deps.lease;
  await deps.jobs.enqueue(
    work.tx,
    'conversation',
    turns.map(({ id, epoch, purpose }) => ({
      key: `${account}:${id}`,
      data: { account, subject: id, epoch, wake: purpose },
    })),
  );
  work.afterCommit.push(() => deps.jobs.wake('conversation'));
}

// Notifies the owner on WhatsApp, if they want that: one line in their own chat. The transition never depends on
// whether the notice arrives.

async function notifyOwnerOfConversation(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  instance: Instance,
  about: OwnerNews,
): Promise<void> {
  // Whoever cancelled it already knows.
  if (!deps.settings.tell_owner_on_whatsapp || instance.failureReason === 'cancelled') return;
  // The gate sends its own notice, with the text.
  if (instance.reason === WAITS_FOR_APPROVAL) return;
  const text = conversationNotice(about, {
    id: row.id,
    contact: await describeContact(work, row),
    objective: row.objective,
    reason: instance.reason ?? STATE_SENTENCES[instance.state],
  });
  const { gate, lease } = deps;
  await notifyOwner(work.tx, { gate, account: lease.account }, text);
}

async function describeContact(work: UnitOfWork, row: InstanceRow): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`
    SELECT coalesce(display_name, push_name) AS name FROM contacts
    WHERE account_id = ${row.account_id} AND id = ${row.contact_id}`.execute(work.tx);
  const name = rows[0]?.name ?? null;
  return name === null ? row.target_contact : `${name} (${row.target_contact})`;
}

// The turns running in this daemon. A commit that makes a turn stale aborts it at once, so that no tokens are spent on
// messages that will not be sent and the next turn need not wait.

interface RunningTurn {
  /** Aborted when the turn is overtaken or the daemon stops. */
  readonly signal: AbortSignal;
  end(): void;
}

interface Entry {
  readonly epoch: number;
  readonly abort: AbortController;
}

export class RunningTurns {
  readonly #turns = new Map<InstanceId, Entry>();

  /** Must be called before the turn reads its instance, so that every later commit can abort it. */
  start(instance: InstanceId, epoch: number, stop: AbortSignal): RunningTurn {
    const entry: Entry = { epoch, abort: new AbortController() };
    this.#turns.set(instance, entry);
    return {
      signal: AbortSignal.any([entry.abort.signal, stop]),
      end: () => {
        if (this.#turns.get(instance) === entry) this.#turns.delete(instance);
      },
    };
  }

  /** Called with the instance's new epoch: aborts a running turn of another epoch. */
  overtake(instance: InstanceId, epoch: number): void {
    const entry = this.#turns.get(instance);
    if (entry !== undefined && entry.epoch !== epoch) entry.abort.abort();
  }

  get count(): number {
    return this.#turns.size;
  }
}

// Dependencies of the conversation feature.

export interface ConversationDeps extends Engine {
  readonly gate: Gate;
  readonly settings: Settings;
  readonly running: RunningTurns;
}

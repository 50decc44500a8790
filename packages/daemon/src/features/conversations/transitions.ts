// A transition, whole: the pure machine decides, and everything it decided is written in the caller's
// transaction: row, log, permits and messages, timer, jobs, and the event for the streams.

import {
  isTerminal,
  STATE_SENTENCES,
  TURN_PURPOSES,
  type TurnPurpose,
} from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import type { InstanceId } from '@relay/contract/ids';
import type { Settings } from '@relay/contract/settings';
import {
  type WithdrawalReason as Because,
  type ConversationEffect,
  conversationNotice,
  type Instance,
  type OwnerNews,
  type StateStep,
  settleEffects,
  transition,
} from '@relay/core/conversation/transition';
import { type ConversationEvent, EVENT_PHRASES } from '@relay/core/conversation/transition-table';
import type { Actor } from '@relay/core/policy/actors';
import { type RawBuilder, sql } from 'kysely';
import type { SubmitContext } from '../../pipeline/gate/evaluate.ts';
import {
  type EvaluatedProposal,
  type Gate,
  notifyOwner as tellOnWhatsApp,
} from '../../pipeline/gate/gate.ts';
import {
  hasUnsent,
  type WithdrawalResult as WithdrawnMessages,
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
  saveInstance,
  type TranscriptLineRow,
  toColumns,
  toInstance,
} from './sql.ts';

export interface AppliedTransition {
  readonly row: InstanceRow;
  readonly instance: Instance;
  /** What was written into the transcript, in order. */
  readonly said: readonly TranscriptLineRow[];
}

interface ApplyOptions {
  /** The texts that the events say, in their order: allowed, and submitted here. */
  readonly evaluated?: readonly EvaluatedProposal[];
  /** As the turn leaves them. */
  readonly todos?: InstanceRow['todos'];
  /** The program that causes it. */
  readonly by?: string;
}

/** Applies the events one after the other to a row that is already locked. */
export async function applyEvents(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  events: readonly ConversationEvent[],
  { todos, by, evaluated = [] }: ApplyOptions = {},
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
  await saveInstance(work.tx, deps.lease, instance, now, {
    steps,
    by,
    todos,
    timer: timerStatement(deps, work, instance, settled),
    timerSetAt,
    events: [...ownerEvents(row, instance, settled), changed],
  });
  logSteps(deps, work, instance, steps);
  for (const effect of settled) await carryOutEffect(deps, work, row, instance, effect);
  await withdrawn?.record();
  const said = await sendMessages(deps, work, row, instance, settled, evaluated);
  work.afterCommit.push(() => deps.running.overtake(row.id, instance.epoch));
  const saved = { ...toColumns(instance), timer_set_at: timerSetAt, updated_at: now };
  return { row: { ...row, ...saved }, instance, said };
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
  // A suspended clock has the time left that it had when it was suspended.
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

/** A turn that waited for the acknowledgement of a message waits for nothing once the message is withdrawn. */
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
} as const satisfies Record<Because, unknown>;

async function withdrawMessages(
  deps: ConversationDeps,
  work: UnitOfWork,
  { id: instance }: InstanceRow,
  effects: readonly ConversationEffect[],
  at: Date,
): Promise<WithdrawnMessages | null> {
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

/** Last, because the ledger stays locked from here to the commit: nothing else is waited for under it. */
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

/** Several events may be applied at once: only what is true at the end is set. */
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

/** What the owner's streams are told of it. */
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

/** What is more than a row beside the instance's. */
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

/** The contact is free: whoever waits longest goes on, in the same transaction. */
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
    // One that is just leaving the queue is waited for and then passed over.
    .forUpdate()
    .executeTakeFirst();
  if (next === undefined) return;
  const row = await lockInstance(work.tx, deps.lease, next.id);
  await applyEvents(deps, work, row, [{ type: 'prior_instance_terminal' }]);
}

/** Creating, ending and resuming for one contact wait for each other here. */
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

// What is said in a conversation: through the gate under the conversation's own grant, and into the
// transcript. All that a turn says is decided before any of it is submitted.

type OutgoingText = Omit<Extract<ConversationEffect, { kind: 'send' }>, 'kind'>;

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
    deps.gate.hint();
    const { messageId } = message;
    deps.log.debug('message said', {
      instance: row.id,
      message: messageId,
      from: role,
      body: content,
    });
  });
  const line = await appendTranscriptLine(work, row, { role, content, outbox_id: message.id });
  return { ...line, sent_id: message.messageId };
}

/** The gate's decision on what is to be said, after other words of the same turn. */
export function evaluateText(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  { role, text, followUp }: OutgoingText,
  circumstances: Pick<SubmitContext, 'run' | 'sayingBefore'> = {},
): Promise<EvaluatedProposal> {
  const actor: Actor =
    role === 'manual'
      ? { kind: 'owner' }
      : { kind: 'conversation', instance: row.id, chat: row.chat_id };
  const proposal = { kind: 'send_message', chat: row.chat_id, text, followUp } as const;
  return deps.gate.evaluate(work.tx, actor, proposal, {
    conversation: {
      instance: row.id,
      chat: row.chat_id,
      contact: row.contact_id,
      // As it stood when the agent spoke: a farewell still belongs to the conversation.
      ended: isTerminal(row.state),
      firstContactApproved: true,
    },
    ...circumstances,
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

// Asks for turns of agents: a job each, in the caller's transaction, bound to the epoch it is asked in.

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
  work.afterCommit.push(() => deps.jobs.hint('conversation'));
}

// What a conversation tells its owner on WhatsApp, if they wish: one line into their own chat. Whether it
// arrives or not, the transition it tells of never depends on it.

export const WAITS_FOR_APPROVAL =
  'A message waits for your yes: `relay approvals`. Or resume it to let it write anew.';

async function notifyOwnerOfConversation(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  instance: Instance,
  about: OwnerNews,
): Promise<void> {
  // Who cancels knows that they did.
  if (!deps.settings.tell_owner_on_whatsapp || instance.failureReason === 'cancelled') return;
  // The gate's own notice says it, with the text.
  if (instance.reason === WAITS_FOR_APPROVAL) return;
  const text = conversationNotice(about, {
    id: row.id,
    contact: await describeContact(work, row),
    objective: row.objective,
    reason: instance.reason ?? STATE_SENTENCES[instance.state],
  });
  const { gate, lease } = deps;
  const told = await tellOnWhatsApp(work.tx, { gate, account: lease.account }, text);
  if (told) work.afterCommit.push(() => gate.hint());
}

async function describeContact(work: UnitOfWork, row: InstanceRow): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`
    SELECT coalesce(display_name, push_name) AS name FROM contacts
    WHERE account_id = ${row.account_id} AND id = ${row.contact_id}`.execute(work.tx);
  const name = rows[0]?.name ?? null;
  return name === null ? row.target_contact : `${name} (${row.target_contact})`;
}

// The turns that run in this daemon now. A commit that makes one stale ends it at once: no token is spent
// on words that will not be said, and the next turn need not wait for it.

interface RunningTurn {
  /** Aborted when the turn was overtaken or the daemon stops. */
  readonly signal: AbortSignal;
  end(): void;
}

interface Entry {
  readonly epoch: number;
  readonly abort: AbortController;
}

export class RunningTurns {
  readonly #turns = new Map<InstanceId, Entry>();

  /** To be called before the turn looks at its instance: what commits from then on can end it. */
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

  /** The instance has this epoch now: a turn of another one has nothing left to win. */
  overtake(instance: InstanceId, epoch: number): void {
    const entry = this.#turns.get(instance);
    if (entry !== undefined && entry.epoch !== epoch) entry.abort.abort();
  }

  get count(): number {
    return this.#turns.size;
  }
}

// What the conversation flow needs of the world, handed to it by main.

export interface ConversationDeps extends Engine {
  readonly gate: Gate;
  readonly settings: Settings;
  readonly running: RunningTurns;
}

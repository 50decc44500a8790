// A transition, whole: the pure machine decides, and everything it decided is written in the caller's
// transaction: row, log, permits and messages, timer, jobs, and the event for the streams.
import type { ConversationEvent } from '@relay/core/conversation/events';
import { EVENTS } from '@relay/core/conversation/events';
import type { Instance } from '@relay/core/conversation/instance';
import type { Withdrawn as Because, Effect, Step } from '@relay/core/conversation/transition';
import { settle, transition } from '@relay/core/conversation/transition';
import { TURN_IN } from '@relay/core/conversation/turns';
import { RelayError } from '@relay/core/errors';
import type { RawBuilder } from 'kysely';
import {
  hasUnsent,
  type Withdrawn as WithdrawnMessages,
  withdrawFromConversation,
} from '../../gate/unsent.ts';
import { timerCleared, timerSet } from '../../jobs/timers.ts';
import type { Work } from '../../jobs/work.ts';
import type { NewEvent } from '../../store/events.ts';
import { askForTurns } from './ask.ts';
import { suspendedSince } from './follow-up-clock.ts';
import type { InstanceRow, LineRow } from './rows.ts';
import { lockInstance, saveInstance, toColumns, toInstance } from './rows.ts';
import { type Behind, sendInConversation } from './send.ts';
import { tellOwner } from './tell.ts';
import type { ConversationWorld } from './work.ts';

export interface Applied {
  readonly row: InstanceRow;
  readonly instance: Instance;
  /** What was written into the transcript, in order. */
  readonly said: readonly LineRow[];
}

export interface Besides extends Behind {
  /** As the turn leaves them. */
  readonly todos?: InstanceRow['todos'];
  /** The program that causes it. */
  readonly by?: string;
}

/** Applies the events one after the other to a row that is already locked. */
export async function apply(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  events: readonly ConversationEvent[],
  { todos, by, ...behind }: Besides = {},
): Promise<Applied> {
  const now = world.now();
  const before = toInstance(row);
  const decided = await decide(world, work, row, events, now);
  const { steps } = decided;
  let { instance } = decided;
  let settled = settle(decided.effects);
  const withdrawn = await withdraw(world, work, row, settled, now);
  if (withdrawn !== null && withdrawn.count > 0) {
    const isLeft = settled.some(({ kind }) => kind === 'send');
    const unsent = isLeft || (await hasUnsent(work.tx, world.lease.account, row.id));
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
  await saveInstance(work.tx, world.lease, instance, now, {
    steps,
    by,
    todos,
    timer: timerOf(world, work, instance, settled),
    timerSetAt,
    events: [...newsOf(row, instance, settled), changed],
  });
  tellSteps(world, work, instance, steps);
  for (const effect of settled) await carryOutOne(world, work, row, instance, effect);
  await withdrawn?.record();
  const said = await speak(world, work, row, instance, settled, behind);
  work.told.push(() => world.running.overtake(row.id, instance.epoch));
  const saved = { ...toColumns(instance), timer_set_at: timerSetAt, updated_at: now };
  return { row: { ...row, ...saved }, instance, said };
}

interface Decided {
  readonly instance: Instance;
  readonly steps: readonly Step[];
  readonly effects: readonly Effect[];
}

async function decide(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  events: readonly ConversationEvent[],
  now: Date,
): Promise<Decided> {
  const decided = transitions(world, row, events, now);
  if (row.timer_due_at === null || decided.instance.state !== 'PAUSED') return decided;
  // A suspended clock has the time left that it had when it was suspended.
  const since = await suspendedSince(work.tx, world.lease.account);
  if (since === null) return decided;
  const stopped = Math.max(since.getTime(), row.timer_set_at?.getTime() ?? 0);
  return transitions(world, row, events, new Date(stopped));
}

function transitions(
  world: ConversationWorld,
  row: InstanceRow,
  events: readonly ConversationEvent[],
  now: Date,
): Decided {
  let instance = toInstance(row);
  const steps: Step[] = [];
  const effects: Effect[] = [];
  for (const event of events) {
    const result = transition(instance, event, now);
    if (!result.ok) {
      world.log.warn('transition refused', {
        instance: row.id,
        state: instance.state,
        event: event.type,
      });
      throw new RelayError(
        'illegal_transition',
        { id: row.id, state: instance.state, event: EVENTS[event.type] },
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
function withTurn(effects: readonly Effect[], { state }: Instance): readonly Effect[] {
  const purpose = TURN_IN[state];
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

async function withdraw(
  world: ConversationWorld,
  work: Work,
  { id: instance }: InstanceRow,
  effects: readonly Effect[],
  at: Date,
): Promise<WithdrawnMessages | null> {
  const effect = effects.find(({ kind }) => kind === 'withdraw');
  if (effect?.kind !== 'withdraw') return null;
  const { account } = world.lease;
  return withdrawFromConversation(work.tx, {
    account,
    instance,
    at,
    ...WITHDRAWALS[effect.because],
  });
}

function tellSteps(
  world: ConversationWorld,
  work: Work,
  { id, failureReason }: Instance,
  steps: readonly Step[],
): void {
  work.told.push(() => {
    for (const { from, to, trigger } of steps) {
      world.log.info('transition', { instance: id, from, to, event: trigger });
      if (trigger !== 'unrecoverable_error') continue;
      world.log.error('conversation failed', { instance: id, reason: failureReason ?? trigger });
    }
  });
}

/** Last, because the ledger stays locked from here to the commit: nothing else is waited for under it. */
async function speak(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  instance: Instance,
  effects: readonly Effect[],
  behind: Behind,
): Promise<readonly LineRow[]> {
  const said: LineRow[] = [];
  for (const effect of effects) {
    if (effect.kind !== 'send') continue;
    said.push(await sendInConversation(world, work, row, effect, behind));
  }
  for (const effect of effects) {
    if (effect.kind === 'tell_owner') await tellOwner(world, work, row, instance, effect.about);
  }
  return said;
}

/** Several events may be applied at once: only what is true at the end is set. */
function timerOf(
  world: ConversationWorld,
  work: Work,
  { id, epoch, timerDueAt }: Instance,
  effects: readonly Effect[],
): RawBuilder<unknown> | null {
  const { account } = world.lease;
  const effect = effects.find(({ kind }) => kind === 'start_timer' || kind === 'cancel_timer');
  if (effect?.kind === 'start_timer' && timerDueAt !== null) {
    const { dueAt } = effect;
    work.told.push(() => {
      const ms = dueAt.getTime() - world.now().getTime();
      world.log.debug('timer set', { instance: id, ms });
    });
    return timerSet({ account, kind: 'heartbeat', subject: id, epoch }, dueAt);
  }
  if (effect?.kind !== 'cancel_timer' || timerDueAt !== null) return null;
  work.told.push(() => world.log.debug('timer cancelled', { instance: id }));
  return timerCleared(account, 'heartbeat', id);
}

/** What the owner's streams are told of it. */
const newsOf = (row: InstanceRow, { reason }: Instance, effects: readonly Effect[]): NewEvent[] =>
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
async function carryOutOne(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  { epoch, state }: Instance,
  effect: Effect,
): Promise<void> {
  if (effect.kind === 'free_contact') return nextInQueue(world, work, row);
  if (effect.kind !== 'run_turn' || TURN_IN[state] === undefined) return;
  return askForTurns(world, work, [{ id: row.id, epoch, purpose: effect.purpose }]);
}

/** The contact is free: whoever waits longest goes on, in the same transaction. */
async function nextInQueue(
  world: ConversationWorld,
  work: Work,
  ended: InstanceRow,
): Promise<void> {
  await holdContact(world, work, ended.contact_id);
  const next = await work.tx
    .selectFrom('instances')
    .select('id')
    .where('account_id', '=', world.lease.account)
    .where('contact_id', '=', ended.contact_id)
    .where('state', '=', 'QUEUED')
    .orderBy('queue_seq')
    .limit(1)
    // One that is just leaving the queue is waited for and then passed over.
    .forUpdate()
    .executeTakeFirst();
  if (next === undefined) return;
  const row = await lockInstance(work.tx, world.lease, next.id);
  await apply(world, work, row, [{ type: 'prior_instance_terminal' }]);
}

/** Creating, ending and resuming for one contact wait for each other here. */
export async function holdContact(
  world: ConversationWorld,
  work: Work,
  contact: InstanceRow['contact_id'],
): Promise<void> {
  await work.tx
    .selectFrom('contacts')
    .select('id')
    .where('account_id', '=', world.lease.account)
    .where('id', '=', contact)
    .forNoKeyUpdate()
    .execute();
}

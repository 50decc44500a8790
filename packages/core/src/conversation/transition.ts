// The heart of a conversation: `transition` says what an event does, as a new instance, the steps to
// log and the effects to carry out. It is pure: the caller persists all of it in one transaction,
// and only then does anything act.
import type { ConversationEvent, EventType } from './events.ts';
import { EVENTS } from './events.ts';
import type { Instance } from './instance.ts';
import { holdsContact } from './instance.ts';
import type { InstanceState, NonTerminalState } from './states.ts';
import { isTerminal } from './states.ts';
import { TABLE } from './table.ts';
import type { TurnPurpose } from './turns.ts';

export interface Step {
  readonly from: InstanceState;
  readonly to: InstanceState;
  readonly trigger: EventType;
}

export type Effect =
  | {
      readonly kind: 'send';
      readonly role: 'agent' | 'manual';
      readonly text: string;
      /** Not to be sent any more once the contact has written. */
      readonly followUp: boolean;
    }
  | { readonly kind: 'run_turn'; readonly purpose: TurnPurpose }
  | { readonly kind: 'start_timer'; readonly dueAt: Date }
  | { readonly kind: 'cancel_timer' }
  | { readonly kind: 'free_contact' }
  | { readonly kind: 'tell_owner'; readonly about: OwnerNews };

/** What the owner is told about. The names are kinds of events on the stream: never rename one. */
export type OwnerNews = 'needs_you' | 'completed' | 'abandoned' | 'failed' | 'taken_over';

export interface Transition {
  readonly ok: true;
  readonly instance: Instance;
  /** One per change of state, in order. Empty when the event was only taken in. */
  readonly steps: readonly Step[];
  readonly effects: readonly Effect[];
}

export interface Refusal {
  readonly ok: false;
  readonly state: InstanceState;
  readonly event: EventType;
  readonly sentence: string;
}

export function transition(
  instance: Instance,
  event: ConversationEvent,
  now: Date,
): Transition | Refusal {
  const first = step(instance, event, now);
  if (!first.ok) return first;
  const follow = followingEvent(first.instance);
  if (follow === null) return first;
  const second = transition(first.instance, follow, now);
  if (!second.ok) return second;
  return {
    ok: true,
    instance: second.instance,
    steps: [...first.steps, ...second.steps],
    effects: settle([...first.effects, ...second.effects]),
  };
}

/** What an instance does by itself as soon as it stands where it stands. */
function followingEvent(instance: Instance): ConversationEvent | null {
  const waits = instance.state === 'WAITING_FOR_REPLY' || instance.state === 'HEARTBEAT_SCHEDULED';
  if (waits && instance.unread > 0) return { type: 'contact_replies' };
  if (
    instance.state === 'HEARTBEAT_SCHEDULED' &&
    instance.followUpCount >= instance.heartbeat.maxFollowups
  ) {
    return { type: 'max_followups_exceeded' };
  }
  return null;
}

/** A timer that starts and stops within one transition was never there; one turn is enough. */
export function settle(effects: readonly Effect[]): readonly Effect[] {
  const lastTimer = effects.findLast((e) => e.kind === 'start_timer' || e.kind === 'cancel_timer');
  const lastTurn = effects.findLast((e) => e.kind === 'run_turn');
  return effects.filter((e) => {
    if (e.kind === 'start_timer' || e.kind === 'cancel_timer') return e === lastTimer;
    return e.kind !== 'run_turn' || e === lastTurn;
  });
}

function step(before: Instance, event: ConversationEvent, now: Date): Transition | Refusal {
  const target = TABLE[before.state][event.type];
  if (target === undefined) return refuse(before, event.type);
  const taken = take(before, event, now);
  if (target === 'stay')
    return { ok: true, instance: taken.instance, steps: [], effects: taken.effects };

  const to = target === 'previous' ? resumeTarget(before, event) : target;
  const entered = enter(before, taken.instance, to, event, now);
  return {
    ok: true,
    instance: entered.instance,
    steps: [{ from: before.state, to, trigger: event.type }],
    effects: [...taken.effects, ...entered.effects],
  };
}

function refuse(instance: Instance, event: EventType): Refusal {
  const sentence = isTerminal(instance.state)
    ? `It has ended (${instance.state}): ${EVENTS[event]} is not possible any more.`
    : `It is ${instance.state}: ${EVENTS[event]} is not possible now.`;
  return { ok: false, state: instance.state, event, sentence };
}

interface Change {
  readonly instance: Instance;
  readonly effects: readonly Effect[];
}

/** What the event itself brings, whatever state follows. */
function take(instance: Instance, event: ConversationEvent, now: Date): Change {
  switch (event.type) {
    case 'contact_replies':
      return unchanged({
        ...instance,
        // Follow-ups are counted against a silence, and this ends it.
        followUpCount: 0,
        // Fired by itself for what was already counted; see followingEvent.
        unread:
          instance.unread > 0 && waitsForContact(instance) ? instance.unread : instance.unread + 1,
      });
    case 'turn_begins':
    case 'agent_sends_first_message':
    case 'agent_processes_reply':
      return unchanged({ ...instance, unread: 0 });
    case 'message_sent':
      return said(instance, event.texts, event.followUp === true);
    case 'followup_sent':
      return said(instance, event.texts, true);
    case 'schedule_next_heartbeat':
      return scheduled(instance, event.delayMs, now);
    case 'manual_send':
      return manuallySent(instance, event.text, now);
    case 'cancel':
      return unchanged({ ...instance, failureReason: 'cancelled', reason: 'You cancelled it.' });
    case 'unrecoverable_error':
      return unchanged({ ...instance, failureReason: event.reason, reason: event.reason });
    case 'end_conversation':
      return unchanged({ ...instance, reason: event.reason });
    case 'request_intervention':
      return {
        instance: { ...instance, reason: event.reason },
        effects: sends(event.texts ?? [], instance.state === 'HEARTBEAT_SCHEDULED'),
      };
    case 'owner_takeover':
      return {
        instance: {
          ...instance,
          reason: 'You wrote to the contact yourself. Resume it when the agent should go on.',
        },
        effects: [{ kind: 'tell_owner', about: 'taken_over' }],
      };
    default:
      return unchanged(instance);
  }
}

const waitsForContact = (instance: Instance) =>
  instance.state === 'WAITING_FOR_REPLY' || instance.state === 'HEARTBEAT_SCHEDULED';

const unchanged = (instance: Instance): Change => ({ instance, effects: [] });

const said = (instance: Instance, texts: readonly string[], followUp: boolean): Change => ({
  instance: { ...instance, followUpCount: instance.followUpCount + (followUp ? 1 : 0) },
  effects: sends(texts, followUp),
});

const sends = (texts: readonly string[], followUp = false): Effect[] =>
  texts.map((text) => ({ kind: 'send', role: 'agent', text, followUp }));

function scheduled(instance: Instance, delayMs: number, now: Date): Change {
  if (instance.state === 'WAITING_FOR_REPLY') return timerFrom(instance, delayMs, now);
  // A follow-up spent in silence still counts, or an agent could postpone for ever.
  const spent = instance.state === 'HEARTBEAT_SCHEDULED' ? 1 : 0;
  return unchanged({ ...instance, followUpCount: instance.followUpCount + spent });
}

function manuallySent(instance: Instance, text: string, now: Date): Change {
  const send: Effect = { kind: 'send', role: 'manual', text, followUp: false };
  if (instance.state !== 'WAITING_FOR_REPLY') return { instance, effects: [send] };
  const timer = timerFrom(instance, instance.heartbeat.intervalMs, now);
  return { instance: timer.instance, effects: [send, ...timer.effects] };
}

/** Sets the timer anew; the one before belongs to an epoch that is over. */
function timerFrom(instance: Instance, delayMs: number, now: Date): Change {
  const dueAt = new Date(now.getTime() + delayMs);
  return {
    instance: { ...instance, timerDueAt: dueAt, epoch: instance.epoch + 1 },
    effects: [{ kind: 'start_timer', dueAt }],
  };
}

function resumeTarget(before: Instance, event: ConversationEvent): NonTerminalState {
  const previous = before.previousState ?? 'CREATED';
  const turnHasCome = event.type === 'resume' && event.contactIsFree;
  return previous === 'QUEUED' && turnHasCome ? 'CREATED' : previous;
}

/** What entering a state brings, whichever event led there. */
function enter(
  before: Instance,
  taken: Instance,
  to: InstanceState,
  event: ConversationEvent,
  now: Date,
): Change {
  const timerRan = before.timerDueAt !== null;
  const base: Instance = {
    ...taken,
    state: to,
    previousState: null,
    epoch: beginsTurn(event.type) ? taken.epoch : taken.epoch + 1,
    timerDueAt: null,
    timerLeftMs: null,
    reason: keepsReason(event.type) || asksForOwner(before, to) ? taken.reason : null,
  };
  const stopped: Effect[] = timerRan ? [{ kind: 'cancel_timer' }] : [];

  switch (to) {
    case 'PAUSED':
      return { instance: paused(base, before, now), effects: stopped };
    case 'WAITING_FOR_REPLY': {
      const dueAt = new Date(now.getTime() + heartbeatDelay(before, event));
      return {
        instance: { ...base, timerDueAt: dueAt },
        effects: [{ kind: 'start_timer', dueAt }],
      };
    }
    case 'CREATED':
      return { instance: base, effects: [{ kind: 'run_turn', purpose: 'first_message' }] };
    case 'WAITING_FOR_AGENT':
      return { instance: base, effects: [...stopped, { kind: 'run_turn', purpose: 'reply' }] };
    case 'HEARTBEAT_SCHEDULED':
      return { instance: base, effects: [...stopped, { kind: 'run_turn', purpose: 'follow_up' }] };
    case 'ACTIVE':
      // Out of CREATED and WAITING_FOR_AGENT the turn is already running: it raised the event.
      return {
        instance: base,
        effects: needsTurn(event.type) ? [{ kind: 'run_turn', purpose: 'continue' }] : [],
      };
    case 'NEEDS_HUMAN_INTERVENTION':
      return { instance: base, effects: [...stopped, { kind: 'tell_owner', about: 'needs_you' }] };
    case 'COMPLETED':
      return ended(base, stopped, 'completed', before);
    case 'ABANDONED':
      return ended(base, stopped, 'abandoned', before);
    case 'FAILED':
      return ended(base, stopped, 'failed', before);
    case 'QUEUED':
      return { instance: base, effects: stopped };
  }
}

/** The turn that raises it is the one that was asked for: nothing becomes stale. */
const beginsTurn = (event: EventType) =>
  event === 'agent_sends_first_message' || event === 'agent_processes_reply';

const keepsReason = (event: EventType) =>
  event === 'cancel' ||
  event === 'unrecoverable_error' ||
  event === 'end_conversation' ||
  event === 'request_intervention' ||
  event === 'owner_takeover';

/** Why it needs the owner stays true while it is paused and when it comes back. */
const asksForOwner = (before: Instance, to: InstanceState) =>
  (before.state === 'NEEDS_HUMAN_INTERVENTION' && to === 'PAUSED') ||
  (before.state === 'PAUSED' && to === 'NEEDS_HUMAN_INTERVENTION');

const needsTurn = (event: EventType) => event === 'resume' || event === 'manual_send';

function paused(base: Instance, before: Instance, now: Date): Instance {
  const left =
    before.timerDueAt === null ? null : Math.max(0, before.timerDueAt.getTime() - now.getTime());
  // A terminal or paused state has no `pause` in the table, so what was before is non-terminal.
  return { ...base, previousState: before.state as NonTerminalState, timerLeftMs: left };
}

function heartbeatDelay(before: Instance, event: ConversationEvent): number {
  if (event.type === 'resume' && before.timerLeftMs !== null) return before.timerLeftMs;
  if (event.type === 'schedule_next_heartbeat') return event.delayMs;
  if (
    (event.type === 'message_sent' || event.type === 'followup_sent') &&
    event.nextHeartbeatMs !== undefined
  ) {
    return event.nextHeartbeatMs;
  }
  return before.heartbeat.intervalMs;
}

function ended(
  base: Instance,
  stopped: readonly Effect[],
  about: OwnerNews,
  before: Instance,
): Change {
  const free: Effect[] = holdsContact(before) ? [{ kind: 'free_contact' }] : [];
  return { instance: base, effects: [...stopped, ...free, { kind: 'tell_owner', about }] };
}

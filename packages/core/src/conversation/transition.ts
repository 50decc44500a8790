// The heart of a conversation: `transition` says what an event does, as a new instance, the steps to
// log and the effects to carry out. It is pure: the caller persists all of it in one transaction,
// and only then does anything act.
import type { ConversationEvent, EventType } from './events.ts';
import { EVENTS } from './events.ts';
import type { Instance } from './instance.ts';
import { holdsContact } from './instance.ts';
import type { InstanceState, NonTerminalState } from './states.ts';
import { isTerminal } from './states.ts';
import type { Target } from './table.ts';
import { TABLE } from './table.ts';
import type { TurnPurpose } from './turns.ts';
import { TURN_IN } from './turns.ts';

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
  /** Queued messages that have become pointless are not to be sent. */
  | { readonly kind: 'withdraw'; readonly because: Withdrawn }
  | { readonly kind: 'run_turn'; readonly purpose: TurnPurpose }
  | { readonly kind: 'start_timer'; readonly from: Date; readonly dueAt: Date }
  | { readonly kind: 'cancel_timer' }
  | { readonly kind: 'free_contact' }
  | { readonly kind: 'tell_owner'; readonly about: OwnerNews };

/** Why messages are withdrawn: the contact wrote, the conversation ended, or the owner wrote from a phone. */
export type Withdrawn = 'answered' | 'ended' | 'taken_over';

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

  const to = targetOf(before, event, target);
  const entered = enter(before, taken.instance, to, event, now);
  return {
    ok: true,
    instance: entered.instance,
    steps: [{ from: before.state, to, trigger: event.type }],
    effects: [...taken.effects, ...entered.effects],
  };
}

function targetOf(
  before: Instance,
  event: ConversationEvent,
  target: Exclude<Target, 'stay'>,
): InstanceState {
  if (target === 'previous') return resumeTarget(before, event);
  if (target === 'asked') {
    return event.type === 'late_reply' && event.policy === 'reopen'
      ? 'WAITING_FOR_AGENT'
      : 'NEEDS_HUMAN_INTERVENTION';
  }
  return isDismissed(before, event) ? (before.previousState ?? target) : target;
}

/** The owner leaves a conversation as it had ended, although the contact wrote again. */
const isDismissed = (before: Instance, event: ConversationEvent): boolean =>
  event.type === 'cancel' && before.previousState !== null && isTerminal(before.previousState);

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
      return replied(instance);
    case 'late_reply':
      return {
        instance: {
          ...instance,
          followUpCount: 0,
          unread: 1,
          failureReason: null,
          reason: event.policy === 'ask' ? LATE_REPLY : null,
        },
        effects: withdrawn(instance, 'answered'),
      };
    case 'messages_acknowledged':
      return acknowledged(instance, event.at);
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
      return isDismissed(instance, event)
        ? unchanged({ ...instance, unread: 0, reason: LEFT_ENDED })
        : ending({ ...instance, failureReason: 'cancelled', reason: 'You cancelled it.' });
    case 'unrecoverable_error':
      return ending({ ...instance, failureReason: event.reason, reason: event.reason });
    case 'end_conversation':
      return ending({ ...instance, reason: event.reason });
    case 'request_intervention': {
      const { instance: asking, effects } = said(instance, event.texts ?? [], false);
      const followUp = instance.state === 'HEARTBEAT_SCHEDULED';
      return {
        instance: { ...asking, reason: event.reason },
        effects: effects.map((effect) =>
          effect.kind === 'send' ? { ...effect, followUp } : effect,
        ),
      };
    }
    case 'owner_takeover':
      return {
        instance: {
          ...instance,
          reason: 'You wrote to the contact yourself. Resume it when the agent should go on.',
        },
        effects: [
          ...withdrawn(instance, 'taken_over'),
          { kind: 'tell_owner', about: 'taken_over' },
        ],
      };
    default:
      return unchanged(instance);
  }
}

function replied(instance: Instance): Change {
  // Fired by itself for what was already counted; see followingEvent.
  const isCounted = instance.unread > 0 && waitsForContact(instance);
  return {
    // Follow-ups are counted against a silence, and this ends it.
    instance: { ...instance, followUpCount: 0, unread: instance.unread + (isCounted ? 0 : 1) },
    effects: isCounted ? [] : withdrawn(instance, 'answered'),
  };
}

const waitsForContact = (instance: Instance) =>
  instance.state === 'WAITING_FOR_REPLY' || instance.state === 'HEARTBEAT_SCHEDULED';

const LATE_REPLY =
  'The contact wrote after this conversation had ended. Resume it to let the agent answer, or cancel it to leave it as it was.';
const LEFT_ENDED = 'The contact wrote after it had ended, and you left it as it was.';

const unchanged = (instance: Instance): Change => ({ instance, effects: [] });

const withdrawn = ({ unsent }: Instance, because: Withdrawn): Effect[] =>
  unsent ? [{ kind: 'withdraw', because }] : [];

const ending = (instance: Instance): Change => ({
  instance,
  effects: withdrawn(instance, 'ended'),
});

const said = (instance: Instance, texts: readonly string[], followUp: boolean): Change => ({
  instance: {
    ...instance,
    unsent: instance.unsent || texts.length > 0,
    followUpCount: instance.followUpCount + (followUp ? 1 : 0),
  },
  effects: sends(texts, followUp),
});

/** A conversation that wanted a turn meanwhile was made to wait for this. */
function acknowledged(instance: Instance, at: Date): Change {
  const sent = { ...instance, unsent: false };
  const { state, timerDueAt, timerLeftMs } = instance;
  if (state === 'WAITING_FOR_REPLY') {
    const waits = timerDueAt === null && timerLeftMs !== null;
    return waits ? timerFrom(sent, timerLeftMs, at) : unchanged(sent);
  }
  const purpose = TURN_IN[state];
  return { instance: sent, effects: purpose === undefined ? [] : [{ kind: 'run_turn', purpose }] };
}

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
  const queued = { ...instance, unsent: true };
  if (instance.state !== 'WAITING_FOR_REPLY') return { instance: queued, effects: [send] };
  const timer = timerFrom(queued, instance.heartbeat.intervalMs, now);
  return { instance: timer.instance, effects: [send, ...timer.effects] };
}

/**
 * Sets the follow-up clock anew; the one before belongs to an epoch that is over. It runs from the moment at which
 * every message is acknowledged.
 */
function timerFrom(instance: Instance, delayMs: number, from: Date): Change {
  const epoch = instance.epoch + 1;
  if (instance.unsent) {
    return {
      instance: { ...instance, timerDueAt: null, timerLeftMs: delayMs, epoch },
      effects: instance.timerDueAt === null ? [] : [{ kind: 'cancel_timer' }],
    };
  }
  const dueAt = new Date(from.getTime() + delayMs);
  return {
    instance: { ...instance, timerDueAt: dueAt, timerLeftMs: null, epoch },
    effects: [{ kind: 'start_timer', from, dueAt }],
  };
}

function resumeTarget(before: Instance, event: ConversationEvent): NonTerminalState {
  // A terminal state cannot be paused, so this is none.
  const previous = (before.previousState ?? 'CREATED') as NonTerminalState;
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
    previousState: event.type === 'late_reply' && event.policy === 'ask' ? before.state : null,
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
      const { instance, effects } = timerFrom(base, heartbeatDelay(before, event), now);
      return { instance: { ...instance, epoch: base.epoch }, effects };
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
      return ended(base, stopped, isDismissed(before, event) ? null : 'completed', before);
    case 'ABANDONED':
      return ended(base, stopped, isDismissed(before, event) ? null : 'abandoned', before);
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
  event === 'late_reply' ||
  event === 'owner_takeover';

/** Why it needs the owner stays true while it is paused and when it comes back. */
const asksForOwner = (before: Instance, to: InstanceState) =>
  (before.state === 'NEEDS_HUMAN_INTERVENTION' && to === 'PAUSED') ||
  (before.state === 'PAUSED' && to === 'NEEDS_HUMAN_INTERVENTION');

const needsTurn = (event: EventType) => event === 'resume' || event === 'manual_send';

function paused(base: Instance, before: Instance, now: Date): Instance {
  const left =
    before.timerDueAt === null
      ? before.timerLeftMs
      : Math.max(0, before.timerDueAt.getTime() - now.getTime());
  return { ...base, previousState: before.state, timerLeftMs: left };
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
  about: OwnerNews | null,
  before: Instance,
): Change {
  const free: Effect[] = holdsContact(before) ? [{ kind: 'free_contact' }] : [];
  const news: Effect[] = about === null ? [] : [{ kind: 'tell_owner', about }];
  return { instance: base, effects: [...stopped, ...free, ...news] };
}

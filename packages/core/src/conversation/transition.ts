// The state machine of a conversation: `transition` turns an event into a new instance, the steps to log and the
// effects. It is pure: the caller persists all of it in one transaction, and nothing acts before that.

import {
  type InstanceState,
  isTerminal,
  type NonTerminalState,
  TURN_PURPOSES,
  type TurnPurpose,
} from '@relay/contract/conversation/states';
import type { InstanceId } from '@relay/contract/ids';
import {
  type ConversationEvent,
  type ConversationEventType,
  EVENT_PHRASES,
  TRANSITION_TABLE,
  type TransitionTarget,
} from './transition-table.ts';

export interface StateStep {
  readonly from: InstanceState;
  readonly to: InstanceState;
  readonly trigger: ConversationEventType;
}

export type ConversationEffect =
  | {
      readonly kind: 'send';
      readonly role: 'agent' | 'manual';
      readonly text: string;
      /** Must not be sent once the contact has written. */
      readonly followUp: boolean;
    }
  /** Cancels queued messages that have become pointless. */
  | { readonly kind: 'withdraw'; readonly because: WithdrawalReason }
  | { readonly kind: 'run_turn'; readonly purpose: TurnPurpose }
  | { readonly kind: 'start_timer'; readonly from: Date; readonly dueAt: Date }
  | { readonly kind: 'cancel_timer' }
  | { readonly kind: 'free_contact' }
  | { readonly kind: 'tell_owner'; readonly about: OwnerNews };

/** Why messages are withdrawn: the contact wrote, the conversation ended, or the owner wrote from a phone. */
export type WithdrawalReason = 'answered' | 'ended' | 'taken_over';

/** Notifications for the owner. The names are kinds of stream events: never rename one. */
export type OwnerNews = 'needs_you' | 'completed' | 'abandoned' | 'failed' | 'taken_over';

export interface Transition {
  readonly ok: true;
  readonly instance: Instance;
  /** One per change of state, in order. Empty if the event was accepted without a transition. */
  readonly steps: readonly StateStep[];
  readonly effects: readonly ConversationEffect[];
}

interface TransitionRefusal {
  readonly ok: false;
  readonly state: InstanceState;
  readonly event: ConversationEventType;
  readonly sentence: string;
}

export function transition(
  instance: Instance,
  event: ConversationEvent,
  now: Date,
): Transition | TransitionRefusal {
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
    effects: settleEffects([...first.effects, ...second.effects]),
  };
}

/** The event that an instance raises by itself in its current state. */
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

/** Removes a timer that starts and stops within one transition, and all but one turn. */
export function settleEffects(
  effects: readonly ConversationEffect[],
): readonly ConversationEffect[] {
  const lastTimer = effects.findLast((e) => e.kind === 'start_timer' || e.kind === 'cancel_timer');
  const lastTurn = effects.findLast((e) => e.kind === 'run_turn');
  return effects.filter((e) => {
    if (e.kind === 'start_timer' || e.kind === 'cancel_timer') return e === lastTimer;
    return e.kind !== 'run_turn' || e === lastTurn;
  });
}

function step(
  before: Instance,
  event: ConversationEvent,
  now: Date,
): Transition | TransitionRefusal {
  const target = TRANSITION_TABLE[before.state][event.type];
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
  target: Exclude<TransitionTarget, 'stay'>,
): InstanceState {
  if (target === 'previous') return resumeTarget(before, event);
  if (target === 'asked') {
    return event.type === 'late_reply' && event.policy === 'reopen'
      ? 'WAITING_FOR_AGENT'
      : 'NEEDS_HUMAN_INTERVENTION';
  }
  return isDismissed(before, event) ? (before.previousState ?? target) : target;
}

/** The owner leaves an ended conversation ended, although the contact wrote again. */
const isDismissed = (before: Instance, event: ConversationEvent): boolean =>
  event.type === 'cancel' && before.previousState !== null && isTerminal(before.previousState);

function refuse(instance: Instance, event: ConversationEventType): TransitionRefusal {
  const sentence = isTerminal(instance.state)
    ? `It has ended (${instance.state}): ${EVENT_PHRASES[event]} is no longer possible.`
    : `It is ${instance.state}: ${EVENT_PHRASES[event]} is not possible now.`;
  return { ok: false, state: instance.state, event, sentence };
}

interface Change {
  readonly instance: Instance;
  readonly effects: readonly ConversationEffect[];
}

/** The event's own changes, whatever state follows. */
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
        : ending({ ...instance, failureReason: 'cancelled', reason: CANCELLED });
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
          reason: 'You wrote to the contact yourself. Resume it when the agent should continue.',
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
  // Raised automatically for messages that were already counted; see followingEvent.
  const isCounted = instance.unread > 0 && waitsForContact(instance);
  return {
    // Follow-ups are counted while the contact is silent; this ends the silence.
    instance: { ...instance, followUpCount: 0, unread: instance.unread + (isCounted ? 0 : 1) },
    effects: isCounted ? [] : withdrawn(instance, 'answered'),
  };
}

const waitsForContact = (instance: Instance) =>
  instance.state === 'WAITING_FOR_REPLY' || instance.state === 'HEARTBEAT_SCHEDULED';

const LATE_REPLY =
  'The contact wrote after this conversation had ended. Resume it to let the agent answer, or cancel it to keep it ended.';
const CANCELLED = 'The conversation was cancelled.';
const LEFT_ENDED = 'The contact wrote after it had ended, and you kept it ended.';

const unchanged = (instance: Instance): Change => ({ instance, effects: [] });

const withdrawn = ({ unsent }: Instance, because: WithdrawalReason): ConversationEffect[] =>
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

/** A conversation that needed a turn in the meantime was waiting for this. */
function acknowledged(instance: Instance, at: Date): Change {
  const sent = { ...instance, unsent: false };
  const { state, timerDueAt, timerLeftMs } = instance;
  if (state === 'WAITING_FOR_REPLY') {
    const waits = timerDueAt === null && timerLeftMs !== null;
    return waits ? timerFrom(sent, timerLeftMs, at) : unchanged(sent);
  }
  const purpose = TURN_PURPOSES[state];
  return { instance: sent, effects: purpose === undefined ? [] : [{ kind: 'run_turn', purpose }] };
}

const sends = (texts: readonly string[], followUp = false): ConversationEffect[] =>
  texts.map((text) => ({ kind: 'send', role: 'agent', text, followUp }));

function scheduled(instance: Instance, delayMs: number, now: Date): Change {
  if (instance.state === 'WAITING_FOR_REPLY') return timerFrom(instance, delayMs, now);
  // A skipped follow-up still counts, or an agent could postpone forever.
  const spent = instance.state === 'HEARTBEAT_SCHEDULED' ? 1 : 0;
  return unchanged({ ...instance, followUpCount: instance.followUpCount + spent });
}

function manuallySent(instance: Instance, text: string, now: Date): Change {
  const send: ConversationEffect = { kind: 'send', role: 'manual', text, followUp: false };
  const queued = { ...instance, unsent: true };
  if (instance.state === 'PAUSED' && instance.previousState === 'WAITING_FOR_REPLY') {
    // After the resume the contact has the whole interval to reply to it.
    return { instance: { ...queued, timerLeftMs: instance.heartbeat.intervalMs }, effects: [send] };
  }
  if (instance.state !== 'WAITING_FOR_REPLY') return { instance: queued, effects: [send] };
  const timer = timerFrom(queued, instance.heartbeat.intervalMs, now);
  return { instance: timer.instance, effects: [send, ...timer.effects] };
}

/**
 * Restarts the follow-up clock; the former timer belongs to an old epoch. It runs from the moment when every message is
 * acknowledged.
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
  // A terminal state cannot be paused, so this one is not terminal.
  const previous = (before.previousState ?? 'CREATED') as NonTerminalState;
  const turnHasCome = event.type === 'resume' && event.contactIsFree;
  return previous === 'QUEUED' && turnHasCome ? 'CREATED' : previous;
}

/** The changes of entering a state, whichever event led there. */
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
  const stopped: ConversationEffect[] = timerRan ? [{ kind: 'cancel_timer' }] : [];

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
      // From CREATED and WAITING_FOR_AGENT the turn is already running: it raised the event.
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

/** The event comes from the requested turn itself, so nothing becomes stale. */
const beginsTurn = (event: ConversationEventType) =>
  event === 'agent_sends_first_message' || event === 'agent_processes_reply';

const keepsReason = (event: ConversationEventType) =>
  event === 'cancel' ||
  event === 'unrecoverable_error' ||
  event === 'end_conversation' ||
  event === 'request_intervention' ||
  event === 'late_reply' ||
  event === 'owner_takeover';

/** The reason why it needs the owner remains valid while it is paused and after it resumes. */
const asksForOwner = (before: Instance, to: InstanceState) =>
  (before.state === 'NEEDS_HUMAN_INTERVENTION' && to === 'PAUSED') ||
  (before.state === 'PAUSED' && to === 'NEEDS_HUMAN_INTERVENTION');

const needsTurn = (event: ConversationEventType) => event === 'resume' || event === 'manual_send';

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
  stopped: readonly ConversationEffect[],
  about: OwnerNews | null,
  before: Instance,
): Change {
  const free: ConversationEffect[] = holdsContact(before) ? [{ kind: 'free_contact' }] : [];
  const news: ConversationEffect[] = about === null ? [] : [{ kind: 'tell_owner', about }];
  return { instance: base, effects: [...stopped, ...free, ...news] };
}

// The state machine's data of a conversation. All of it is persisted; a restart rebuilds the conversation from these
// fields alone.

export interface Instance {
  readonly id: InstanceId;
  readonly state: InstanceState;
  /** While PAUSED: the state before. After a late reply, while it needs the owner: the terminal state before. */
  readonly previousState: InstanceState | null;
  readonly heartbeat: { readonly intervalMs: number; readonly maxFollowups: number };
  readonly followUpCount: number;
  readonly failureReason: string | null;
  /** The reason for the current state, for people. */
  readonly reason: string | null;
  /** The contact's messages that no turn has read yet. */
  readonly unread: number;
  /** Increases whenever a running turn or timer becomes stale; both carry the epoch they were created in. */
  readonly epoch: number;
  /** Whether a message is queued or unknown: WhatsApp has not acknowledged it. */
  readonly unsent: boolean;
  /** When the next follow-up is due; set in WAITING_FOR_REPLY once every message was acknowledged. */
  readonly timerDueAt: Date | null;
  /** The time left on the follow-up clock while it is stopped: PAUSED, or a message is unsent. */
  readonly timerLeftMs: number | null;
}

export function newInstance(id: InstanceId, heartbeat: Instance['heartbeat']): Instance {
  return {
    id,
    state: 'CREATED',
    previousState: null,
    heartbeat,
    followUpCount: 0,
    failureReason: null,
    reason: null,
    unread: 0,
    epoch: 1,
    unsent: false,
    timerDueAt: null,
    timerLeftMs: null,
  };
}

/**
 * Whether it occupies the contact's only slot. A conversation that was paused while queued stays in the queue, so that
 * pausing it never blocks the one before it.
 */
export function holdsContact(instance: Pick<Instance, 'state' | 'previousState'>): boolean {
  const state = instance.state === 'PAUSED' ? instance.previousState : instance.state;
  return state !== null && state !== 'QUEUED' && !isTerminal(state);
}

// The owner's WhatsApp notice when a conversation needs them or has ended: one line with the contact, the objective,
// the reason and the next step. The parts come from people and models, so each is shortened.

interface ConversationNoticeParts {
  readonly id: InstanceId;
  readonly contact: string;
  readonly objective: string;
  readonly reason: string;
}

const NOTICES: Readonly<Record<OwnerNews, { readonly says: string; readonly next: string }>> = {
  needs_you: { says: 'needs you', next: 'get' },
  completed: { says: 'is completed', next: 'transcript' },
  abandoned: { says: 'ended without a reply', next: 'transcript' },
  failed: { says: 'failed', next: 'get' },
  taken_over: { says: 'is paused', next: 'resume' },
};

export function conversationNotice(
  about: OwnerNews,
  { id, contact, objective, reason }: ConversationNoticeParts,
) {
  const { says, next } = NOTICES[about];
  const what = `“${inOneLine(objective, 80)}” with ${inOneLine(contact, 60)} ${says}.`;
  return `Relay: ${what} ${inOneLine(reason, 300)} → relay ${next} ${id}`;
}

function inOneLine(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const letters = [...line];
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join('')}…`;
}

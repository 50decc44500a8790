import {
  INSTANCE_STATES,
  type InstanceState,
  isTerminal,
  type NonTerminalState,
  STATE_SENTENCES,
} from '@relay/contract/conversation/states';
import { instanceId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, it } from 'vitest';
import {
  holdsContact,
  type Instance,
  newInstance,
  type Transition,
  transition,
} from './transition.ts';
import {
  CONVERSATION_EVENT_TYPES,
  type ConversationEvent,
  type ConversationEventType,
  legalEvents,
} from './transition-table.ts';

const NOW = new Date('2026-01-01T12:00:00Z');
const MINUTE = 60_000;
const ID = instanceId('7d4a1c52-9f3e-4b61-8a7e-2f1f4e9f0c11');

/** An event of each type, with plain payloads. */
function example(type: ConversationEventType): ConversationEvent {
  switch (type) {
    case 'message_sent':
    case 'followup_sent':
      return { type, texts: ['Hello'] };
    case 'schedule_next_heartbeat':
      return { type, delayMs: 5 * MINUTE };
    case 'end_conversation':
    case 'request_intervention':
    case 'unrecoverable_error':
      return { type, reason: 'because' };
    case 'resume':
      return { type, contactIsFree: false };
    case 'manual_send':
      return { type, text: 'It is me' };
    case 'late_reply':
      return { type, policy: 'ask' };
    case 'messages_acknowledged':
      return { type, at: NOW };
    default:
      return { type };
  }
}

function inState(state: InstanceState, more: Partial<Instance> = {}): Instance {
  return {
    ...newInstance(ID, { intervalMs: 30 * MINUTE, maxFollowups: 5 }),
    state,
    previousState: state === 'PAUSED' ? 'ACTIVE' : null,
    timerDueAt: state === 'WAITING_FOR_REPLY' ? new Date(NOW.getTime() + 10 * MINUTE) : null,
    ...more,
  };
}

function apply(instance: Instance, event: ConversationEvent): Transition {
  const result = transition(instance, event, NOW);
  if (!result.ok) throw new Error(result.sentence);
  return result;
}

// Written out by hand, not derived from the table: seed 003's rows and the completions.
const EXPECTED: Record<InstanceState, Partial<Record<ConversationEventType, InstanceState>>> = {
  CREATED: {
    messages_acknowledged: 'CREATED',
    agent_sends_first_message: 'ACTIVE',
    contact_has_active_instance: 'QUEUED',
    contact_replies: 'CREATED',
    pause: 'PAUSED',
    owner_takeover: 'PAUSED',
    cancel: 'FAILED',
    unrecoverable_error: 'FAILED',
  },
  QUEUED: {
    messages_acknowledged: 'QUEUED',
    prior_instance_terminal: 'CREATED',
    contact_replies: 'QUEUED',
    pause: 'PAUSED',
    owner_takeover: 'PAUSED',
    cancel: 'FAILED',
    unrecoverable_error: 'FAILED',
  },
  ACTIVE: {
    messages_acknowledged: 'ACTIVE',
    turn_begins: 'ACTIVE',
    message_sent: 'WAITING_FOR_REPLY',
    schedule_next_heartbeat: 'WAITING_FOR_REPLY',
    end_conversation: 'COMPLETED',
    request_intervention: 'NEEDS_HUMAN_INTERVENTION',
    unrecoverable_error: 'FAILED',
    contact_replies: 'ACTIVE',
    manual_send: 'ACTIVE',
    pause: 'PAUSED',
    owner_takeover: 'PAUSED',
    cancel: 'FAILED',
  },
  WAITING_FOR_REPLY: {
    messages_acknowledged: 'WAITING_FOR_REPLY',
    contact_replies: 'WAITING_FOR_AGENT',
    heartbeat_fires: 'HEARTBEAT_SCHEDULED',
    schedule_next_heartbeat: 'WAITING_FOR_REPLY',
    end_conversation: 'COMPLETED',
    unrecoverable_error: 'FAILED',
    manual_send: 'WAITING_FOR_REPLY',
    pause: 'PAUSED',
    owner_takeover: 'PAUSED',
    cancel: 'FAILED',
  },
  WAITING_FOR_AGENT: {
    messages_acknowledged: 'WAITING_FOR_AGENT',
    agent_processes_reply: 'ACTIVE',
    contact_replies: 'WAITING_FOR_AGENT',
    end_conversation: 'COMPLETED',
    request_intervention: 'NEEDS_HUMAN_INTERVENTION',
    unrecoverable_error: 'FAILED',
    manual_send: 'WAITING_FOR_AGENT',
    pause: 'PAUSED',
    owner_takeover: 'PAUSED',
    cancel: 'FAILED',
  },
  HEARTBEAT_SCHEDULED: {
    messages_acknowledged: 'HEARTBEAT_SCHEDULED',
    followup_sent: 'WAITING_FOR_REPLY',
    schedule_next_heartbeat: 'WAITING_FOR_REPLY',
    contact_replies: 'WAITING_FOR_AGENT',
    max_followups_exceeded: 'ABANDONED',
    end_conversation: 'COMPLETED',
    request_intervention: 'NEEDS_HUMAN_INTERVENTION',
    unrecoverable_error: 'FAILED',
    manual_send: 'HEARTBEAT_SCHEDULED',
    pause: 'PAUSED',
    owner_takeover: 'PAUSED',
    cancel: 'FAILED',
  },
  PAUSED: {
    messages_acknowledged: 'PAUSED',
    resume: 'ACTIVE',
    cancel: 'FAILED',
    manual_send: 'PAUSED',
    contact_replies: 'PAUSED',
  },
  NEEDS_HUMAN_INTERVENTION: {
    messages_acknowledged: 'NEEDS_HUMAN_INTERVENTION',
    resume: 'ACTIVE',
    manual_send: 'ACTIVE',
    contact_replies: 'NEEDS_HUMAN_INTERVENTION',
    unrecoverable_error: 'FAILED',
    pause: 'PAUSED',
    owner_takeover: 'PAUSED',
    cancel: 'FAILED',
  },
  COMPLETED: { late_reply: 'NEEDS_HUMAN_INTERVENTION' },
  ABANDONED: { late_reply: 'NEEDS_HUMAN_INTERVENTION' },
  FAILED: {},
};

describe('every state × event pair', () => {
  const pairs = INSTANCE_STATES.flatMap((state) =>
    CONVERSATION_EVENT_TYPES.map((event) => [state, event] as const),
  );

  it('covers 11 states and 21 events', () => {
    verifies('003-DATA-STATES');
    expect(pairs).toHaveLength(11 * 21);
  });

  it.each(pairs)('%s + %s', (state, type) => {
    verifies('AC-4.1', '003-INV-TERMINAL', '003-OPEN-UNRECOVERABLE', '003-OPEN-END-IN-FOLLOW-UP');
    const before = inState(state);
    const result = transition(before, example(type), NOW);
    const expected = EXPECTED[state][type];
    if (expected === undefined) {
      expect(result).toMatchObject({ ok: false, state, event: type });
      expect(result.ok ? '' : result.sentence).toContain(state);
      expect(legalEvents(state)).not.toContain(type);
      return;
    }
    expect(result).toMatchObject({ ok: true, instance: { state: expected } });
    if (result.ok && expected !== state) {
      expect(result.steps).toEqual([{ from: state, to: expected, trigger: type }]);
      const begins = type === 'agent_sends_first_message' || type === 'agent_processes_reply';
      expect(result.instance.epoch).toBe(begins ? before.epoch : before.epoch + 1);
    }
  });
});

describe('effects of a transition', () => {
  it('sends, and starts the follow-up clock after WhatsApp’s acknowledgement', () => {
    const { instance, effects } = apply(inState('ACTIVE'), {
      type: 'message_sent',
      texts: ['Hi', 'Are you there?'],
    });
    expect(effects).toEqual([
      { kind: 'send', role: 'agent', text: 'Hi', followUp: false },
      { kind: 'send', role: 'agent', text: 'Are you there?', followUp: false },
    ]);
    expect(instance).toMatchObject({ unsent: true, timerDueAt: null, timerLeftMs: 30 * MINUTE });
    const at = new Date(NOW.getTime() + 8 * 60 * MINUTE);
    const sent = apply(instance, { type: 'messages_acknowledged', at });
    const dueAt = new Date(at.getTime() + 30 * MINUTE);
    expect(sent.instance).toMatchObject({ unsent: false, timerDueAt: dueAt, timerLeftMs: null });
    expect([sent.steps, sent.effects]).toEqual([[], [{ kind: 'start_timer', from: at, dueAt }]]);
  });

  it('uses the delay that the agent requested', () => {
    const { instance } = apply(inState('ACTIVE'), {
      type: 'message_sent',
      texts: ['Hi'],
      nextHeartbeatMs: MINUTE,
    });
    expect(instance.timerLeftMs).toBe(MINUTE);
  });

  it('requests again a turn that waited for an acknowledgement', () => {
    const waiting = inState('WAITING_FOR_AGENT', { unsent: true, unread: 1 });
    const { effects } = apply(waiting, { type: 'messages_acknowledged', at: NOW });
    expect(effects).toEqual([{ kind: 'run_turn', purpose: 'reply' }]);
  });

  it.each([
    ['contact_replies', 'answered'],
    ['cancel', 'ended'],
    ['unrecoverable_error', 'ended'],
    ['end_conversation', 'ended'],
    ['owner_takeover', 'taken_over'],
  ] as const)('withdraws queued messages on %s', (type, because) => {
    const queued = inState('WAITING_FOR_REPLY', { unsent: true, timerDueAt: null });
    const withdraw = { kind: 'withdraw', because };
    expect(apply(queued, example(type)).effects).toContainEqual(withdraw);
    expect(apply(inState('WAITING_FOR_REPLY'), example(type)).effects).not.toContainEqual(withdraw);
  });

  it('asks the owner about a reply to an ended conversation, and the owner may leave it ended', () => {
    const ended = inState('COMPLETED', { reason: 'It is booked.' });
    const asked = apply(ended, { type: 'late_reply', policy: 'ask' });
    expect(asked.instance).toMatchObject({
      state: 'NEEDS_HUMAN_INTERVENTION',
      previousState: 'COMPLETED',
      unread: 1,
    });
    expect(asked.effects).toEqual([{ kind: 'tell_owner', about: 'needs_you' }]);
    const left = apply(asked.instance, { type: 'cancel' });
    expect(left.instance).toMatchObject({
      state: 'COMPLETED',
      previousState: null,
      failureReason: null,
      unread: 0,
    });
    expect(left.effects).toEqual([{ kind: 'free_contact' }]);
    expect(apply(asked.instance, { type: 'resume', contactIsFree: false }).instance).toMatchObject({
      state: 'ACTIVE',
      previousState: null,
    });
  });

  it('reopens an ended conversation on a reply if the owner’s policy says so', () => {
    const { instance, effects } = apply(inState('ABANDONED', { followUpCount: 5 }), {
      type: 'late_reply',
      policy: 'reopen',
    });
    expect(instance).toMatchObject({ state: 'WAITING_FOR_AGENT', unread: 1, followUpCount: 0 });
    expect(effects).toEqual([{ kind: 'run_turn', purpose: 'reply' }]);
  });

  it('passes a reply that arrived during the turn to the agent at once, without a timer', () => {
    verifies('003-OPEN-REPLY-LATER');
    const active = apply(inState('ACTIVE'), { type: 'contact_replies' }).instance;
    const { instance, steps, effects } = apply(active, { type: 'message_sent', texts: ['Hi'] });
    expect(instance).toMatchObject({ state: 'WAITING_FOR_AGENT', unread: 1, timerDueAt: null });
    expect(steps.map((s) => s.trigger)).toEqual(['message_sent', 'contact_replies']);
    expect(effects.map((e) => e.kind)).toEqual(['send', 'run_turn']);
  });

  it.each([
    'CREATED',
    'ACTIVE',
    'WAITING_FOR_AGENT',
    'PAUSED',
    'NEEDS_HUMAN_INTERVENTION',
  ] as const)('counts another reply in %s and changes nothing else', (state) => {
    verifies('003-OPEN-REPLY-ELSEWHERE');
    const before = inState(state);
    expect(apply(before, { type: 'contact_replies' }).instance).toEqual({ ...before, unread: 1 });
  });

  it('makes a follow-up stale when a reply arrives first', () => {
    verifies('003-OPEN-REPLY-IN-FOLLOW-UP');
    const before = inState('HEARTBEAT_SCHEDULED');
    const { instance } = apply(before, { type: 'contact_replies' });
    expect(instance.state).toBe('WAITING_FOR_AGENT');
    expect(instance.epoch).toBeGreaterThan(before.epoch);
    expect(transition(instance, { type: 'followup_sent', texts: ['?'] }, NOW).ok).toBe(false);
  });

  it.each([
    ['HEARTBEAT_SCHEDULED', true],
    ['ACTIVE', false],
  ] as const)(
    'marks the text that is sent when the agent in %s asks for the owner as a follow-up: %s',
    (state, followUp) => {
      const asks = { type: 'request_intervention', reason: 'r', texts: ['?'] } as const;
      expect(apply(inState(state), asks).effects).toContainEqual({
        kind: 'send',
        role: 'agent',
        text: '?',
        followUp,
      });
    },
  );

  it('gives up when the last follow-up stays unanswered', () => {
    const { instance, steps, effects } = apply(inState('WAITING_FOR_REPLY', { followUpCount: 5 }), {
      type: 'heartbeat_fires',
    });
    expect(instance.state).toBe('ABANDONED');
    expect(steps.map((s) => s.to)).toEqual(['HEARTBEAT_SCHEDULED', 'ABANDONED']);
    expect(effects).toContainEqual({ kind: 'free_contact' });
    expect(instance.followUpCount).toBe(5);
  });

  it('restarts the follow-up count when the contact answers', () => {
    const { instance } = apply(inState('WAITING_FOR_REPLY', { followUpCount: 5 }), {
      type: 'contact_replies',
    });
    expect(instance).toMatchObject({ state: 'WAITING_FOR_AGENT', followUpCount: 0 });
  });

  it('counts a follow-up that waited for an approval', () => {
    const said = { type: 'message_sent', texts: ['?'], followUp: true } as const;
    const { instance, effects } = apply(inState('ACTIVE', { followUpCount: 1 }), said);
    expect(instance).toMatchObject({ state: 'WAITING_FOR_REPLY', followUpCount: 2 });
    expect(effects).toContainEqual(expect.objectContaining({ kind: 'send', followUp: true }));
  });

  it('counts a follow-up that the agent skipped', () => {
    const { instance } = apply(inState('HEARTBEAT_SCHEDULED', { followUpCount: 2 }), {
      type: 'schedule_next_heartbeat',
      delayMs: MINUTE,
    });
    expect(instance).toMatchObject({ state: 'WAITING_FOR_REPLY', followUpCount: 3 });
  });

  it('keeps the remaining timer while paused and continues from there', () => {
    const paused = apply(inState('WAITING_FOR_REPLY'), { type: 'pause' });
    expect(paused.instance).toMatchObject({
      previousState: 'WAITING_FOR_REPLY',
      timerLeftMs: 10 * MINUTE,
      timerDueAt: null,
    });
    expect(paused.effects).toEqual([{ kind: 'cancel_timer' }]);
    const later = new Date(NOW.getTime() + 8 * 60 * MINUTE);
    const resumed = transition(paused.instance, { type: 'resume', contactIsFree: false }, later);
    expect(resumed).toMatchObject({
      instance: { state: 'WAITING_FOR_REPLY', timerDueAt: new Date(later.getTime() + 10 * MINUTE) },
    });
  });

  it('answers a reply that arrived while paused as soon as it is resumed', () => {
    const paused = apply(inState('WAITING_FOR_REPLY'), { type: 'pause' }).instance;
    const replied = apply(paused, { type: 'contact_replies' }).instance;
    const { instance, effects } = apply(replied, { type: 'resume', contactIsFree: false });
    expect(instance).toMatchObject({ state: 'WAITING_FOR_AGENT', unread: 1 });
    expect(effects).toContainEqual({ kind: 'run_turn', purpose: 'reply' });
  });

  it.each([
    [true, 'CREATED'],
    [false, 'QUEUED'],
  ] as const)('resumes a queued instance with the contact free: %s → %s', (contactIsFree, to) => {
    const paused = apply(inState('QUEUED'), { type: 'pause' }).instance;
    expect(apply(paused, { type: 'resume', contactIsFree }).instance.state).toBe(to);
  });

  it('frees the contact when it ends, unless it was only queued', () => {
    expect(apply(inState('ACTIVE'), { type: 'cancel' }).effects).toContainEqual({
      kind: 'free_contact',
    });
    expect(apply(inState('QUEUED'), { type: 'cancel' }).effects).not.toContainEqual({
      kind: 'free_contact',
    });
    const paused = apply(inState('QUEUED'), { type: 'pause' }).instance;
    expect(apply(paused, { type: 'cancel' }).effects).not.toContainEqual({ kind: 'free_contact' });
  });

  it('sends nothing when cancelled and records why it failed', () => {
    const { instance, effects } = apply(inState('WAITING_FOR_REPLY'), { type: 'cancel' });
    expect(instance.failureReason).toBe('cancelled');
    expect(effects.some((e) => e.kind === 'send')).toBe(false);
  });

  it('sends the owner’s text and lets the agent continue after an intervention', () => {
    const { instance, effects } = apply(inState('NEEDS_HUMAN_INTERVENTION'), {
      type: 'manual_send',
      text: 'Hello, it is me',
    });
    expect(instance.state).toBe('ACTIVE');
    expect(effects).toEqual([
      { kind: 'send', role: 'manual', text: 'Hello, it is me', followUp: false },
      { kind: 'run_turn', purpose: 'continue' },
    ]);
  });

  it('still has the reason for needing the owner after a pause', () => {
    const asking = inState('NEEDS_HUMAN_INTERVENTION', { reason: 'Which day suits you?' });
    const paused = apply(asking, { type: 'pause' }).instance;
    const back = apply(paused, { type: 'resume', contactIsFree: false }).instance;
    expect(back).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION', reason: asking.reason });
  });

  it('restarts the follow-up clock when the owner writes while waiting', () => {
    const { instance, effects } = apply(inState('WAITING_FOR_REPLY'), {
      type: 'manual_send',
      text: 'x',
    });
    expect(instance).toMatchObject({
      state: 'WAITING_FOR_REPLY',
      timerDueAt: null,
      timerLeftMs: 30 * MINUTE,
      epoch: 2,
    });
    expect(effects.map((e) => e.kind)).toEqual(['send', 'cancel_timer']);
  });
});

describe('the owner writes while the conversation is paused', () => {
  it('sends the message and stays paused, with the whole interval left after the resume', () => {
    const waiting = {
      ...inState('WAITING_FOR_REPLY'),
      timerDueAt: new Date(NOW.getTime() + 1_000),
    };
    const paused = apply(waiting, { type: 'pause' }).instance;
    expect(paused.timerLeftMs).toBe(1_000);
    const { instance, effects, steps } = apply(paused, { type: 'manual_send', text: 'x' });
    expect(steps).toEqual([]);
    expect(effects).toEqual([{ kind: 'send', role: 'manual', text: 'x', followUp: false }]);
    expect(instance).toMatchObject({ state: 'PAUSED', previousState: 'WAITING_FOR_REPLY' });
    expect(instance).toMatchObject({ epoch: paused.epoch, timerLeftMs: 30 * MINUTE });
  });

  it('starts no turn, whatever the state before the pause', () => {
    for (const state of ['CREATED', 'QUEUED', 'ACTIVE', 'HEARTBEAT_SCHEDULED'] as const) {
      const paused = apply(inState(state), { type: 'pause' }).instance;
      const { effects } = apply(paused, { type: 'manual_send', text: 'x' });
      expect(effects.map(({ kind }) => kind)).toEqual(['send']);
    }
  });
});

describe('sentences and slots', () => {
  it('has a sentence for every state', () => {
    for (const state of INSTANCE_STATES) expect(STATE_SENTENCES[state]).toMatch(/^[A-Z].+\.$/);
  });

  it.each(INSTANCE_STATES)('knows whether %s occupies the contact', (state) => {
    const free = state === 'QUEUED' || isTerminal(state);
    expect(holdsContact(inState(state))).toBe(!free);
    if (!isTerminal(state) && state !== 'PAUSED') {
      expect(holdsContact({ state: 'PAUSED', previousState: state as NonTerminalState })).toBe(
        state !== 'QUEUED',
      );
    }
  });
});

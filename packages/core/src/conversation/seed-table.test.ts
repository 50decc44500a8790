// Tests seed 003's transition table row by row, with its side effects.

import type { InstanceState } from '@relay/contract/conversation/states';
import { instanceId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { type ConversationEffect, type Instance, newInstance, transition } from './transition.ts';
import type { ConversationEvent } from './transition-table.ts';

const NOW = new Date('2026-01-01T12:00:00Z');
const ID = instanceId('7d4a1c52-9f3e-4b61-8a7e-2f1f4e9f0c11');
const SOON = new Date(NOW.getTime() + 60_000);

function inState(state: InstanceState, more: Partial<Instance> = {}): Instance {
  const timerDueAt = state === 'WAITING_FOR_REPLY' ? SOON : null;
  return {
    ...newInstance(ID, { intervalMs: 60_000, maxFollowups: 5 }),
    state,
    timerDueAt,
    ...more,
  };
}

interface Row {
  readonly cite: () => void;
  readonly from: Instance;
  readonly event: ConversationEvent;
  readonly to: InstanceState;
  readonly effects: readonly ConversationEffect['kind'][];
  readonly fields?: Partial<Instance>;
}

const pause: ConversationEvent = { type: 'pause' };
const cancel: ConversationEvent = { type: 'cancel' };
const end: ConversationEvent = { type: 'end_conversation', reason: 'done' };
const cancelled = { failureReason: 'cancelled' };
const freed = ['free_contact', 'tell_owner'] as const;

const ROWS: readonly Row[] = [
  {
    cite: () => verifies('003-T-CREATED-agent_sends_first_message'),
    from: inState('CREATED'),
    event: { type: 'agent_sends_first_message' },
    to: 'ACTIVE',
    effects: [],
  },
  {
    cite: () => verifies('003-T-CREATED-contact_has_active_instance'),
    from: inState('CREATED'),
    event: { type: 'contact_has_active_instance' },
    to: 'QUEUED',
    effects: [],
  },
  {
    cite: () => verifies('003-T-CREATED-pause'),
    from: inState('CREATED'),
    event: pause,
    to: 'PAUSED',
    effects: [],
    fields: { previousState: 'CREATED' },
  },
  {
    cite: () => verifies('003-T-CREATED-cancel'),
    from: inState('CREATED'),
    event: cancel,
    to: 'FAILED',
    effects: freed,
    fields: cancelled,
  },
  {
    cite: () => verifies('003-T-QUEUED-prior_instance_terminal'),
    from: inState('QUEUED'),
    event: { type: 'prior_instance_terminal' },
    to: 'CREATED',
    effects: ['run_turn'],
  },
  {
    cite: () => verifies('003-T-QUEUED-pause'),
    from: inState('QUEUED'),
    event: pause,
    to: 'PAUSED',
    effects: [],
    fields: { previousState: 'QUEUED' },
  },
  {
    cite: () => verifies('003-T-QUEUED-cancel'),
    from: inState('QUEUED'),
    event: cancel,
    to: 'FAILED',
    effects: ['tell_owner'],
    fields: cancelled,
  },
  {
    cite: () => verifies('003-T-ACTIVE-message_sent'),
    from: inState('ACTIVE'),
    event: { type: 'message_sent', texts: ['Hi'] },
    to: 'WAITING_FOR_REPLY',
    // The timer starts when WhatsApp has acknowledged the message: decision 0027.
    effects: ['send'],
    fields: { timerDueAt: null, timerLeftMs: 60_000, unsent: true },
  },
  {
    cite: () => verifies('003-T-ACTIVE-end_conversation'),
    from: inState('ACTIVE'),
    event: end,
    to: 'COMPLETED',
    effects: freed,
  },
  {
    cite: () => verifies('003-T-ACTIVE-request_intervention'),
    from: inState('ACTIVE'),
    event: { type: 'request_intervention', reason: 'lost' },
    to: 'NEEDS_HUMAN_INTERVENTION',
    effects: ['tell_owner'],
    fields: { reason: 'lost' },
  },
  {
    cite: () => verifies('003-T-ACTIVE-unrecoverable_error'),
    from: inState('ACTIVE'),
    event: { type: 'unrecoverable_error', reason: 'broken' },
    to: 'FAILED',
    effects: freed,
    fields: { failureReason: 'broken' },
  },
  {
    cite: () => verifies('003-T-ACTIVE-pause'),
    from: inState('ACTIVE'),
    event: pause,
    to: 'PAUSED',
    effects: [],
    fields: { previousState: 'ACTIVE' },
  },
  {
    cite: () => verifies('003-T-ACTIVE-cancel'),
    from: inState('ACTIVE'),
    event: cancel,
    to: 'FAILED',
    effects: freed,
    fields: cancelled,
  },
  {
    cite: () => verifies('003-T-WAITING_FOR_REPLY-contact_replies'),
    from: inState('WAITING_FOR_REPLY'),
    event: { type: 'contact_replies' },
    to: 'WAITING_FOR_AGENT',
    effects: ['cancel_timer', 'run_turn'],
    fields: { timerDueAt: null },
  },
  {
    cite: () => verifies('003-T-WAITING_FOR_REPLY-heartbeat_fires'),
    from: inState('WAITING_FOR_REPLY'),
    event: { type: 'heartbeat_fires' },
    to: 'HEARTBEAT_SCHEDULED',
    effects: ['cancel_timer', 'run_turn'],
  },
  {
    cite: () => verifies('003-T-WAITING_FOR_REPLY-end_conversation'),
    from: inState('WAITING_FOR_REPLY'),
    event: end,
    to: 'COMPLETED',
    effects: ['cancel_timer', ...freed],
  },
  {
    cite: () => verifies('003-T-WAITING_FOR_REPLY-pause'),
    from: inState('WAITING_FOR_REPLY'),
    event: pause,
    to: 'PAUSED',
    effects: ['cancel_timer'],
    fields: { previousState: 'WAITING_FOR_REPLY', timerLeftMs: 60_000 },
  },
  {
    cite: () => verifies('003-T-WAITING_FOR_REPLY-cancel'),
    from: inState('WAITING_FOR_REPLY'),
    event: cancel,
    to: 'FAILED',
    effects: ['cancel_timer', ...freed],
    fields: cancelled,
  },
  {
    cite: () => verifies('003-T-WAITING_FOR_AGENT-agent_processes_reply'),
    from: inState('WAITING_FOR_AGENT', { unread: 2 }),
    event: { type: 'agent_processes_reply' },
    to: 'ACTIVE',
    effects: [],
    fields: { unread: 0 },
  },
  {
    cite: () => verifies('003-T-WAITING_FOR_AGENT-end_conversation'),
    from: inState('WAITING_FOR_AGENT'),
    event: end,
    to: 'COMPLETED',
    effects: freed,
  },
  {
    cite: () => verifies('003-T-WAITING_FOR_AGENT-pause'),
    from: inState('WAITING_FOR_AGENT'),
    event: pause,
    to: 'PAUSED',
    effects: [],
    fields: { previousState: 'WAITING_FOR_AGENT' },
  },
  {
    cite: () => verifies('003-T-WAITING_FOR_AGENT-cancel'),
    from: inState('WAITING_FOR_AGENT'),
    event: cancel,
    to: 'FAILED',
    effects: freed,
    fields: cancelled,
  },
  {
    cite: () => verifies('003-T-HEARTBEAT_SCHEDULED-followup_sent'),
    from: inState('HEARTBEAT_SCHEDULED'),
    event: { type: 'followup_sent', texts: ['Still there?'] },
    to: 'WAITING_FOR_REPLY',
    effects: ['send'],
    fields: { followUpCount: 1, timerLeftMs: 60_000 },
  },
  {
    cite: () => verifies('003-T-HEARTBEAT_SCHEDULED-max_followups_exceeded'),
    from: inState('HEARTBEAT_SCHEDULED'),
    event: { type: 'max_followups_exceeded' },
    to: 'ABANDONED',
    effects: freed,
  },
  {
    cite: () => verifies('003-T-HEARTBEAT_SCHEDULED-pause'),
    from: inState('HEARTBEAT_SCHEDULED'),
    event: pause,
    to: 'PAUSED',
    effects: [],
    fields: { previousState: 'HEARTBEAT_SCHEDULED' },
  },
  {
    cite: () => verifies('003-T-HEARTBEAT_SCHEDULED-cancel'),
    from: inState('HEARTBEAT_SCHEDULED'),
    event: cancel,
    to: 'FAILED',
    effects: freed,
    fields: cancelled,
  },
  {
    cite: () => verifies('003-T-PAUSED-resume'),
    from: inState('PAUSED', { previousState: 'WAITING_FOR_REPLY', timerLeftMs: 60_000 }),
    event: { type: 'resume', contactIsFree: false },
    to: 'WAITING_FOR_REPLY',
    effects: ['start_timer'],
    fields: { timerDueAt: SOON, previousState: null },
  },
  {
    cite: () => verifies('003-T-PAUSED-cancel'),
    from: inState('PAUSED', { previousState: 'ACTIVE' }),
    event: cancel,
    to: 'FAILED',
    effects: freed,
    fields: cancelled,
  },
  {
    cite: () => verifies('003-T-NEEDS_HUMAN_INTERVENTION-resume'),
    from: inState('NEEDS_HUMAN_INTERVENTION'),
    event: { type: 'resume', contactIsFree: false },
    to: 'ACTIVE',
    effects: ['run_turn'],
  },
  {
    cite: () => verifies('003-T-NEEDS_HUMAN_INTERVENTION-manual_send'),
    from: inState('NEEDS_HUMAN_INTERVENTION'),
    event: { type: 'manual_send', text: 'Me' },
    to: 'ACTIVE',
    effects: ['send', 'run_turn'],
  },
  {
    cite: () => verifies('003-T-NEEDS_HUMAN_INTERVENTION-pause'),
    from: inState('NEEDS_HUMAN_INTERVENTION'),
    event: pause,
    to: 'PAUSED',
    effects: [],
    fields: { previousState: 'NEEDS_HUMAN_INTERVENTION' },
  },
  {
    cite: () => verifies('003-T-NEEDS_HUMAN_INTERVENTION-cancel'),
    from: inState('NEEDS_HUMAN_INTERVENTION'),
    event: cancel,
    to: 'FAILED',
    effects: freed,
    fields: cancelled,
  },
];

for (const { cite, from, event, to, effects, fields } of ROWS) {
  test(`${from.state} on ${event.type} becomes ${to}`, () => {
    cite();
    const result = transition(from, event, NOW);
    expect(result).toMatchObject({
      ok: true,
      instance: { state: to, ...fields },
      steps: [{ from: from.state, to, trigger: event.type }],
    });
    expect(result.ok && result.effects.map(({ kind }) => kind)).toEqual(effects);
  });
}

test('has 32 rows', () => {
  expect(ROWS).toHaveLength(32);
});

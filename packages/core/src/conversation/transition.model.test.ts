// Tests the state machine against a reference model written the other way round: it states for each event where it may
// happen and what holds afterwards, with its own timer and queue.

import type { InstanceState } from '@relay/contract/conversation/states';
import { instanceId } from '@relay/contract/ids';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Instance, newInstance, transition } from './transition.ts';
import {
  CONVERSATION_EVENT_TYPES,
  type ConversationEvent,
  type ConversationEventType,
} from './transition-table.ts';

const RUNS = Number(process.env.PROPERTY_RUNS ?? 500);
const ID = instanceId('7d4a1c52-9f3e-4b61-8a7e-2f1f4e9f0c11');
const START = Date.parse('2026-03-01T00:00:00Z');

class Reference {
  state: InstanceState = 'CREATED';
  before: InstanceState | null = null;
  now = START;
  due: number | null = null;
  left: number | null = null;
  unsent = false;
  unread = 0;
  followUps = 0;
  sent = 0;
  endings = 0;
  stales = 0;
  readonly interval: number;
  readonly max: number;

  constructor(interval: number, max: number) {
    this.interval = interval;
    this.max = max;
  }

  get ended() {
    return ['COMPLETED', 'ABANDONED', 'FAILED'].includes(this.state);
  }

  /** Returns false if the event must be refused. */
  on(event: ConversationEvent): boolean {
    if (this.ended && event.type !== 'late_reply') return false;
    const legal = this[event.type](event as never);
    if (legal) this.drain();
    return legal;
  }

  private drain() {
    if (!['WAITING_FOR_REPLY', 'HEARTBEAT_SCHEDULED'].includes(this.state)) return;
    if (this.unread > 0) this.to('WAITING_FOR_AGENT');
    else if (this.state === 'HEARTBEAT_SCHEDULED' && this.followUps >= this.max)
      this.to('ABANDONED');
  }

  private to(state: InstanceState) {
    this.state = state;
    this.stales++;
    this.due = null;
    this.left = null;
    this.before = null;
    if (this.ended) this.endings++;
    return true;
  }

  /** The requested turn continues: nothing becomes stale. */
  private begin() {
    this.to('ACTIVE');
    this.stales--;
    return true;
  }

  private wait(ms: number) {
    this.to('WAITING_FOR_REPLY');
    if (this.unsent) this.left = ms;
    else this.due = this.now + ms;
    return true;
  }

  private is(...states: InstanceState[]) {
    return states.includes(this.state);
  }

  agent_sends_first_message() {
    if (!this.is('CREATED')) return false;
    this.unread = 0;
    return this.begin();
  }
  agent_processes_reply() {
    if (!this.is('WAITING_FOR_AGENT')) return false;
    this.unread = 0;
    return this.begin();
  }
  turn_begins() {
    if (!this.is('ACTIVE')) return false;
    this.unread = 0;
    return true;
  }
  message_sent(e: { texts: string[]; nextHeartbeatMs?: number }) {
    if (!this.is('ACTIVE')) return false;
    this.sent += e.texts.length;
    this.unsent = true;
    return this.wait(e.nextHeartbeatMs ?? this.interval);
  }
  followup_sent(e: { texts: string[]; nextHeartbeatMs?: number }) {
    if (!this.is('HEARTBEAT_SCHEDULED')) return false;
    this.sent += e.texts.length;
    this.unsent = true;
    this.followUps++;
    return this.wait(e.nextHeartbeatMs ?? this.interval);
  }
  schedule_next_heartbeat(e: { delayMs: number }) {
    if (!this.is('ACTIVE', 'HEARTBEAT_SCHEDULED', 'WAITING_FOR_REPLY')) return false;
    if (this.is('HEARTBEAT_SCHEDULED')) this.followUps++;
    return this.wait(e.delayMs);
  }
  end_conversation() {
    return (
      this.is('ACTIVE', 'WAITING_FOR_REPLY', 'WAITING_FOR_AGENT', 'HEARTBEAT_SCHEDULED') &&
      this.to('COMPLETED')
    );
  }
  request_intervention(e: { texts?: string[] }) {
    if (!this.is('ACTIVE', 'WAITING_FOR_AGENT', 'HEARTBEAT_SCHEDULED')) return false;
    this.sent += e.texts?.length ?? 0;
    this.unsent ||= e.texts !== undefined;
    return this.to('NEEDS_HUMAN_INTERVENTION');
  }
  unrecoverable_error() {
    return !this.is('PAUSED') && this.to('FAILED');
  }
  contact_replies() {
    this.unread++;
    this.followUps = 0;
    return true;
  }
  heartbeat_fires() {
    return this.is('WAITING_FOR_REPLY') && this.to('HEARTBEAT_SCHEDULED');
  }
  max_followups_exceeded() {
    return this.is('HEARTBEAT_SCHEDULED') && this.to('ABANDONED');
  }
  pause() {
    if (this.is('PAUSED')) return false;
    const { state, due, left } = this;
    this.to('PAUSED');
    this.before = state;
    this.left = due === null ? left : Math.max(0, due - this.now);
    return true;
  }
  owner_takeover() {
    return this.pause();
  }
  resume(e: { contactIsFree: boolean }) {
    if (this.is('NEEDS_HUMAN_INTERVENTION')) return this.to('ACTIVE');
    if (!this.is('PAUSED') || this.before === null) return false;
    const back = this.before === 'QUEUED' && e.contactIsFree ? 'CREATED' : this.before;
    return back === 'WAITING_FOR_REPLY' ? this.wait(this.left ?? this.interval) : this.to(back);
  }
  manual_send() {
    if (this.is('CREATED', 'QUEUED')) return false;
    this.sent++;
    this.unsent = true;
    if (this.is('PAUSED') && this.before === 'WAITING_FOR_REPLY') this.left = this.interval;
    if (this.is('NEEDS_HUMAN_INTERVENTION')) this.to('ACTIVE');
    else if (this.is('WAITING_FOR_REPLY')) this.wait(this.interval);
    return true;
  }
  cancel() {
    const { before } = this;
    if (before !== 'COMPLETED' && before !== 'ABANDONED') return this.to('FAILED');
    this.to(before);
    this.endings--;
    this.unread = 0;
    return true;
  }
  late_reply(e: { policy: string }) {
    if (!this.is('COMPLETED', 'ABANDONED')) return false;
    const { state } = this;
    this.to(e.policy === 'reopen' ? 'WAITING_FOR_AGENT' : 'NEEDS_HUMAN_INTERVENTION');
    if (e.policy === 'ask') this.before = state;
    this.followUps = 0;
    this.unread = 1;
    return true;
  }
  messages_acknowledged(e: { at: Date }) {
    this.unsent = false;
    if (!this.is('WAITING_FOR_REPLY') || this.due !== null || this.left === null) return true;
    this.due = e.at.getTime() + this.left;
    this.left = null;
    this.stales++;
    return true;
  }
  contact_has_active_instance() {
    return this.is('CREATED') && this.to('QUEUED');
  }
  prior_instance_terminal() {
    return this.is('QUEUED') && this.to('CREATED');
  }
}

interface Real {
  instance: Instance;
  sent: number;
  endings: number;
  log: { from: InstanceState; to: InstanceState }[];
}

const delay = fc.integer({ min: 1_000, max: 86_400_000 });
const texts = fc.array(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 3 });
const sending = fc.record({ texts, nextHeartbeatMs: delay }, { requiredKeys: ['texts'] });

const payloads: Partial<Record<ConversationEventType, fc.Arbitrary<object>>> = {
  message_sent: sending,
  followup_sent: sending,
  schedule_next_heartbeat: fc.record({ delayMs: delay }),
  end_conversation: fc.record({ reason: fc.string() }),
  request_intervention: fc.record({ reason: fc.string(), texts }, { requiredKeys: ['reason'] }),
  unrecoverable_error: fc.record({ reason: fc.string() }),
  resume: fc.record({ contactIsFree: fc.boolean() }),
  manual_send: fc.record({ text: fc.string() }),
  late_reply: fc.record({ policy: fc.constantFrom('ask', 'reopen') }),
  messages_acknowledged: fc.record({
    at: fc.integer({ min: 0, max: 7_200_000 }).map((ms) => new Date(START + ms)),
  }),
};

// Endings and errors are rare, or every run would be over after a few commands.
const RARE: readonly ConversationEventType[] = [
  'cancel',
  'unrecoverable_error',
  'end_conversation',
  'max_followups_exceeded',
];

const command = fc
  .oneof(
    ...CONVERSATION_EVENT_TYPES.map((type) => ({
      weight: RARE.includes(type) ? 1 : 8,
      arbitrary: fc
        .tuple(payloads[type] ?? fc.constant({}), fc.integer({ min: 0, max: 7_200_000 }))
        .map(([payload, passes]) => ({
          event: { type, ...payload } as ConversationEvent,
          passes,
        })),
    })),
  )
  .map(({ event, passes }) => new Happens(event, passes));

class Happens implements fc.Command<Reference, Real> {
  readonly event: ConversationEvent;
  readonly passes: number;

  constructor(event: ConversationEvent, passes: number) {
    this.event = event;
    this.passes = passes;
  }

  check() {
    return true;
  }

  run(model: Reference, real: Real) {
    model.now += this.passes;
    const before = real.instance;
    const result = transition(before, this.event, new Date(model.now));
    const legal = model.on(this.event);
    expect(result.ok).toBe(legal);
    if (!result.ok) return;

    real.instance = result.instance;
    real.sent += result.effects.filter((e) => e.kind === 'send').length;
    real.endings += result.effects.filter(
      (e) => e.kind === 'tell_owner' && ['completed', 'abandoned', 'failed'].includes(e.about),
    ).length;
    real.log.push(...result.steps);
    this.compare(
      model,
      real,
      before,
      result.effects.map((e) => e.kind),
    );
  }

  private compare(model: Reference, real: Real, before: Instance, effects: readonly string[]) {
    const { instance } = real;
    expect(instance.state).toBe(model.state);
    expect(instance.previousState).toBe(model.before);
    expect(instance.timerDueAt?.getTime() ?? null).toBe(model.due);
    expect(instance.timerLeftMs).toBe(model.left);
    expect(instance.unread).toBe(model.unread);
    expect(instance.followUpCount).toBe(model.followUps);
    expect(real.sent).toBe(model.sent);
    expect(real.endings).toBe(model.endings);
    // Invariants of the seed and of the design.
    expect(instance.followUpCount).toBeLessThanOrEqual(instance.heartbeat.maxFollowups + 1);
    const wasEnded =
      instance.previousState === 'COMPLETED' || instance.previousState === 'ABANDONED';
    expect(instance.previousState !== null).toBe(instance.state === 'PAUSED' || wasEnded);
    expect(instance.unsent).toBe(model.unsent);
    // The follow-up clock runs exactly while it waits for the contact and every message was acknowledged.
    expect(instance.timerDueAt !== null).toBe(
      instance.state === 'WAITING_FOR_REPLY' && !instance.unsent,
    );
    expect(instance.epoch > before.epoch).toBe(model.stales > this.stalesSeen(real));
    const last = real.log.at(-1);
    if (last) expect(last.to).toBe(instance.state);
    // A timer that ran and no longer runs was cancelled; one that runs was started or unchanged.
    if (before.timerDueAt !== null && instance.timerDueAt === null)
      expect(effects).toContain('cancel_timer');
    if (instance.timerDueAt !== null && instance.timerDueAt !== before.timerDueAt)
      expect(effects).toContain('start_timer');
    seen.set(real, model.stales);
  }

  private stalesSeen(real: Real) {
    return seen.get(real) ?? 0;
  }

  toString() {
    return `${this.event.type} after ${this.passes} ms`;
  }
}

const seen = new WeakMap<Real, number>();

it(`behaves like the reference in ${RUNS} runs of up to 100 events`, { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(
      fc.commands([command], { maxCommands: 100, size: 'max' }),
      fc.integer({ min: 1_000, max: 86_400_000 }),
      fc.integer({ min: 0, max: 8 }),
      (commands, intervalMs, maxFollowups) => {
        fc.modelRun(
          () => ({
            model: new Reference(intervalMs, maxFollowups),
            real: {
              instance: newInstance(ID, { intervalMs, maxFollowups }),
              sent: 0,
              endings: 0,
              log: [],
            },
          }),
          commands,
        );
      },
    ),
    { numRuns: RUNS },
  );
});

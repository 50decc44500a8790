import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import {
  advanceProgress,
  type DeliveryProgress,
  mayOffer,
  type OutboxEvent,
  type ReachedState,
} from './progress.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 500);
vi.setConfig({ testTimeout: 10_000 + 10 * numRuns });

const FRESH: DeliveryProgress = { state: 'pending', inDoubt: false };
const anyReached = fc.constantFrom<ReachedState>('sent', 'delivered', 'read');
const receipt = (status: ReachedState): OutboxEvent => ({ type: 'receipt', status });
const after = (...events: OutboxEvent[]) => events.reduce(advanceProgress, FRESH);

const OFFERED: OutboxEvent = { type: 'offered' };
const LOST: OutboxEvent = { type: 'lost' };
const STOPPED: OutboxEvent = { type: 'stopped' };
const refused = (verdict: 'final' | 'later'): OutboxEvent => ({ type: 'refused', verdict });

const anyEvent: fc.Arbitrary<OutboxEvent> = fc.oneof(
  fc.constant(OFFERED),
  fc.constant<OutboxEvent>({ type: 'accepted' }),
  fc.boolean().map((last): OutboxEvent => ({ type: 'not_sent', last })),
  fc.constant(LOST),
  fc.constantFrom(refused('final'), refused('later')),
  anyReached.map(receipt),
  fc.constant(STOPPED),
);

test('receipts in any order lead to the furthest state', () => {
  const order = ['sent', 'delivered', 'read'];
  fc.assert(
    fc.property(fc.array(anyReached, { minLength: 1 }), (statuses) => {
      const furthest = order[Math.max(...statuses.map((status) => order.indexOf(status)))];
      expect(after(OFFERED, ...statuses.map(receipt)).state).toBe(furthest);
    }),
    { numRuns },
  );
});

test('a known fact is never taken back, whatever the order of events', () => {
  const rank = { pending: 0, unknown: 1, sent: 2, delivered: 3, read: 4 };
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      let progress = FRESH;
      for (const event of events) {
        const next = advanceProgress(progress, event);
        if (progress.state === 'failed') {
          // Only an unknown failure is ever corrected, and only by proof that it arrived.
          if (next.state !== 'failed') {
            expect(progress.inDoubt).toBe(true);
            expect(['receipt', 'accepted']).toContain(event.type);
          }
        } else if (next.state === 'failed') {
          expect(['pending', 'unknown', 'sent']).toContain(progress.state);
        } else {
          expect(rank[next.state]).toBeGreaterThanOrEqual(rank[progress.state]);
        }
        if (next.state === 'unknown') expect(next.inDoubt).toBe(true);
        progress = next;
      }
    }),
    { numRuns },
  );
});

type Told = 'accepted' | 'not_sent' | 'silence' | 'final' | 'later';

/** The transport knows what really happened; the sender knows only what was reported. */
interface Truth {
  readonly progress: DeliveryProgress;
  readonly left: boolean;
}

function offer(before: Truth, told: Told, leaves: boolean): Truth {
  const offered = advanceProgress(before.progress, OFFERED);
  // A message is never sent twice at once.
  expect(mayOffer(offered, false)).toBe(false);
  const left = before.left || told === 'accepted' || (told === 'silence' && leaves);
  return { progress: advanceProgress(offered, outcome(told)), left };
}

test('sends a message again only if it was certainly not sent or is reconciled', () => {
  const step = fc.record({
    leaves: fc.boolean(),
    told: fc.constantFrom<Told>('accepted', 'not_sent', 'silence', 'final', 'later'),
    reconciled: fc.boolean(),
    receipt: fc.option(anyReached, { nil: null }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let truth: Truth = { progress: FRESH, left: false };
      for (const { leaves, told, reconciled, receipt: status } of steps) {
        if (mayOffer(truth.progress, reconciled)) {
          if (!reconciled) expect(truth.left).toBe(false);
          truth = offer(truth, told, leaves);
        }
        // A receipt exists only for a message that was sent.
        if (status !== null && truth.left) {
          truth = { ...truth, progress: advanceProgress(truth.progress, receipt(status)) };
          expect(['sent', 'delivered', 'read']).toContain(truth.progress.state);
        }
      }
    }),
    { numRuns },
  );
});

function outcome(told: Told): OutboxEvent {
  switch (told) {
    case 'accepted':
      return { type: 'accepted' };
    case 'not_sent':
      return { type: 'not_sent', last: false };
    case 'silence':
      return LOST;
    default:
      return refused(told);
  }
}

test('a receipt corrects a message that was stopped while unknown, but not one that certainly failed', () => {
  expect(after(OFFERED, LOST, STOPPED)).toEqual({ state: 'failed', inDoubt: true });
  expect(after(OFFERED, LOST, STOPPED, receipt('delivered')).state).toBe('delivered');
  expect(after(OFFERED, refused('final'), receipt('delivered')).state).toBe('failed');
  expect(after(STOPPED, receipt('delivered')).state).toBe('failed');
});

test('too many messages leaves the state unchanged, and so does a second refusal', () => {
  expect(after(OFFERED, refused('later'))).toEqual(FRESH);
  expect(after(OFFERED, refused('later'), refused('final'))).toEqual(FRESH);
  expect(after(OFFERED, LOST, refused('later')).state).toBe('unknown');
  expect(after(OFFERED, { type: 'accepted' }, refused('final')).state).toBe('failed');
  expect(after(OFFERED, receipt('delivered'), refused('final')).state).toBe('delivered');
});

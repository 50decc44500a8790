import {
  INSTANCE_STATES,
  isTerminal,
  type NonTerminalState,
} from '@relay/contract/conversation/states';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Instance, transition } from './transition.ts';
import {
  type ConversationEvent,
  legalEvents,
  OWNERS_MOVES,
  type OwnersMove,
  ownersMoves,
} from './transition-table.ts';

const NOW = new Date('2026-11-15T12:00:00Z');
const OPEN = INSTANCE_STATES.filter((state): state is NonTerminalState => !isTerminal(state));

const eventOf: Record<OwnersMove, ConversationEvent> = {
  manual_send: { type: 'manual_send', text: 'hello' },
  resume: { type: 'resume', contactIsFree: false },
  pause: { type: 'pause' },
  cancel: { type: 'cancel' },
};

const instances = fc.record({
  state: fc.constantFrom(...INSTANCE_STATES),
  previousState: fc.constantFrom(...OPEN.filter((state) => state !== 'PAUSED')),
  followUpCount: fc.nat(4),
});

const standing = (of: Pick<Instance, 'state' | 'previousState' | 'followUpCount'>): Instance => ({
  ...of,
  previousState: of.state === 'PAUSED' ? of.previousState : null,
  id: '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d' as Instance['id'],
  heartbeat: { intervalMs: 60_000, maxFollowups: 5 },
  failureReason: null,
  reason: null,
  unread: 0,
  epoch: 1,
  unsent: false,
  timerDueAt: null,
  timerLeftMs: null,
});

test('the offered moves are exactly those that the table accepts', () => {
  fc.assert(
    fc.property(fc.constantFrom(...INSTANCE_STATES), (state) => {
      const offered = ownersMoves(state, null).map(({ move }) => move);
      const accepted = OWNERS_MOVES.filter((move) => legalEvents(state).includes(move));
      expect(offered).toEqual(accepted);
    }),
  );
});

test('each move leads to the stated state', () => {
  fc.assert(
    fc.property(instances, (of) => {
      const before = standing(of);
      for (const { move, to } of ownersMoves(before.state, before.previousState)) {
        const after = transition(before, eventOf[move], NOW);
        expect(after).toMatchObject({ ok: true, instance: { state: to } });
      }
    }),
  );
});

test('a move that is not offered is refused', () => {
  fc.assert(
    fc.property(instances, (of) => {
      const before = standing(of);
      const offered = ownersMoves(before.state, before.previousState).map(({ move }) => move);
      for (const move of OWNERS_MOVES.filter((move) => !offered.includes(move))) {
        expect(transition(before, eventOf[move], NOW).ok).toBe(false);
      }
    }),
  );
});

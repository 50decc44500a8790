import type { ContactId } from '@relay/contract/ids';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isSameMessage,
  PAIRING_SKEW_MS,
  pairMessages,
  type ReceivedMessage,
  type ReportedMessage,
} from './pairing.ts';

const BASE = Date.UTC(2026, 2, 12, 9);
const who = (n: number) => `person-${n}` as ContactId;

const anyMessage = fc.record({
  at: fc.integer({ min: 0, max: 3_600_000 }),
  sender: fc.nat(2),
  essence: fc.constantFrom('ok', 'on my way'),
});
const anyTruth = fc.array(
  fc.record({
    message: anyMessage,
    skew: fc.integer({ min: -PAIRING_SKEW_MS, max: PAIRING_SKEW_MS }),
    named: fc.boolean(),
  }),
  { maxLength: 8 },
);

const heardOf = ({
  at,
  sender,
  essence,
}: {
  at: number;
  sender: number;
  essence: string;
}): ReceivedMessage => ({
  at: new Date(BASE + at),
  essence,
  author: who(sender),
});

test('pairs every notification with its own message if each arrives both ways', () => {
  fc.assert(
    fc.property(anyTruth, fc.infiniteStream(fc.nat()), (truth, dice) => {
      const heard = truth.map(({ message }) => heardOf(message));
      const told: ReportedMessage[] = truth.map(({ message, skew, named }) => ({
        at: new Date(BASE + message.at + skew),
        essence: message.essence,
        authors: named ? new Set([who(message.sender)]) : null,
      }));
      const shuffled = told
        .map((one) => ({ one, die: dice.next().value ?? 0 }))
        .sort((a, b) => a.die - b.die)
        .map(({ one }) => one);
      const pairs = pairMessages(shuffled, heard);
      expect(pairs).not.toContain(null);
      expect(new Set(pairs).size).toBe(pairs.length);
      pairs.forEach((place, n) => {
        expect(
          isSameMessage(shuffled[n] as ReportedMessage, heard[place as number] as ReceivedMessage),
        ).toBe(true);
      });
    }),
  );
});

test('a paired message stays paired when more arrive', () => {
  fc.assert(
    fc.property(anyTruth, anyTruth, (first, second) => {
      const told = (all: typeof first): ReportedMessage[] =>
        all.map(({ message, skew }) => ({
          at: new Date(BASE + message.at + skew),
          essence: message.essence,
          authors: null,
        }));
      const heard = first.map(({ message }) => heardOf(message));
      const before = pairMessages(told(first), heard);
      const after = pairMessages([...told(first), ...told(second)], heard);
      before.forEach((place, n) => {
        if (place !== null) expect(after[n]).not.toBeNull();
      });
    }),
  );
});

test('another sender, text or hour is another message', () => {
  const told: ReportedMessage = { at: new Date(BASE), essence: 'ok', authors: new Set([who(1)]) };
  const heard: ReceivedMessage = { at: new Date(BASE), essence: 'ok', author: who(1) };
  expect(pairMessages([told], [heard])).toEqual([0]);
  expect(pairMessages([told], [{ ...heard, author: who(2) }])).toEqual([null]);
  expect(pairMessages([told], [{ ...heard, author: 'me' }])).toEqual([null]);
  expect(pairMessages([told], [{ ...heard, essence: 'no' }])).toEqual([null]);
  expect(pairMessages([told], [{ ...heard, at: new Date(BASE + 3_600_000) }])).toEqual([null]);
});

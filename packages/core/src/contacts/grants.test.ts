import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { changeOf, DENIED, type Grant, isWithin, narrowest, REPLY_MODES } from './grants.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 500);
vi.setConfig({ testTimeout: 5_000 + 5 * numRuns });
const ALL: Grant = { canRead: true, canReply: true, replyMode: 'auto', canInitiate: true };
const anyGrant = fc.option(
  fc.record<Grant>({
    canRead: fc.boolean(),
    canReply: fc.boolean(),
    replyMode: fc.constantFrom(...REPLY_MODES),
    canInitiate: fc.boolean(),
  }),
);

describe('grants', () => {
  test('the narrowest of two grants is what both allow', () => {
    expect(
      narrowest({ ...ALL, canReply: false }, { ...ALL, canRead: false, replyMode: 'draft' }),
    ).toEqual({ canRead: false, canReply: false, replyMode: 'draft', canInitiate: true });
  });

  test('with no grant on one side nothing is left', () => {
    expect(narrowest(ALL, null)).toBeNull();
    expect(narrowest(null, ALL)).toBeNull();
  });

  test.each<[string, Grant | null, Grant | null, string]>([
    ['a first grant', null, { ...DENIED, canRead: true }, 'widen'],
    ['one more permission', { ...ALL, canReply: false }, ALL, 'widen'],
    ['auto in place of draft', { ...ALL, replyMode: 'draft' }, ALL, 'widen'],
    [
      'one taken and another given',
      { ...ALL, canRead: false },
      { ...ALL, canReply: false },
      'widen',
    ],
    ['draft in place of auto', ALL, { ...ALL, replyMode: 'draft' }, 'narrow'],
    ['a revocation', ALL, DENIED, 'narrow'],
    ['a removal', ALL, null, 'narrow'],
    ['a record that grants nothing', null, DENIED, 'narrow'],
    ['no change', ALL, ALL, 'narrow'],
  ])('%s counts as it should', (_what, before, after, change) => {
    expect(changeOf(before, after)).toBe(change);
  });

  test('narrowest is the greatest grant within both, in whatever order it is taken', () => {
    fc.assert(
      fc.property(anyGrant, anyGrant, anyGrant, (a, b, c) => {
        const meet = narrowest(a, b);
        expect(isWithin(meet, a) && isWithin(meet, b)).toBe(true);
        expect(meet).toEqual(narrowest(b, a));
        expect(narrowest(meet, c)).toEqual(narrowest(a, narrowest(b, c)));
        expect(narrowest(a, a)).toEqual(a);
        if (a && b && c && isWithin(c, a) && isWithin(c, b)) expect(isWithin(c, meet)).toBe(true);
      }),
      { numRuns },
    );
  });
});

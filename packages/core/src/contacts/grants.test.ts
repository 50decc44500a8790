import { REPLY_MODES } from '@relay/contract/contacts/grant-options';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { DENIED_GRANT, type Grant, grantChange, isGrantWithin, narrowestGrant } from './grants.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 500);
vi.setConfig({ testTimeout: 60_000 + 5 * numRuns });
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
      narrowestGrant({ ...ALL, canReply: false }, { ...ALL, canRead: false, replyMode: 'draft' }),
    ).toEqual({ canRead: false, canReply: false, replyMode: 'draft', canInitiate: true });
  });

  test('nothing is allowed if one side has no grant', () => {
    expect(narrowestGrant(ALL, null)).toBeNull();
    expect(narrowestGrant(null, ALL)).toBeNull();
  });

  test.each<[string, Grant | null, Grant | null, string]>([
    ['a first grant', null, { ...DENIED_GRANT, canRead: true }, 'widen'],
    ['one more permission', { ...ALL, canReply: false }, ALL, 'widen'],
    ['auto in place of draft', { ...ALL, replyMode: 'draft' }, ALL, 'widen'],
    [
      'one taken and another given',
      { ...ALL, canRead: false },
      { ...ALL, canReply: false },
      'widen',
    ],
    ['draft in place of auto', ALL, { ...ALL, replyMode: 'draft' }, 'narrow'],
    ['a revocation', ALL, DENIED_GRANT, 'narrow'],
    ['a removal', ALL, null, 'narrow'],
    ['a record that grants nothing', null, DENIED_GRANT, 'narrow'],
    ['no change', ALL, ALL, 'narrow'],
  ])('classifies %s correctly', (_what, before, after, change) => {
    expect(grantChange(before, after)).toBe(change);
  });

  test('narrowest is the greatest grant within both, in any order', () => {
    fc.assert(
      fc.property(anyGrant, anyGrant, anyGrant, (a, b, c) => {
        const meet = narrowestGrant(a, b);
        expect(isGrantWithin(meet, a) && isGrantWithin(meet, b)).toBe(true);
        expect(meet).toEqual(narrowestGrant(b, a));
        expect(narrowestGrant(meet, c)).toEqual(narrowestGrant(a, narrowestGrant(b, c)));
        expect(narrowestGrant(a, a)).toEqual(a);
        if (a && b && c && isGrantWithin(c, a) && isGrantWithin(c, b))
          expect(isGrantWithin(c, meet)).toBe(true);
      }),
      { numRuns },
    );
  });
});

import {
  grantOptionsSchema,
  patchGrantOptions,
  REPLY_MODES,
} from '@relay/contract/contacts/grant-options';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DENIED_GRANT,
  type Grant,
  type GrantRecord,
  grantRecordChange,
  isGrantWithin,
} from './grants.ts';

const anyGrant = fc.record<Grant>({
  canRead: fc.boolean(),
  canReply: fc.boolean(),
  replyMode: fc.constantFrom(...REPLY_MODES),
  canInitiate: fc.boolean(),
});
const anyOptions = fc.constantFrom<GrantRecord['options']>(
  {},
  { persona: 'brief' },
  { persona: 'brief', quietHours: { from: '22:00', to: '07:00' } },
  { quietHours: { from: '22:00', to: '07:00', zone: 'Europe/Berlin' } },
);
const anyRecord = fc.record<GrantRecord>({
  displayName: fc.constantFrom('Mom', 'Mum'),
  grant: anyGrant,
  options: anyOptions,
});

test('a narrowing change allows nothing more and changes neither name nor persona', () => {
  fc.assert(
    fc.property(fc.option(anyRecord), fc.option(anyRecord), (before, after) => {
      if (grantRecordChange(before, after) === 'widen') return;
      expect(isGrantWithin(after?.grant ?? null, before?.grant ?? null)).toBe(true);
      if (after === null) return;
      expect(before).not.toBeNull();
      expect(after.displayName).toBe(before?.displayName);
      expect(after.options).toEqual(before?.options);
    }),
    { numRuns: 2_000 },
  );
});

test('a chain of narrowing changes never allows more', () => {
  fc.assert(
    fc.property(fc.option(anyRecord), fc.array(fc.option(anyRecord)), (first, changes) => {
      let now = first;
      for (const change of changes) if (grantRecordChange(now, change) === 'narrow') now = change;
      expect(isGrantWithin(now?.grant ?? null, first?.grant ?? null)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('revoking everything, or the whole record, always narrows', () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      expect(grantRecordChange(record, null)).toBe('narrow');
      expect(grantRecordChange(record, { ...record, grant: DENIED_GRANT })).toBe('narrow');
      expect(grantRecordChange(record, structuredClone(record))).toBe('narrow');
    }),
  );
});

test('changes options key by key, and null removes one', () => {
  const options = { persona: 'brief', model: 'small' };
  expect(patchGrantOptions(options, {})).toEqual(options);
  expect(
    patchGrantOptions(options, { persona: null, quietHours: { from: '22:00', to: '07:00' } }),
  ).toEqual({ model: 'small', quietHours: { from: '22:00', to: '07:00' } });
});

test.each([
  { persona: '' },
  { quietHours: { from: '24:00', to: '07:00' } },
  { quietHours: { from: '22:00' } },
  { quietHours: { from: '22:00', to: '07:00', zone: 'Mars/Olympus' } },
  { colour: 'red' },
])('refuses %j as options', (options) => {
  expect(grantOptionsSchema.safeParse(options).success).toBe(false);
});

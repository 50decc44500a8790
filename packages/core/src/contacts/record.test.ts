import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DENIED, type Grant, isWithin, REPLY_MODES } from './grants.ts';
import { grantOptionsSchema, patchOptions } from './options.ts';
import { changeOfRecord, type GrantRecord } from './record.ts';

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

test('a change that narrows gives nothing, names nobody and changes no voice', () => {
  fc.assert(
    fc.property(fc.option(anyRecord), fc.option(anyRecord), (before, after) => {
      if (changeOfRecord(before, after) === 'widen') return;
      expect(isWithin(after?.grant ?? null, before?.grant ?? null)).toBe(true);
      if (after === null) return;
      expect(before).not.toBeNull();
      expect(after.displayName).toBe(before?.displayName);
      expect(after.options).toEqual(before?.options);
    }),
    { numRuns: 2_000 },
  );
});

test('a chain of narrowings never gets anybody anything', () => {
  fc.assert(
    fc.property(fc.option(anyRecord), fc.array(fc.option(anyRecord)), (first, changes) => {
      let now = first;
      for (const change of changes) if (changeOfRecord(now, change) === 'narrow') now = change;
      expect(isWithin(now?.grant ?? null, first?.grant ?? null)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('taking everything back, or the whole record, always narrows', () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      expect(changeOfRecord(record, null)).toBe('narrow');
      expect(changeOfRecord(record, { ...record, grant: DENIED })).toBe('narrow');
      expect(changeOfRecord(record, structuredClone(record))).toBe('narrow');
    }),
  );
});

test('options are changed key by key, and null takes one away', () => {
  const options = { persona: 'brief', model: 'small' };
  expect(patchOptions(options, {})).toEqual(options);
  expect(
    patchOptions(options, { persona: null, quietHours: { from: '22:00', to: '07:00' } }),
  ).toEqual({ model: 'small', quietHours: { from: '22:00', to: '07:00' } });
});

test.each([
  { persona: '' },
  { quietHours: { from: '24:00', to: '07:00' } },
  { quietHours: { from: '22:00' } },
  { quietHours: { from: '22:00', to: '07:00', zone: 'Mars/Olympus' } },
  { colour: 'red' },
])('%j are no options', (options) => {
  expect(grantOptionsSchema.safeParse(options).success).toBe(false);
});

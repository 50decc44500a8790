import { growth } from '@relay/testing/growth';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskSensitive } from './mask.ts';

/** The factor for quadratic time on a text that is six times as long. */
const GROWS_WITH_ITS_SQUARE = 36;

test.each([
  ['+49 170 1234567', '***67'],
  ['(040) 123-4567', '(***67'],
  ['491701234567@s.whatsapp.net', '***@s.whatsapp.net'],
  ['491701234567:12@s.whatsapp.net', '***@s.whatsapp.net'],
  ['491701234567_1:12@lid', '***@lid'],
  ['120363041234567890@g.us', '***@g.us'],
  ['49170-1600000000@g.us', '***@g.us'],
  ['\u202a+49\u00a0170\u00a01234567\u202c', '\u202a***67\u202c'],
  ['٠١٢٣٤٥٦٧٨', '***٧٨'],
  ['authorization: Bearer abc.def-123', 'authorization: ***'],
  ['Bearer abc.def-123, then', '***, then'],
  ['relay_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4', '***'],
  ['key sk-ant-api03-abcdefghijklmnop', 'key ***'],
  ['AIzaSyA1234567890abcdefghijklmnopqrstu', '***'],
  ['eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl', '***'],
  ['postgres://relay:hunter2@localhost/db', 'postgres://***@localhost/db'],
  ['{"password":"hunter2"}', '{"password":"***"}'],
  ['?api_key=abc&x=1', '?api_key=***&x=1'],
])('masks %s', (secret, masked) => {
  expect(maskSensitive(secret)).toBe(masked);
});

test.each([
  'Instance 12345678-1234-4123-8123-123456789012 is ACTIVE.',
  'at 2026-11-15T02:13:00.123Z',
  '127.0.0.1:3214',
  'PostgreSQL 18.4, schema 12',
  'at listen (file:///app/daemon/main.js:1234:56)',
])('does not mask %s', (harmless) => {
  expect(maskSensitive(harmless)).toBe(harmless);
});

const phone = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 7, maxLength: 15 })
  .map((digits) => digits.join(''));
const separators = fc.constantFrom('', ' ', '-', '.', '/', ') ', '\u00a0', '\u2011');
const around = fc.string({ unit: 'grapheme', maxLength: 40 });

test('masks every phone number, in any format and between any characters', () => {
  fc.assert(
    fc.property(
      phone,
      separators,
      fc.integer({ min: 1, max: 6 }),
      around,
      around,
      (digits, gap, at, before, after) => {
        const written = digits.slice(0, at) + gap + digits.slice(at);
        const masked = maskSensitive(`${before} ${written} ${after}`);
        expect(masked).not.toContain(written);
        expect(masked).not.toContain(digits);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('masks every token and key', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9]{32,64}$/);
  const secret = fc.oneof(
    word.map((value) => `relay_${value}`),
    word.map((value) => `sk-${value}`),
    word.map((value) => `Bearer ${value}`),
  );
  fc.assert(
    fc.property(secret, around, around, (value, before, after) => {
      expect(maskSensitive(`${before} ${value} ${after}`)).not.toContain(value);
      expect(maskSensitive(JSON.stringify({ [before]: `${value}` }))).not.toContain(value);
    }),
    { numRuns: 1_000 },
  );
});

test('takes time in proportion to the length of the text', () => {
  for (const piece of ['1 ', '-', 'a:1.', '://:', 'token= ', '1:', '0123456']) {
    const grows = growth((size) => maskSensitive(piece.repeat(size)), 2_000, 6);
    expect(grows, piece).toBeLessThan(GROWS_WITH_ITS_SQUARE / 2);
  }
});

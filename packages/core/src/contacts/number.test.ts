import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPhoneNumber } from './phone-number.ts';

const GERMAN = '491701234567';
const AMERICAN = '14155551234';

test.each<[string, string | null, string | null]>([
  ['+49 170 1234567', null, '491701234567'],
  ['+49 (0)170 / 123-4567', null, '491701234567'],
  ['0049 170 1234567', GERMAN, '491701234567'],
  ['0049 170 1234567', null, '491701234567'],
  ['491701234567', null, '491701234567'],
  ['491701234567', AMERICAN, '491701234567'],
  ['0170 1234567', GERMAN, '491701234567'],
  ['(415) 555-1234', AMERICAN, '14155551234'],
  ['415.555.1234', AMERICAN, '14155551234'],
  ['+1 415 555 1234', GERMAN, '14155551234'],
  // A country whose calling code several share: the code alone has to suffice.
  ['415 555 3002', '15550000000', '14155553002'],
  ['0170 1234567', null, null],
  ['Mom', GERMAN, null],
  ['Room 101 22 33 44', GERMAN, null],
  ['14155551234@s.whatsapp.net', null, null],
  ['+٤٩١٧٠١٢٣٤٥٦٧', null, null],
  ['12', GERMAN, null],
  ['', GERMAN, null],
])('reads %j, at home with %s, as %s', (text, home, number) => {
  expect(readPhoneNumber(text, home)).toBe(number);
});

test('any text becomes international digits or null, and never throws', () => {
  const home = fc.constantFrom(null, GERMAN, AMERICAN);
  const typed = fc.oneof(fc.string(), fc.stringMatching(/^[+0-9 ()./-]{0,20}$/));
  fc.assert(
    fc.property(typed, home, (text, from) => {
      expect(readPhoneNumber(text, from) ?? '1234567').toMatch(/^[1-9]\d{6,14}$/);
    }),
  );
});

test('reads its own result as the same number', () => {
  const typed = fc.stringMatching(/^\+?[0-9 -]{7,16}$/);
  fc.assert(
    fc.property(typed, (text) => {
      const number = readPhoneNumber(text, GERMAN);
      if (number !== null) expect(readPhoneNumber(`+${number}`, AMERICAN)).toBe(number);
    }),
    { examples: [['0-000-0----0']] },
  );
});

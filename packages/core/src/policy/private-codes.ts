// What in a private text is a code rather than words: six or more digits that are neither a date nor a
// time nor a price, or twelve or more characters that mix letters and digits. Bookings, accounts, keys.
import { squeeze } from './squeeze.ts';

const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const MONTH = '(?:0?[1-9]|1[0-2])';
const YEAR = '(?:19|20)\\d\\d';
const AMOUNT = "(?:\\d{1,3}(?:[.,' ]\\d{3}){1,4}|\\d{1,12})(?:[.,]\\d{1,2})?";
const CURRENCY = '(?:[€$£¥₹]|(?:eur|euros?|usd|dollars?|chf|gbp|pounds?|clp|pesos?|inr)\\b)';

/** Figures that people tell each other all day. */
const ORDINARY = new RegExp(
  [
    `(?<!\\d)${YEAR}([-./])${MONTH}\\1${DAY}(?!\\d)`,
    `(?<!\\d)${DAY}([-./])${MONTH}\\2(?:${YEAR}|\\d\\d)(?!\\d)`,
    `(?<!\\d)${MONTH}([-./])${DAY}\\3(?:${YEAR}|\\d\\d)(?!\\d)`,
    `(?<!\\d)${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])(?!\\d)`,
    `(?<!\\d)${YEAR} ?[-–/] ?${YEAR}(?!\\d)`,
    '(?<![\\d.])(?:[01]?\\d|2[0-4])[:.h][0-5]\\d(?::[0-5]\\d)?(?!\\.?\\d)(?: ?(?:am|pm|uhr|h)\\b)?',
    '(?<!\\d)\\d{1,2} ?(?:am|pm|uhr)\\b',
    `${CURRENCY} ?${AMOUNT}(?!\\d)`,
    `(?<!\\d)${AMOUNT} ?${CURRENCY}`,
    "(?<![\\d.,])\\d{1,3}(?:[.,']\\d{3})+(?:[.,]\\d{1,2})?(?![\\d])",
  ].join('|'),
  'giu',
);

/** In groups, as people write long numbers; or joined by marks. */
const NUMBER = /\d{3,}(?: \d{3,})+|\d\d(?: \d\d){3,}|\d+(?:[-./]\d+)*/g;
const MIXED = /[\p{L}\d]+(?:[-_.:/+=@#~][\p{L}\d]+)*/gu;
/** A number at one end of ordinary words: `2-bedroom-flat`, `Gleis-14`. */
const COMPOUND = /^(?:\d{1,2}-[\p{L}-]+|[\p{L}-]+-\d{1,2})$/u;

const MIXED_LENGTH = 12;
const DIGITS = 6;

/** Squeezed, each once. */
export function codesIn(text: string): string[] {
  if (!/\d/.test(text)) return [];
  const whole = text.normalize('NFKC');
  const numbers = (whole.replace(ORDINARY, ' ').match(NUMBER) ?? [])
    .map(squeeze)
    .filter(({ length }) => length >= DIGITS);
  const mixed = (whole.match(MIXED) ?? []).filter(isMixed).map(squeeze);
  return [...new Set([...numbers, ...mixed])];
}

function isMixed(token: string): boolean {
  if (token.length < MIXED_LENGTH || COMPOUND.test(token)) return false;
  if (!/\p{L}/u.test(token) || (token.match(/\d/g) ?? []).length < 2) return false;
  return /\d/.test(token.replace(ORDINARY, ' '));
}

// Decides whether a text reveals private text: a long quotation, or a code. Text is compared without case, accents,
// spaces and punctuation, forwards, backwards, and decoded from the common encodings. What the other side said and what
// may be shared are not secret. It does not detect paraphrases or ciphers.
import { bytesToComparableText, reverseText, toComparableText } from './comparable-text.ts';

interface PrivateTexts {
  /** Texts that only the owner writes come first. */
  readonly privateTexts: readonly string[];
  /** What the contact said, or heard from the owner. */
  readonly knownTexts: readonly string[];
  /** What may be shared verbatim. */
  readonly facts: readonly string[];
  /** What the same agent said last, oldest first: a secret may be revealed in pieces. */
  readonly saidBefore?: readonly string[];
}

/** This many letters and digits in a row are neither an accident nor a natural phrase. */
const QUOTATION = 64;
/** A shorter text counts if it is quoted whole, from this length on. */
const SHORTEST = 40;
const BLOCK = QUOTATION / 2;
/** What others said is recognised in pieces of this length. */
const PIECE = 12;
/** Only this many codes are searched in pieces, which costs the most. */
const MOST_CODES = 100;

export function leaksPrivateText(text: string, words: PrivateTexts): boolean {
  const secrets = words.privateTexts.map((secret) => ({
    codes: codesIn(secret),
    words: toComparableText(secret),
  }));
  const found = [
    ...secretsIn(text, secrets),
    ...completedBy(text, words.saidBefore ?? [], secrets),
  ];
  if (found.length === 0) return false;
  const told = [...words.knownTexts, ...words.facts].map(toComparableText);
  return found.some((secret) => !isTold(secret, told));
}

interface Secret {
  readonly codes: readonly string[];
  /** The whole text, reduced to letters and digits. */
  readonly words: string;
}

function secretsIn(text: string, secrets: readonly Secret[]): string[] {
  const { plain, hidden } = possibleReadings(text);
  const read = traceText([plain, ...hidden].join('\n'));
  return secrets.flatMap(({ codes, words }) => [
    ...codes.filter((code) => has(read, code)),
    ...quotationsIn(read, words),
  ]);
}

/** What only the text and the lines before it reveal together; also a code that the text splits. */
function completedBy(
  text: string,
  before: readonly string[],
  secrets: readonly Secret[],
): string[] {
  const codes = secrets.flatMap((secret) => secret.codes).slice(0, MOST_CODES);
  const all = new CodePieces([...before, text]);
  const pieces = codes.map((code) => ({ code, told: all.of(code) }));
  const made = pieces.filter(({ told }) => told.length > 0);
  const joined = before.length === 0 ? [] : secretsIn([...before, text].join(''), secrets);
  if (made.length === 0 && joined.length === 0) return [];
  const earlier = new CodePieces(before);
  const quoted = before.length === 0 ? [] : secretsIn(before.join(''), secrets);
  return [
    ...made.flatMap(({ code, told }) => (earlier.of(code).length === 0 ? told : [])),
    ...joined.filter((secret) => !quoted.some((part) => hardlyMore(secret, part))),
  ];
}

/** A few more letters do not make an already revealed quotation a new one. */
const hardlyMore = (secret: string, part: string): boolean =>
  secret.includes(part) && secret.length - part.length < BLOCK;

const has = ({ text }: TracedText, secret: string): boolean =>
  text.includes(secret) || text.includes(reverseText(secret));

/** The parts of a secret that occur in the text, forwards or backwards. */
function quotationsIn(read: TracedText, secret: string): string[] {
  if (secret.length < SHORTEST) return [];
  if (secret.length < QUOTATION) {
    return has(read, secret) ? [secret] : [];
  }
  return [...stretchesIn(read, secret), ...stretchesIn(read, reverseText(secret)).map(reverseText)];
}

/** Any part as long as a quotation contains one whole block, wherever it begins. */
function stretchesIn({ text: read, traces }: TracedText, secret: string): string[] {
  const stretches: string[] = [];
  for (let at = 0; at + BLOCK <= secret.length; at += BLOCK) {
    if (!mayContain(traces, secret, at, BLOCK)) continue;
    const block = secret.slice(at, at + BLOCK);
    for (let hit = read.indexOf(block); hit >= 0; hit = read.indexOf(block, hit + 1)) {
      const stretch = extend(read, hit, secret, at);
      if (stretch.length < QUOTATION) continue;
      stretches.push(stretch);
      break;
    }
  }
  return stretches;
}

/** Extends a match in both directions. */
function extend(read: string, hit: number, secret: string, at: number): string {
  let before = 0;
  while (before < at && before < hit && read[hit - before - 1] === secret[at - before - 1])
    before++;
  let after = BLOCK;
  while (at + after < secret.length && read[hit + after] === secret[at + after]) after++;
  return secret.slice(at - before, at + after);
}

/** Whether others said it whole; of a quotation, enough that the rest is none. */
function isTold(secret: string, told: readonly string[]): boolean {
  if (told.some((text) => text.includes(secret))) return true;
  if (secret.length < SHORTEST) return false;
  let untold = 0;
  for (let at = 0; at < secret.length; ) {
    const piece = secret.slice(at, at + PIECE);
    const known = piece.length === PIECE && told.some((text) => text.includes(piece));
    if (!known) untold++;
    at += known ? PIECE : 1;
  }
  return untold < Math.min(secret.length, QUOTATION) / 2;
}

// Finds codes in a private text: six or more digits that are not a date, time or price, or twelve or more characters
// that mix letters and digits. Bookings, accounts, keys.

const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const MONTH = '(?:0?[1-9]|1[0-2])';
const YEAR = '(?:19|20)\\d\\d';
const AMOUNT = "(?:\\d{1,3}(?:[.,' ]\\d{3}){1,4}|\\d{1,12})(?:[.,]\\d{1,2})?";
const CURRENCY = '(?:[€$£¥₹]|(?:eur|euros?|usd|dollars?|chf|gbp|pounds?|clp|pesos?|inr)\\b)';

/** Figures that people use in ordinary messages. */
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

/** Grouped, as people write long numbers, or joined by punctuation. */
const NUMBER = /\d{3,}(?: \d{3,})+|\d\d(?: \d\d){3,}|\d+(?:[-./]\d+)*/g;
const MIXED = /[\p{L}\d]+(?:[-_.:/+=@#~][\p{L}\d]+)*/gu;
/** A number at one end of ordinary words: `2-bedroom-flat`, `Gleis-14`. */
const COMPOUND = /^(?:\d{1,2}-[\p{L}-]+|[\p{L}-]+-\d{1,2})$/u;

const MIXED_LENGTH = 12;
const DIGITS = 6;

/** Reduced to letters and digits, each once. */
export function codesIn(text: string): string[] {
  if (!/\d/.test(text)) return [];
  const whole = text.normalize('NFKC');
  const numbers = (whole.replace(ORDINARY, ' ').match(NUMBER) ?? [])
    .map(toComparableText)
    .filter(({ length }) => length >= DIGITS);
  const mixed = (whole.match(MIXED) ?? []).filter(isMixed).map(toComparableText);
  return [...new Set([...numbers, ...mixed])];
}

function isMixed(token: string): boolean {
  if (token.length < MIXED_LENGTH || COMPOUND.test(token)) return false;
  if (!/\p{L}/u.test(token) || (token.match(/\d/g) ?? []).length < 2) return false;
  return /\d/.test(token.replace(ORDINARY, ' '));
}

// Detects a code told in pieces, over several messages or within one: a text is read together with the lines before it.
// Most of a code counts as the code; its ordinary words alone do not. The result is the part of the code in the lines,
// so that the caller can check whether it is known otherwise.

/** Shorter pieces occur by chance in ordinary messages. */
const SHORTEST_DIGITS = 3;
const SHORTEST_MIXED = 4;
const MOST = 0.75;
const MOST_DIGITS = 0.5;
/** Only the beginning of a very long code is checked: revealing that reveals the code. */
const LONGEST = 64;

class CodePieces {
  readonly #lines: readonly string[];
  readonly #plain: string;
  /** With all readings of a line; too many of them match short runs of digits by chance. */
  #all: string | null = null;

  constructor(lines: readonly string[]) {
    this.#lines = [...lines, lines.join('')];
    this.#plain = bothWays(this.#lines.map(toComparableText));
  }

  /** The pieces of a code in the lines; none unless they are most of it. */
  of(code: string): string[] {
    if (/^\d+$/.test(code)) return mostOf(code, this.#plain, SHORTEST_DIGITS);
    this.#all ??= bothWays(this.#lines.flatMap(readingsOf));
    return mostOf(code, this.#all, SHORTEST_MIXED);
  }
}

const bothWays = (texts: readonly string[]): string =>
  texts.flatMap((text) => [text, reverseText(text)]).join('\n');

function readingsOf(line: string): string[] {
  const { plain, hidden } = possibleReadings(line);
  return [plain, ...hidden];
}

function mostOf(whole: string, text: string, shortest: number): string[] {
  const code = whole.slice(0, LONGEST);
  const pieces: string[] = [];
  let told = '';
  let end = 0;
  for (let from = 0; from + shortest <= code.length; from++) {
    const to = from + longestAt(code, from, text, shortest);
    if (to <= end) continue;
    pieces.push(code.slice(from, to));
    told += code.slice(Math.max(from, end), to);
    end = to;
  }
  const most = told.length >= code.length * MOST && digits(told) >= digits(code) * MOST_DIGITS;
  return most ? pieces : [];
}

const digits = (text: string): number => text.replace(/\D/g, '').length;

/** How much of the code from this position occurs in the text in one piece. */
function longestAt(code: string, from: number, text: string, shortest: number): number {
  // A longer piece never occurs before the shorter one, so one pass over the text is enough.
  let at = 0;
  for (let length = shortest; from + length <= code.length; length++) {
    at = text.indexOf(code.slice(from, from + length), at);
    if (at < 0) return length === shortest ? 0 : length - 1;
  }
  return code.length - from;
}

// Decodes a text in every way that a person with ordinary tools would. The alignment inside a longer text is unknown,
// so each is tried; nonsense does no harm.

interface TextReadings {
  /** The text itself. */
  readonly plain: string;
  /** Decoded from base64, hexadecimal and percent encoding. */
  readonly hidden: readonly string[];
}

function possibleReadings(text: string): TextReadings {
  return {
    plain: toComparableText(text),
    hidden: [
      ...fromDigits(text, BASE64, 6),
      ...(/[-_]/.test(text) ? fromDigits(text, BASE64_URL, 6) : []),
      ...fromDigits(text.replace(HEX_MARKS, ''), HEX, 4),
      ...(text.includes('%') ? [toComparableText(percentDecoded(text))] : []),
    ],
  };
}

type Alphabet = Readonly<Int8Array>;

function alphabet(...runs: readonly (readonly [characters: string, from: number])[]): Alphabet {
  const values = new Int8Array(128).fill(-1);
  for (const [characters, from] of runs) {
    for (const [at, character] of [...characters].entries()) {
      values[character.charCodeAt(0)] = from + at;
    }
  }
  return values;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const BASE64 = alphabet([LETTERS, 0], ['+/', 62]);
const BASE64_URL = alphabet([LETTERS, 0], ['-_', 62]);
const HEX = alphabet(['0123456789', 0], ['abcdef', 10], ['ABCDEF', 10]);
/** Byte prefixes in programs and pages. */
const HEX_MARKS = /\\x|0x|\\u00|&#x|%/gi;

/** The digits of an alphabet in the text, whatever stands between them, read as bytes. */
function fromDigits(text: string, values: Alphabet, bits: 4 | 6): string[] {
  const digits = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const value = values[text.charCodeAt(at)] ?? -1;
    if (value >= 0) digits[length++] = value;
  }
  const alignments = bits === 6 ? [0, 1, 2, 3] : [0, 1];
  return alignments.map((from) =>
    bytesToComparableText(toBytes(digits.subarray(from, length), bits)),
  );
}

function toBytes(digits: Uint8Array, bits: number): Uint8Array {
  const bytes = new Uint8Array(Math.floor((digits.length * bits) / 8));
  let [held, holding, length] = [0, 0, 0];
  for (let at = 0; at < digits.length; at++) {
    held = ((held << bits) | (digits[at] ?? 0)) & 0x3fff;
    holding += bits;
    if (holding < 8) continue;
    holding -= 8;
    bytes[length++] = (held >> holding) & 0xff;
  }
  return bytes;
}

function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return '';
    }
  });
}

// A fast negative test for "does this text contain this part?": every four letters in a row leave a trace, and a part
// with a missing trace is not there. A positive result has to be verified.

interface TracedText {
  readonly text: string;
  readonly traces: Uint8Array;
}

const GRAM = 4;
const STEP = 3;
const SIZE = 1 << 16;

const traceAt = (text: string, at: number): number =>
  (Math.imul(text.charCodeAt(at), 0x9e5f) ^
    Math.imul(text.charCodeAt(at + 1), 0x3c6f) ^
    Math.imul(text.charCodeAt(at + 2), 0x61c9) ^
    Math.imul(text.charCodeAt(at + 3), 0x1b87)) &
  (SIZE - 1);

function traceText(text: string): TracedText {
  const traces = new Uint8Array(SIZE);
  for (let at = 0; at + GRAM <= text.length; at++) traces[traceAt(text, at)] = 1;
  return { text, traces };
}

function mayContain(traces: Uint8Array, text: string, from: number, length: number): boolean {
  for (let at = from; at + GRAM <= from + length; at += STEP) {
    if (traces[traceAt(text, at)] === 0) return false;
  }
  return true;
}

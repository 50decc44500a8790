// Whether a text gives away private words: a quotation at length, or a code. Words are compared without
// case, accents, spaces and marks, as written, backwards, and out of the common encodings. What the other
// side said itself and what may be told are no secrets. A paraphrase is beyond this, and so is any cipher.
import { codesIn } from './private-codes.ts';
import { Pieces } from './private-pieces.ts';
import { readings } from './private-readings.ts';
import { backwards, squeeze } from './squeeze.ts';
import { mayHold, type Traced, traced } from './traces.ts';

export interface PrivateWords {
  /** Those first that nobody but the owner writes in. */
  readonly privateTexts: readonly string[];
  /** What the contact said, or was told by the owner. */
  readonly knownTexts: readonly string[];
  /** What may be told as it stands. */
  readonly facts: readonly string[];
  /** What the same agent said last, oldest first: a secret may be told in pieces. */
  readonly saidBefore?: readonly string[];
}

/** As many letters and digits in a row are no accident, nor the way one naturally puts it. */
const QUOTATION = 64;
/** A text too short for that counts when it is quoted whole, from this length on. */
const SHORTEST = 40;
const BLOCK = QUOTATION / 2;
/** What others said is recognised in pieces of this length. */
const PIECE = 12;
/** Looked for in pieces, which costs the most: the first of them. */
const MOST_CODES = 100;

export function quotesPrivate(text: string, words: PrivateWords): boolean {
  const secrets = words.privateTexts.map((secret) => ({
    codes: codesIn(secret),
    words: squeeze(secret),
  }));
  const found = [
    ...secretsIn(text, secrets),
    ...completedBy(text, words.saidBefore ?? [], secrets),
  ];
  if (found.length === 0) return false;
  const told = [...words.knownTexts, ...words.facts].map(squeeze);
  return found.some((secret) => !isTold(secret, told));
}

interface Secret {
  readonly codes: readonly string[];
  /** All of it, squeezed. */
  readonly words: string;
}

function secretsIn(text: string, secrets: readonly Secret[]): string[] {
  const { plain, hidden } = readings(text);
  const read = traced([plain, ...hidden].join('\n'));
  return secrets.flatMap(({ codes, words }) => [
    ...codes.filter((code) => has(read, code)),
    ...quotationsIn(read, words),
  ]);
}

/** What neither the text nor the lines before it say, but both together; also a code that the text takes apart. */
function completedBy(
  text: string,
  before: readonly string[],
  secrets: readonly Secret[],
): string[] {
  const codes = secrets.flatMap((secret) => secret.codes).slice(0, MOST_CODES);
  const all = new Pieces([...before, text]);
  const pieces = codes.map((code) => ({ code, told: all.of(code) }));
  const made = pieces.filter(({ told }) => told.length > 0);
  const joined = before.length === 0 ? [] : secretsIn([...before, text].join(''), secrets);
  if (made.length === 0 && joined.length === 0) return [];
  const earlier = new Pieces(before);
  const quoted = before.length === 0 ? [] : secretsIn(before.join(''), secrets);
  return [
    ...made.flatMap(({ code, told }) => (earlier.of(code).length === 0 ? told : [])),
    ...joined.filter((secret) => !quoted.some((part) => hardlyMore(secret, part))),
  ];
}

/** A quotation that was told already does not become another by the next few letters. */
const hardlyMore = (secret: string, part: string): boolean =>
  secret.includes(part) && secret.length - part.length < BLOCK;

const has = ({ text }: Traced, secret: string): boolean =>
  text.includes(secret) || text.includes(backwards(secret));

/** The stretches of a secret that are in what was read, forwards or backwards. */
function quotationsIn(read: Traced, secret: string): string[] {
  if (secret.length < SHORTEST) return [];
  if (secret.length < QUOTATION) {
    return has(read, secret) ? [secret] : [];
  }
  return [...stretchesIn(read, secret), ...stretchesIn(read, backwards(secret)).map(backwards)];
}

/** Any stretch as long as a quotation holds one whole block, wherever it begins. */
function stretchesIn({ text: read, traces }: Traced, secret: string): string[] {
  const stretches: string[] = [];
  for (let at = 0; at + BLOCK <= secret.length; at += BLOCK) {
    if (!mayHold(traces, secret, at, BLOCK)) continue;
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

/** How far the two go on being the same, both ways. */
function extend(read: string, hit: number, secret: string, at: number): string {
  let before = 0;
  while (before < at && before < hit && read[hit - before - 1] === secret[at - before - 1])
    before++;
  let after = BLOCK;
  while (at + after < secret.length && read[hit + after] === secret[at + after]) after++;
  return secret.slice(at - before, at + after);
}

/** Said by others, whole; of a quotation, so much of it that what is left is none. */
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

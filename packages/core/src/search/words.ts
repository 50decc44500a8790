// The words of a text, as search knows them: folded, with their places, so that phrases can be found. What
// is written without spaces is cut up, and what is written with and without signs (SP-87, SP 87, SP87) meets.
import { fold } from './fold.ts';
import { stem } from './stem.ts';

/** Changes whenever the same text would give other words: what is indexed is indexed anew. */
export const INDEX_VERSION = 1;

export interface Word {
  readonly term: string;
  /** Its place in the text; several terms may share one. */
  readonly at: number;
}

/** What is longer is nobody's word, and the index has an end. */
const LONGEST = 64;
const MOST = 4_000;

const RUN = /[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}/gu;
/** Written without spaces, a character or two to a word. */
const IDEOGRAPHIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
/** Written without spaces, and cut into words by a dictionary. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Endings are written onto words, too many to name. */
const HANGUL = /\p{Script=Hangul}/u;
const PIECES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]+|\p{N}+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー])[\p{L}\p{M}])+|\p{Extended_Pictographic}/gu;

export function wordsOf(text: string): readonly Word[] {
  const folded = fold(text);
  const words: Word[] = [];
  let chain: Chain | null = null;
  let at = 0;
  for (const match of folded.matchAll(RUN)) {
    if (words.length >= MOST) break;
    const run = match[0];
    const from = at;
    at = piecesOf(run, at, words);
    chain = longer(chain, folded, match.index, run, from);
    if (chain.parts > 1) add(words, chain.joined, chain.at);
  }
  return words;
}

/** The words of one run of letters and digits; gives back the next free place. */
function piecesOf(run: string, start: number, words: Word[]): number {
  const pieces = run.match(PIECES) ?? [];
  let at = start;
  const joined = pieces.length > 1 && pieces.every((piece) => !cutUp(piece));
  if (joined) add(words, run, at);
  for (const piece of pieces) at = piece_(piece, at, words);
  return at;
}

const cutUp = (piece: string): boolean => IDEOGRAPHIC.test(piece) || UNSPACED.test(piece);

function piece_(piece: string, at: number, words: Word[]): number {
  if (IDEOGRAPHIC.test(piece)) return pairs([...piece], at, words, true);
  if (UNSPACED.test(piece)) return segments(piece, at, words);
  add(words, stem(piece), at);
  if (HANGUL.test(piece)) pairs([...piece], at, words, false);
  return at + 1;
}

/** Each character and each two neighbours. `places`: every character has a place of its own. */
function pairs(
  characters: readonly string[],
  start: number,
  words: Word[],
  places: boolean,
): number {
  characters.forEach((character, i) => {
    const next = characters[i + 1];
    const at = places ? start + i : start;
    if (places) add(words, character, at);
    if (next !== undefined) add(words, character + next, at);
  });
  return start + characters.length;
}

const segmenter = new Intl.Segmenter('th', { granularity: 'word' });

function segments(piece: string, start: number, words: Word[]): number {
  let at = start;
  for (const { segment, isWordLike } of segmenter.segment(piece)) {
    if (isWordLike) add(words, segment, at++);
  }
  return at;
}

/** Runs that were written as one, whatever stands between them. */
interface Chain {
  readonly joined: string;
  readonly parts: number;
  readonly at: number;
  readonly end: number;
  readonly numeric: boolean;
}

const MOST_PARTS = 8;

function longer(before: Chain | null, text: string, index: number, run: string, at: number): Chain {
  const numeric = /\p{N}/u.test(run);
  const alone = { joined: run, parts: 1, at, end: index + run.length, numeric };
  if (before === null || before.parts >= MOST_PARTS || cutUp(run)) return alone;
  const between = text.slice(before.end, index);
  const joins =
    between === '-' ||
    ((between === ' ' || between === '/' || between === '.') && numeric && before.numeric);
  if (!joins) return alone;
  return { ...alone, joined: before.joined + run, parts: before.parts + 1, at: before.at };
}

function add(words: Word[], term: string, at: number): void {
  if (term.length <= LONGEST) words.push({ term, at });
}

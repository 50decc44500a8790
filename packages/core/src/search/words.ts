// The words of a text, as search knows them: folded, with their places, so that phrases can be found. What
// is written without spaces is cut up, and what is written with and without signs (SP-87, SP 87, SP87) meets.
import { fold } from './fold.ts';
import { stem } from './stem.ts';

/** Changes whenever the same text would be indexed another way: everything is indexed anew. */
export const INDEX_VERSION = 2;

export interface Word {
  readonly term: string;
  /** Its place in the text; several terms may share one. */
  readonly at: number;
  /** What stands at that place as it was written; the others are there to be found by. */
  readonly plain: boolean;
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
  const words = new Words();
  let chain: Chain | null = null;
  for (const match of folded.matchAll(RUN)) {
    if (words.list.length >= MOST) break;
    const run = match[0];
    const at = words.next;
    addRun(words, run);
    chain = longer(chain, folded, match.index, run, at);
    if (chain.parts > 1) words.beside(chain.joined, chain.at);
  }
  return words.list;
}

class Words {
  readonly list: Word[] = [];
  /** The next free place. */
  next = 0;

  add(term: string): void {
    if (term.length <= LONGEST) this.list.push({ term, at: this.next, plain: true });
    this.next += 1;
  }

  beside(term: string, at: number): void {
    if (term.length <= LONGEST) this.list.push({ term, at, plain: false });
  }
}

function addRun(words: Words, run: string): void {
  const pieces = run.match(PIECES) ?? [];
  if (pieces.length > 1 && !pieces.some(isCutUp)) words.beside(run, words.next);
  for (const piece of pieces) addPiece(words, piece);
}

const isCutUp = (piece: string): boolean => IDEOGRAPHIC.test(piece) || UNSPACED.test(piece);

function addPiece(words: Words, piece: string): void {
  if (UNSPACED.test(piece)) {
    for (const { segment, isWordLike } of SEGMENTER.segment(piece)) {
      if (isWordLike) words.add(segment);
    }
    return;
  }
  const ideographs = IDEOGRAPHIC.test(piece);
  const parts = ideographs ? [...piece] : [stem(piece)];
  if (ideographs || HANGUL.test(piece)) addPairs(words, [...piece], ideographs);
  for (const part of parts) words.add(part);
}

/** Each two neighbours, at the place of the first where every character has one of its own. */
function addPairs(words: Words, characters: readonly string[], places: boolean): void {
  for (let i = 0; i + 1 < characters.length; i++) {
    words.beside(`${characters[i]}${characters[i + 1]}`, words.next + (places ? i : 0));
  }
}

const SEGMENTER = new Intl.Segmenter('th', { granularity: 'word' });

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
  if (before === null || before.parts >= MOST_PARTS || isCutUp(run)) return alone;
  const between = text.slice(before.end, index);
  const sign = between === ' ' || between === '/' || between === '.';
  if (between !== '-' && !(sign && numeric && before.numeric)) return alone;
  return { ...alone, joined: before.joined + run, parts: before.parts + 1, at: before.at };
}

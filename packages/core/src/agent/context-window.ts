// How many tokens a text may cost, without the tokenizer of any one model. Used to keep a turn's context
// within its limit; it guesses high for scripts that tokenizers cut finely, so that the limit holds.

/** Characters of these scripts cost a model about one token each, or more. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Ethiopic}\p{Extended_Pictographic}]/gu;
const ASCII = /[^\u0080-\u{10FFFF}]/gu;

const PER_DENSE = 1.2;
const PER_ASCII = 1 / 3.5;
/** Arabic, Cyrillic, Greek, Hebrew, Devanagari, accented Latin and whatever else there is. */
const PER_OTHER = 1 / 1.7;

const count = (text: string, kind: RegExp): number => text.match(kind)?.length ?? 0;

export function estimateTokens(text: string): number {
  const dense = count(text, DENSE);
  const ascii = count(text, ASCII);
  const other = Math.max(0, text.length - ascii - dense);
  return Math.ceil(dense * PER_DENSE + ascii * PER_ASCII + other * PER_OTHER);
}

// Which lines of a transcript an agent sees word for word, and which fall out of sight and are summed up.
// Invariant: what is kept is the newest end and fits the limit; kept and fallen are the whole, in order.

interface LineWindow<Line> {
  readonly fallen: readonly Line[];
  readonly kept: readonly Line[];
}

/**
 * All lines while they fit. Then only the newest that fit half of the limit, so that the next lines
 * have room and a summary is not made anew on every turn. The newest line is kept in any case.
 */
export function fitNewestLines<Line>(
  lines: readonly Line[],
  limit: number,
  costOf: (line: Line) => number,
): LineWindow<Line> {
  const costs = lines.map(costOf);
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  if (total <= limit) return { fallen: [], kept: lines };
  let first = lines.length;
  let used = 0;
  while (first > 0) {
    used += costs[first - 1] ?? 0;
    if (used > limit / 2 && first < lines.length) break;
    first -= 1;
  }
  return { fallen: lines.slice(0, first), kept: lines.slice(first) };
}

/** In order, as few pieces as fit the limit each; one that is larger alone stands alone. */
export function chunkLines<Line>(
  lines: readonly Line[],
  limit: number,
  costOf: (line: Line) => number,
): Line[][] {
  const pieces: Line[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const cost = costOf(line);
    if (used + cost > limit) {
      pieces.push([]);
      used = 0;
    }
    pieces.at(-1)?.push(line);
    used += cost;
  }
  return pieces;
}

/** A text that is too long for its place: beginning and end, and a word about what is missing. */
export function shortenMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.max(0, Math.floor(most / 2));
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(text.length - half)}`.toWellFormed();
}

// A text made to fit a number of tokens. Held by us, because a model that is asked for few may answer with many.

/** As much of the beginning as fits, at the end of a sentence or a word where there is one. */
export function cutToTokens(text: string, most: number): string {
  if (estimateTokens(text) <= most) return text;
  const letters = [...text];
  let [fits, tooLong] = [0, letters.length];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (estimateTokens(`${letters.slice(0, middle).join('')} …`) <= most) fits = middle;
    else tooLong = middle;
  }
  const cut = letters.slice(0, fits).join('');
  const word = cut.lastIndexOf(' ');
  return `${word > cut.length / 2 ? cut.slice(0, word) : cut} …`;
}

// How much of what was said before the assistant remembers. Invariant: what is kept is the newest end of
// the whole, begins with words of the owner, and stays under both limits.

export const MAX_REMEMBERED_TURNS = 30;
export const MAX_REMEMBERED_TOKENS = 16_000;

export interface AssistantHistoryLine {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A turn is what the owner said and all that was answered to it. The last line is always kept. */
export function selectRememberedLines<Line extends AssistantHistoryLine>(
  lines: readonly Line[],
): readonly Line[] {
  let turns = 0;
  let tokens = 0;
  let first = lines.length;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at];
    if (line === undefined) break;
    tokens += estimateTokens(line.content) + LINE_TOKENS;
    if (tokens >= MAX_REMEMBERED_TOKENS && at < lines.length - 1) break;
    if (line.role !== 'user') continue;
    turns += 1;
    if (turns >= MAX_REMEMBERED_TURNS) break;
    first = at;
  }
  return lines.slice(first);
}

/** What a line costs besides its words. */
const LINE_TOKENS = 6;

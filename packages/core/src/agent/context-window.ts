// Estimates tokens without a model's tokenizer and fits text into a token limit. It overestimates scripts that
// tokenizers split finely, so that the limit holds.

/** Characters of these scripts cost about one token each, or more. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Ethiopic}\p{Extended_Pictographic}]/gu;
const ASCII = /[^\u0080-\u{10FFFF}]/gu;

const PER_DENSE = 1.2;
const PER_ASCII = 1 / 3.5;
/** Arabic, Cyrillic, Greek, Hebrew, Devanagari, accented Latin and all others. */
const PER_OTHER = 1 / 1.7;

const count = (text: string, kind: RegExp): number => text.match(kind)?.length ?? 0;

export function estimateTokens(text: string): number {
  const dense = count(text, DENSE);
  const ascii = count(text, ASCII);
  const other = Math.max(0, text.length - ascii - dense);
  return Math.ceil(dense * PER_DENSE + ascii * PER_ASCII + other * PER_OTHER);
}

// Selects the lines of a transcript that an agent sees verbatim; the others are summarised. The kept lines are the
// newest and fit the limit; kept and dropped lines together are the whole, in order.

interface LineWindow<Line> {
  readonly dropped: readonly Line[];
  readonly kept: readonly Line[];
}

/**
 * All lines if they fit. Otherwise only the newest that fit half of the limit, so that the next lines have room and the
 * summary is not rewritten on every turn. The newest line is always kept.
 */
export function fitNewestLines<Line>(
  lines: readonly Line[],
  limit: number,
  costOf: (line: Line) => number,
): LineWindow<Line> {
  const costs = lines.map(costOf);
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  if (total <= limit) return { dropped: [], kept: lines };
  let first = lines.length;
  let used = 0;
  while (first > 0) {
    used += costs[first - 1] ?? 0;
    if (used > limit / 2 && first < lines.length) break;
    first -= 1;
  }
  return { dropped: lines.slice(0, first), kept: lines.slice(first) };
}

/** Splits the lines in order into as few chunks as fit the limit; a line that exceeds it is its own chunk. */
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

/** Shortens a text to its beginning and end, with a note about what is missing. */
export function shortenMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.max(0, Math.floor(most / 2));
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(text.length - half)}`.toWellFormed();
}

// Cuts a text to a number of tokens. Needed because a model that is asked for a short text may write a long one.

/** The longest fitting beginning, cut at the end of a sentence or word if possible. */
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

// Selects what the assistant remembers of its session: the newest end of it, beginning with words of the owner, within
// both limits.

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

/** The tokens of a line besides its text. */
const LINE_TOKENS = 6;

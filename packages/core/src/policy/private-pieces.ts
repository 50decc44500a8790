// A code told in pieces, over several messages or within one: a text is read together with the lines
// before it. Who has most of a code has the code; its ordinary words alone are not most of it.
// Invariant: what comes out is what of the code stands in the lines, so that it can be known otherwise.
import { readings } from './private-readings.ts';
import { backwards, squeeze } from './squeeze.ts';

/** Pieces shorter than these turn up by themselves in what people say. */
const SHORTEST_DIGITS = 3;
const SHORTEST_MIXED = 4;
const MOST = 0.75;
const MOST_DIGITS = 0.5;
/** Of a very long code the beginning: who has that has been told it. */
const LONGEST = 64;

export class Pieces {
  readonly #lines: readonly string[];
  readonly #plain: string;
  /** With all that a line may say besides; too much of it is chance for short runs of digits. */
  #all: string | null = null;

  constructor(lines: readonly string[]) {
    this.#lines = [...lines, lines.join('')];
    this.#plain = bothWays(this.#lines.map(squeeze));
  }

  /** The pieces of a code that stand somewhere in the lines; none unless they are most of it. */
  of(code: string): string[] {
    if (/^\d+$/.test(code)) return mostOf(code, this.#plain, SHORTEST_DIGITS);
    this.#all ??= bothWays(this.#lines.flatMap(readingsOf));
    return mostOf(code, this.#all, SHORTEST_MIXED);
  }
}

const bothWays = (texts: readonly string[]): string =>
  texts.flatMap((text) => [text, backwards(text)]).join('\n');

function readingsOf(line: string): string[] {
  const { plain, hidden } = readings(line);
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

/** How much of the code from here on stands in the text in one piece. */
function longestAt(code: string, from: number, text: string, shortest: number): number {
  // A longer piece is nowhere before the shorter one: the text is gone through once.
  let at = 0;
  for (let length = shortest; from + length <= code.length; length++) {
    at = text.indexOf(code.slice(from, from + length), at);
    if (at < 0) return length === shortest ? 0 : length - 1;
  }
  return code.length - from;
}

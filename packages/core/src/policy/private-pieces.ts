// A secret told in several messages, none of which gives it away: a text is read once more together with
// the lines before it. Only what the new text completes counts; what the lines told already is told.
// Invariant: without lines before it, a text joins nothing and only its own pieces are put together.
import { readings } from './private-readings.ts';
import { backwards, squeeze } from './squeeze.ts';

/** Pieces shorter than these turn up by themselves in what people say. */
const SHORTEST_DIGITS = 3;
const SHORTEST_MIXED = 4;

export class Pieces {
  readonly #plain: string;
  /** With all that a line may say besides; too much of it is chance for short runs of digits. */
  #all: string | null = null;
  readonly #lines: readonly string[];

  constructor(lines: readonly string[]) {
    this.#lines = lines;
    this.#plain = bothWays(lines.map(squeeze));
  }

  /** Whether a code can be put together from what stands somewhere in the lines. */
  make(code: string): boolean {
    if (/^\d+$/.test(code)) return covers(this.#plain, code, SHORTEST_DIGITS);
    this.#all ??= bothWays(this.#lines.flatMap(readingsOf));
    return covers(this.#all, code, SHORTEST_MIXED);
  }
}

const bothWays = (texts: readonly string[]): string =>
  texts.flatMap((text) => [text, backwards(text)]).join('\n');

function readingsOf(line: string): string[] {
  const { plain, hidden } = readings(line);
  return [plain, ...hidden];
}

/** Of a very long code the beginning: who has that has been told it. */
const LONGEST = 64;

function covers(text: string, whole: string, shortest: number): boolean {
  const code = whole.slice(0, LONGEST);
  const reached = new Set([0]);
  for (const from of reached) {
    if (from === code.length) return true;
    // A longer piece is nowhere before the shorter one: the text is gone through once.
    let at = 0;
    for (let to = from + shortest; to <= code.length; to++) {
      at = text.indexOf(code.slice(from, to), at);
      if (at < 0) break;
      reached.add(to);
    }
  }
  return false;
}

// Words as they come, broken between words at the edge of the window. A word is held back until its end
// has come; `end` gives what is left. Whatever a terminal would obey is taken out. Pure but for its place.
import { printable } from '../format.ts';
import { width } from '../width.ts';

export interface Flow {
  /** What to write for this piece; may be nothing yet. */
  feed(piece: string): string;
  /** The word that is still held back. */
  end(): string;
}

/** Null: as it comes, where there is no window. */
export function createFlow(columns: number | null): Flow {
  if (columns === null) return { feed: printable, end: () => '' };
  let gap = '';
  let word = '';
  let at = 0;
  const flush = (): string => {
    if (word === '') return '';
    const size = width(word);
    const breaks = at > 0 && at + gap.length + size > columns;
    const out = (breaks ? '\n' : gap) + word;
    at = breaks ? size : at + gap.length + size;
    gap = '';
    word = '';
    return out;
  };
  return {
    feed(piece) {
      let out = '';
      for (const character of printable(piece)) {
        if (!/\s/.test(character)) {
          word += character;
          continue;
        }
        out += flush();
        if (character === '\n') {
          out += '\n';
          gap = '';
          at = 0;
        } else gap += ' ';
      }
      return out;
    },
    end: flush,
  };
}

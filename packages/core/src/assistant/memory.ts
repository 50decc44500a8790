// How much of what was said before the assistant remembers. Invariant: what is kept is the newest end of
// the whole, begins with words of the owner, and stays under both limits.
import { estimateTokens } from '../agent/tokens.ts';

export const MOST_TURNS = 30;
export const MOST_TOKENS = 16_000;

export interface Remembered {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A turn is what the owner said and all that was answered to it. The last line is always kept. */
export function remember<Line extends Remembered>(lines: readonly Line[]): readonly Line[] {
  let turns = 0;
  let tokens = 0;
  let first = lines.length;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at];
    if (line === undefined) break;
    tokens += estimateTokens(line.content) + LINE_TOKENS;
    if (tokens >= MOST_TOKENS && at < lines.length - 1) break;
    if (line.role !== 'user') continue;
    turns += 1;
    if (turns >= MOST_TURNS) break;
    first = at;
  }
  return lines.slice(first);
}

/** What a line costs besides its words. */
const LINE_TOKENS = 6;

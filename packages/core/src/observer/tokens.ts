// A text made to fit a number of tokens. Held by us, because a model that is asked for few may answer with many.
import { estimateTokens } from '../agent/tokens.ts';

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

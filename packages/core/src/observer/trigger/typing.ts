// Whether a word is what a thumb may have made of a name: one letter too many, too few, another one, or two
// changed over. Only for names long enough that this is no other word; a letter held down counts for nothing.

export function typedFor(word: string, name: string): boolean {
  const slips = Math.min(2, Math.floor(name.length / 5));
  return within(slips, word, name) || within(slips, held(word), held(name));
}

/** Without the letters that only repeat the one before. */
export const held = (word: string): string => word.replace(/(.)\1+/gu, '$1');

const within = (slips: number, typed: string, meant: string): boolean =>
  typed === meant ||
  (Math.abs(typed.length - meant.length) <= slips && slipsBetween(typed, meant) <= slips);

/** Damerau and Levenshtein, two neighbours changed over being one slip. */
function slipsBetween(typed: string, meant: string): number {
  const [from, to] = [Array.from(typed), Array.from(meant)];
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, place) => place);
  for (const [row, letter] of from.entries()) {
    const here = [row + 1];
    for (const [place, other] of to.entries()) {
      const across = (above[place] ?? 0) + (letter === other ? 0 : 1);
      const changed = letter === to[place - 1] && from[row - 1] === other;
      here.push(
        Math.min(
          across,
          (above[place + 1] ?? 0) + 1,
          (here[place] ?? 0) + 1,
          changed ? (before[place - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, above] = [above, here];
  }
  return above.at(-1) ?? 0;
}

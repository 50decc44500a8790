// What somebody may have meant by a name that does not exist. Pure.

/** The known name with the fewest letters to change; null where none is near enough to be meant. */
export function nearest(written: string, known: readonly string[]): string | null {
  const word = written.toLowerCase();
  // Right, but without the section that it stands in.
  const inside = known.filter((name) => name.endsWith(`.${word}`));
  if (inside.length === 1) return inside[0] ?? null;
  const [best] = known
    .map((name) => ({ name, apart: distance(word, name) }))
    .sort((a, b) => a.apart - b.apart);
  const enough = Math.max(2, Math.floor(word.length / 3));
  return best !== undefined && best.apart <= enough ? best.name : null;
}

/** How many letters must be changed, added or taken away. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

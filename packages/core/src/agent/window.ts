// Which lines of a transcript an agent sees word for word, and which fall out of sight and are summed up.
// Invariant: what is kept is the newest end and fits the limit; kept and fallen are the whole, in order.

export interface Window<Line> {
  readonly fallen: readonly Line[];
  readonly kept: readonly Line[];
}

/**
 * All lines while they fit. Then only the newest that fit half of the limit, so that the next lines
 * have room and a summary is not made anew on every turn. The newest line is kept in any case.
 */
export function windowOf<Line>(
  lines: readonly Line[],
  limit: number,
  costOf: (line: Line) => number,
): Window<Line> {
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
export function piecesOf<Line>(
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
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.max(0, Math.floor(most / 2));
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(text.length - half)}`.toWellFormed();
}

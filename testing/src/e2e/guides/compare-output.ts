// Compares the output that a page shows with the real one. Ids, times, measurements and paths differ in each run and
// are placeholders; every other word and number must match, line by line.

const ID =
  /(?<!\+)\b(?:(?=[0-9A-F]*\d)[0-9A-F]{10,32}|(?=[0-9a-f]*\d)[0-9a-f]{8}(?:-[0-9a-f-]{27})?)\b/g;

/** What may differ, with the name shown in an error. Longer patterns come before their parts. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/\brelay_[a-z]+_\S+/g, '<secret>'],
  [/\b\d+@g\.us\b/g, '<group>'],
  [ID, '<id>'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2} \d{4}\b/g, '<day>'],
  [/\b(\d{4}-)?\d\d-\d\d\b(?= \d\d:|\.tar)/g, '<day>'],
  [/\b\d\d:\d\d(:\d\d)?\b/g, '<time>'],
  [/\b[\d.,]+ ?(ms|s|min|h|d|B|kB|MB|GB)\b/g, '<measure>'],
  [/\bPID:? +\d+/g, 'PID <number>'],
  [/\bschema \d+/g, 'schema <number>'],
  [/\b\d+\.\d+(\.\d+)*\b/g, '<version>'],
  // A message's delivery state can change at any time.
  [/(queued|sent ✓|delivered ✓✓|read ✓✓)$/, '<mark>'],
  [/ +/g, ' '],
];

export interface Comparison {
  /** A sentence about the first difference. */
  readonly difference: string | null;
  /** The ids that the page shows, with the real ids they stand for. */
  readonly ids: ReadonlyMap<string, string>;
}

interface Line {
  readonly raw: string;
  readonly plain: string;
}

/**
 * A line that is only `…` stands for any number of lines, one that ends with it for any rest. `own` are placeholders of
 * one page, for what its preparation changes.
 */
export function compare(
  shown: readonly string[],
  came: string,
  own: readonly RegExp[] = [],
): Comparison {
  const wanted = linesOf(shown, own);
  const lines = linesOf(came.split('\n'), own);
  const ids = new Map<string, string>();
  let at = 0;
  let anywhere = false;
  for (const line of wanted) {
    if (line.plain === '…') {
      anywhere = true;
      continue;
    }
    const next = anywhere ? lines.findIndex((one, index) => index >= at && fits(line, one)) : at;
    const found = lines[next];
    if (found === undefined || !fits(line, found))
      return { difference: told(line, lines, at), ids };
    learn(ids, line.raw, found.raw);
    at = next + 1;
    anywhere = false;
  }
  const rest = wanted.length === 0 || anywhere ? [] : lines.slice(at);
  const difference = rest.length === 0 ? null : `not shown: ${plainOf(rest)}`;
  return { difference, ids };
}

const plainOf = (lines: readonly Line[]): string => lines.map(({ plain }) => plain).join('\n');

const told = (line: Line, lines: readonly Line[], at: number): string =>
  `shown: ${line.plain}\ncame:  ${plainOf(lines.slice(at))}`;

const fits = (wanted: Line, line: Line): boolean =>
  wanted.plain.endsWith('…')
    ? line.plain.startsWith(wanted.plain.slice(0, -1).trim())
    : line.plain === wanted.plain;

function learn(ids: Map<string, string>, shown: string, came: string): void {
  const there = came.match(ID) ?? [];
  for (const [index, id] of (shown.match(ID) ?? []).entries()) {
    const real = there[index];
    if (real === undefined) continue;
    ids.set(id, real);
    // Commands accept the beginning of an id.
    if (id.length === 36) ids.set(id.slice(0, 8), real.slice(0, 8));
  }
}

function linesOf(texts: readonly string[], own: readonly RegExp[]): Line[] {
  const all = [...own.map((pattern) => [pattern, '<…>'] as const), ...PLACEHOLDERS];
  return texts
    .map((raw) => ({
      raw,
      plain: all.reduce((line, [pattern, name]) => line.replace(pattern, name), raw.trim()),
    }))
    .filter(({ plain }) => plain !== '');
}

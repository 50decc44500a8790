// Parses as much PromQL as is needed to check a dashboard against a scrape: which series each query selects, by name
// and labels. Pure.

export interface Selector {
  readonly name: string;
  /** Requested labels, with their value if it must match exactly. */
  readonly labels: ReadonlyMap<string, string | null>;
}

const STRING = /"(?:[^"\\]|\\.)*"/y;
const WORD = /[a-zA-Z_:][\w:]*/y;
const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset']);

/** Every vector of the query. Labels of `by (…)` are returned separately; one of the vectors must have them. */
export function readQuery(query: string): { selectors: Selector[]; grouped: string[] } {
  const selectors: Selector[] = [];
  const grouped: string[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(query)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  while (at < query.length) {
    if (match(STRING) !== undefined) continue;
    if (match(/\[[^\]]*\]|\d[\w.]*/y) !== undefined) continue;
    const word = match(WORD);
    if (word === undefined) {
      at += 1;
      continue;
    }
    if (GROUPING.has(word)) {
      grouped.push(...(match(/\s*\(([^)]*)\)/y)?.match(/\w+/g) ?? []));
      continue;
    }
    // A name that is called is a function, not a series.
    if (OPERATORS.has(word) || /^\s*(\(|by\b|without\b)/.test(query.slice(at))) continue;
    selectors.push({ name: word, labels: matchers(match(/\{[^}]*\}/y) ?? '') });
  }
  return { selectors, grouped };
}

const matchers = (braces: string): Map<string, string | null> =>
  new Map(
    [...braces.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g)].map(
      ([, label = '', how, value = '']) => [label, how === '=' ? value : null],
    ),
  );

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses a scrape like Prometheus. */
export function readScrape(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const [, name = '', labels = '', value = ''] =
        /^([\w:]+)(?:\{(.*)\})? (\S+)(?: \d+)?$/.exec(line) ?? [];
      if (name === '') return [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return [
        { name, labels: Object.fromEntries(pairs.map(([, k, v]) => [k, v])), value: Number(value) },
      ];
    });
}

/** Labels added by Prometheus itself, not by the scraped process. */
const OF_THE_SCRAPE = new Set(['instance', 'job']);

/** What the query needs and the scrape lacks, in words; empty if nothing is missing. */
export function missing(query: string, scrape: readonly Series[]): string[] {
  const { selectors, grouped } = readQuery(query);
  const all = new Set<string>(OF_THE_SCRAPE);
  const faults = selectors.flatMap(({ name, labels }) => {
    const named = scrape.filter((series) => series.name === name && !Number.isNaN(series.value));
    if (named.length === 0) return [`${name} is not there`];
    for (const series of named) for (const label of Object.keys(series.labels)) all.add(label);
    const wanted = [...labels].filter(([label]) => !OF_THE_SCRAPE.has(label));
    const fits = named.some((series) =>
      wanted.every(([label, value]) =>
        value === null ? label in series.labels : series.labels[label] === value,
      ),
    );
    return fits ? [] : [`${name} has no such labels: ${wanted.map(([label]) => label).join(', ')}`];
  });
  if (selectors.length === 0) faults.push('it selects nothing');
  return [
    ...faults,
    ...grouped.filter((label) => !all.has(label)).map((label) => `nothing has the label ${label}`),
  ];
}

// Finds the contact that a person means by a name, number or address. A full match is better than a partial one. If two
// match equally well, none is chosen and the candidates are returned. A profile name alone never decides, since a
// stranger can take any name.

export interface Findable {
  readonly id: string;
  readonly names: readonly string[];
  /** Phone numbers, LIDs and addresses. */
  readonly addresses: readonly string[];
}

/** Lower is better. */
export type MatchRank = 0 | 1 | 2 | 3;

export function rankMatch(query: string, { id, names, addresses }: Findable): MatchRank | null {
  const wanted = foldName(query);
  if (wanted === '') return null;
  if (id === wanted || addresses.includes(query.trim())) return 0;
  const digits = digitsOf(query);
  const ranks = [
    ...names.map((name) => rankOfName(wanted, foldName(name))),
    ...(digits === null ? [] : addresses.map((address) => rankOfNumber(digits, address))),
  ].filter((rank) => rank !== null);
  return ranks.length === 0 ? null : (Math.min(...ranks) as MatchRank);
}

function rankOfName(wanted: string, name: string): MatchRank | null {
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  const at = name.indexOf(wanted);
  if (at === -1) return null;
  return name.includes(` ${wanted}`) ? 2 : 3;
}

function rankOfNumber(digits: string, address: string): MatchRank | null {
  if (address === digits) return 0;
  return address.includes(digits) ? 3 : null;
}

/** The parts that an address must contain to match; lookups search for these. */
export function addressParts(query: string): string[] {
  const digits = digitsOf(query);
  const [user = ''] = query.trim().split('@');
  return [
    ...(digits === null ? [] : [digits]),
    ...(query.includes('@') && user !== '' ? [user] : []),
  ];
}

const LEAST_DIGITS = 4;

/** Null if the query is not a number: a name that contains a digit is still a name. */
function digitsOf(query: string): string | null {
  if (/[\p{L}@]/u.test(query)) return null;
  const digits = query.replace(/\D/g, '').replace(/^0+/, '');
  return digits.length < LEAST_DIGITS ? null : digits;
}

/** Folds case, accents and spaces of a name. */
export const foldName = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();

export type MatchChoice<T> =
  | { readonly found: T }
  | { readonly ambiguous: readonly T[] }
  | { readonly nobody: true };

interface Match<T> {
  readonly rank: MatchRank;
  readonly of: T;
  /** Nothing matches but the name that the contact chose. */
  readonly byProfile?: boolean;
}

export function chooseMatch<T>(matches: readonly Match<T>[]): MatchChoice<T> {
  const whole = matches.filter(({ rank, byProfile }) => rank === 0 && byProfile !== true);
  const candidates = whole.length > 0 ? whole : matches;
  const [first, other] = candidates;
  if (first === undefined) return { nobody: true };
  return other === undefined && first.byProfile !== true
    ? { found: first.of }
    : { ambiguous: candidates.map(({ of }) => of) };
}

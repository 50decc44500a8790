// What the address of Search says: the question, what narrows it, and through whose eyes. Pure. What is not known
// here is left out, so that no link can break the page.

export const KINDS = ['message', 'digest', 'fact'] as const;
export type Kind = (typeof KINDS)[number];

export interface SearchAddress {
  readonly q?: string | undefined;
  /** A name, a number or an id, as are `person` and what stands in the fields. */
  readonly chat?: string | undefined;
  readonly person?: string | undefined;
  /** Days: `2026-03-01`, or words as `yesterday`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly kind?: Kind | undefined;
  /** `assistant`, or the id of a program's token; without it, the owner. */
  readonly as?: string | undefined;
  /** As many as there may be, and not only the best. */
  readonly all?: true | undefined;
}

const WORDS = { q: 2_000, chat: 128, person: 128, from: 64, to: 64, as: 64 } as const;

/** The router reads numbers as numbers, and people search for those too. */
const wordOf = (value: unknown, most: number): string =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value).slice(0, most) : '';

export function readSearchAddress(raw: Readonly<Record<string, unknown>>): SearchAddress {
  const words = Object.entries(WORDS).map(([name, most]) => [name, wordOf(raw[name], most)]);
  const kind = KINDS.find((each) => each === raw.kind);
  return {
    ...Object.fromEntries(words.filter(([, word]) => word?.trim() !== '')),
    ...(kind === undefined ? {} : { kind }),
    ...(raw.all === true ? { all: true } : {}),
  };
}

/** Whatever narrows the question, and whether anything does. */
export const isNarrowed = ({ chat, person, from, to }: SearchAddress): boolean =>
  [chat, person, from, to].some((each) => each !== undefined);

export const UNNARROWED = {
  chat: undefined,
  person: undefined,
  from: undefined,
  to: undefined,
} as const;

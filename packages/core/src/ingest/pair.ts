// Which messages that were told, by a notification or an export, are there anyway. One stands for one and the
// other way round, so that somebody who says "ok" twice has said it twice. Pure.
// Invariant: whatever the order in which they come, as many are paired as can be, and who was paired stays so.
import type { ContactId } from '../ids.ts';
import { saysSame } from './same.ts';

/** Clocks of phones are off, and notifications wait: so far apart two may be and still be one message. */
export const SKEW_MS = 5 * 60_000;

export type Author = ContactId | 'me';

export interface Told {
  readonly at: Date;
  readonly essence: string;
  /** Who may have written it, by the name shown; null where nobody of that name is known. */
  readonly authors: ReadonlySet<Author> | null;
}

export interface Heard {
  readonly at: Date;
  readonly essence: string;
  /** Null where only a name is known. */
  readonly author: Author | null;
}

export const isSame = (told: Told, heard: Heard): boolean =>
  Math.abs(+told.at - +heard.at) <= SKEW_MS &&
  mayBeBy(told.authors, heard.author) &&
  saysSame(heard.essence, told.essence);

function mayBeBy(authors: Told['authors'], author: Heard['author']): boolean {
  if (authors === null) return true;
  return author === null ? !authors.has('me') : authors.has(author);
}

/**
 * For each of `told` the place of its message in `heard`, or null. Those that come first in `told` are
 * paired first, and never lose their pair to a later one, though it may become another.
 */
export function pair(told: readonly Told[], heard: readonly Heard[]): readonly (number | null)[] {
  const order = heard.map((_, place) => place).sort((a, b) => at(heard, a) - at(heard, b));
  const takenBy = new Map<number, number>();

  /** Finds a message for it, and another for whoever has it now, and so on. */
  const seek = (one: number, seen: Set<number>): boolean => {
    const wanted = told[one];
    for (const place of order) {
      const message = heard[place];
      if (!wanted || !message || seen.has(place) || !isSame(wanted, message)) continue;
      seen.add(place);
      const holder = takenBy.get(place);
      if (holder !== undefined && !seek(holder, seen)) continue;
      takenBy.set(place, one);
      return true;
    }
    return false;
  };

  told.forEach((_, one) => {
    seek(one, new Set());
  });
  const pairs = new Array<number | null>(told.length).fill(null);
  for (const [place, one] of takenBy) pairs[one] = place;
  return pairs;
}

const at = (heard: readonly Heard[], place: number): number => +(heard[place]?.at ?? 0);

// How to tell that a text names somebody: their names, the first of several, and their numbers, each as a
// whole word where words have edges. Pure; the pattern is PostgreSQL's.
import type { Person } from './who.ts';

/** A shorter one would be found in half of everything. */
const SHORTEST = 3;
/** Written without spaces between words. */
const EDGELESS =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}/u;

/** Null when there is nothing to tell them by. */
export function naming({ names, addresses }: Pick<Person, 'names' | 'addresses'>): string | null {
  const words = names.flatMap((name) => [name.trim(), name.trim().split(/\s+/u)[0] ?? '']);
  const told = new Set(
    [...words, ...addresses].filter((word) => [...word].length >= SHORTEST || EDGELESS.test(word)),
  );
  if (told.size === 0) return null;
  return [...told].map((word) => (EDGELESS.test(word) ? escaped(word) : edged(word))).join('|');
}

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `\m` and `\M` would want a letter at the edge, which a name like "Mr. T." has not. */
const edged = (word: string): string =>
  `(^|[^[:alnum:]])${escaped(word).replace(/\s+/gu, '\\s+')}($|[^[:alnum:]])`;

// Which name in an exported chat is the one who exported it: what the owner says, else the only one it can be.
// A wrong guess would put words into the owner's mouth, so what is not certain is asked. Pure.
import { folded } from '../contacts/find.ts';

export interface Names {
  /** All who wrote in it, as it names them. */
  readonly senders: readonly string[];
  /** As the owner said; empty if they wrote nothing in it. */
  readonly given: string | null;
  /** What the owner is known to be called. */
  readonly own: readonly string[];
  /** Of a chat with one person: whether that name is theirs. */
  readonly isOther: ((name: string) => boolean) | null;
}

/** The names that are the owner's, folded; or null when it has to be asked. */
export function whoIsMe({ senders, given, own, isOther }: Names): ReadonlySet<string> | null {
  const only = (names: readonly string[]) => new Set(names.map(folded));
  if (given !== null) {
    const wanted = folded(given);
    if (wanted === '') return new Set();
    return senders.some((name) => folded(name) === wanted) ? only([given]) : null;
  }
  const known = senders.filter((name) => own.some((mine) => folded(mine) === folded(name)));
  if (known.length > 0) return only(known);
  if (isOther === null || senders.length > 2) return null;
  const mine = senders.filter((name) => !isOther(name));
  // Two that are both not the other: their name there is not known here.
  return mine.length === senders.length && senders.length > 1 ? null : only(mine);
}

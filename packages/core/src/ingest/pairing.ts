// Which messages that were told, by a notification or an export, are there anyway. One stands for one and the
// other way round, so that somebody who says "ok" twice has said it twice. Pure.
// Invariant: whatever the order in which they come, as many are paired as can be, and who was paired stays so.
import type { ContactId } from '@relay/contract/ids';
import { type StoredContent, textInStoredContent } from './media.ts';

/** Clocks of phones are off, and notifications wait: so far apart two may be and still be one message. */
export const PAIRING_SKEW_MS = 5 * 60_000;

export type PairingAuthor = ContactId | 'me';

export interface ReportedMessage {
  readonly at: Date;
  readonly essence: string;
  /** Who may have written it, by the name shown; null where nobody of that name is known. */
  readonly authors: ReadonlySet<PairingAuthor> | null;
}

export interface ReceivedMessage {
  readonly at: Date;
  readonly essence: string;
  /** Null where only a name is known. */
  readonly author: PairingAuthor | null;
}

export const isSameMessage = (told: ReportedMessage, heard: ReceivedMessage): boolean =>
  Math.abs(+told.at - +heard.at) <= PAIRING_SKEW_MS &&
  mayBeBy(told.authors, heard.author) &&
  haveSameEssence(heard.essence, told.essence);

function mayBeBy(authors: ReportedMessage['authors'], author: ReceivedMessage['author']): boolean {
  if (authors === null) return true;
  return author === null ? !authors.has('me') : authors.has(author);
}

/**
 * For each of `told` the place of its message in `heard`, or null. Those that come first in `told` are
 * paired first, and never lose their pair to a later one, though it may become another.
 */
export function pairMessages(
  told: readonly ReportedMessage[],
  heard: readonly ReceivedMessage[],
): readonly (number | null)[] {
  const order = heard.map((_, place) => place).sort((a, b) => at(heard, a) - at(heard, b));
  const takenBy = new Map<number, number>();

  /** Finds a message for it, and another for whoever has it now, and so on. */
  const seek = (one: number, seen: Set<number>): boolean => {
    const wanted = told[one];
    for (const place of order) {
      const message = heard[place];
      if (!wanted || !message || seen.has(place) || !isSameMessage(wanted, message)) continue;
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

const at = (heard: readonly ReceivedMessage[], place: number): number => +(heard[place]?.at ?? 0);

// Whether two messages that came by different ways say the same. Spaces, marks, formatting and emoji are
// treated differently on the way through a notification or an export, and a mention is a number here and a
// name there; everything else has to agree. Pure.

const UNSEEN = /\p{Default_Ignorable_Code_Point}|\ufffd/gu;
const FORMAT = /[*_~`]/g;
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u20e3/gu;
const SPACES = /\s+/gu;
/** As the wire has it; the one who was named follows in the details. */
const MENTION = /@\d{5,20}/g;

/** What two messages that say the same have in common; `<kind>` of bare media. */
export function messageEssence(content: Pick<StoredContent, 'kind' | 'body' | 'details'>): string {
  const said = textInStoredContent(content)
    .normalize('NFC')
    .replace(UNSEEN, '')
    .replace(FORMAT, '');
  const words = said.replace(EMOJI, ' ').replace(SPACES, ' ').trim().toLowerCase();
  if (words !== '') return words;
  // Of nothing but emoji, those are what was said.
  const bare = said.replace(SPACES, '');
  return bare === '' ? `<${content.kind}>` : bare;
}

/** Of two essences. */
export const haveSameEssence = (one: string, other: string): boolean =>
  one === other || isNamedIn(one, other) || isNamedIn(other, one);

/** Longer than any name that a phone shows. */
const NAME = '@[^@\\n]{1,60}?';

function isNamedIn(numbers: string, names: string): boolean {
  const parts = numbers.split(MENTION);
  if (parts.length === 1 || !names.includes('@')) return false;
  const pattern = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join(NAME);
  return new RegExp(`^${pattern}$`, 'u').test(names);
}

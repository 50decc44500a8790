// Pairs messages from notifications or exports with messages that are already stored. Pairing is one to one, so
// somebody who wrote "ok" twice is counted twice. Whatever their order, as many as possible are paired, and a paired
// message stays paired.
import type { ContactId } from '@relay/contract/ids';
import { type StoredContent, textInStoredContent } from './media.ts';

/** The maximum time between two reports of one message: phone clocks differ, and notifications are delayed. */
export const PAIRING_SKEW_MS = 5 * 60_000;

export type PairingAuthor = ContactId | 'me';

export interface ReportedMessage {
  readonly at: Date;
  readonly essence: string;
  /** The possible authors by the shown name; null if nobody has that name. */
  readonly authors: ReadonlySet<PairingAuthor> | null;
}

export interface ReceivedMessage {
  readonly at: Date;
  readonly essence: string;
  /** Null if only a name is known. */
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
 * For each of `told`, the index of its message in `heard`, or null. Earlier ones in `told` are paired first and never
 * lose their pair to a later one, though their partner may change.
 */
export function pairMessages(
  told: readonly ReportedMessage[],
  heard: readonly ReceivedMessage[],
): readonly (number | null)[] {
  const order = heard.map((_, place) => place).sort((a, b) => at(heard, a) - at(heard, b));
  const takenBy = new Map<number, number>();

  /** Finds a partner, and another one for the current holder of that partner, and so on (augmenting path). */
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

// Compares the content of messages from different sources. Notifications and exports change spaces, punctuation,
// formatting and emoji, and show a mention as a name instead of a number; everything else has to agree.

const UNSEEN = /\p{Default_Ignorable_Code_Point}|\ufffd/gu;
const FORMAT = /[*_~`]/g;
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u20e3/gu;
const SPACES = /\s+/gu;
/** A mention as the transport delivers it; the mentioned person follows in the details. */
const MENTION = /@\d{5,20}/g;

/** A form that is equal for messages with the same content; `<kind>` for media without text. */
export function messageEssence(content: Pick<StoredContent, 'kind' | 'body' | 'details'>): string {
  const said = textInStoredContent(content)
    .normalize('NFC')
    .replace(UNSEEN, '')
    .replace(FORMAT, '');
  const words = said.replace(EMOJI, ' ').replace(SPACES, ' ').trim().toLowerCase();
  if (words !== '') return words;
  // If the text is only emoji, they are the content.
  const bare = said.replace(SPACES, '');
  return bare === '' ? `<${content.kind}>` : bare;
}

/** Compares two essences. */
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

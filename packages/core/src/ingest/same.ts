// Whether two messages that came by different ways say the same. Spaces, marks, formatting and emoji are
// treated differently on the way through a notification or an export, and a mention is a number here and a
// name there; everything else has to agree. Pure.
import { type Content, saidIn } from './media.ts';

const UNSEEN = /\p{Default_Ignorable_Code_Point}|\ufffd/gu;
const FORMAT = /[*_~`]/g;
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u20e3/gu;
const SPACES = /\s+/gu;
/** As the wire has it; the one who was named follows in the details. */
const MENTION = /@\d{5,20}/g;

/** What two messages that say the same have in common; `<kind>` of bare media. */
export function essence(content: Pick<Content, 'kind' | 'body' | 'details'>): string {
  const said = saidIn(content).normalize('NFC').replace(UNSEEN, '').replace(FORMAT, '');
  const words = said.replace(EMOJI, ' ').replace(SPACES, ' ').trim().toLowerCase();
  if (words !== '') return words;
  // Of nothing but emoji, those are what was said.
  const bare = said.replace(SPACES, '');
  return bare === '' ? `<${content.kind}>` : bare;
}

/** Of two essences. */
export const saysSame = (one: string, other: string): boolean =>
  one === other || isNamedIn(one, other) || isNamedIn(other, one);

/** Longer than any name that a phone shows. */
const NAME = '@[^@\\n]{1,60}?';

function isNamedIn(numbers: string, names: string): boolean {
  const parts = numbers.split(MENTION);
  if (parts.length === 1 || !names.includes('@')) return false;
  const pattern = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join(NAME);
  return new RegExp(`^${pattern}$`, 'u').test(names);
}

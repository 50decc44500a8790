// Reads what a message is besides text and a file: a place, contacts, a poll, a mark on another message.
// Invariant: bounded, whatever a stranger put into it; a field that is not as it should be makes the content null.
import type { ReceivedContent } from '@relay/contract/api/received';
import { toStorableText } from '@relay/core/messages/text';
import type { proto } from '@whiskeysockets/baileys';

/** The fields that are read of all content types. A stranger chose all of them. */
export interface TypedPart {
  readonly text?: string | null;
  readonly key?: proto.IMessageKey | null;
  /** A poll's question, or the name of a place. */
  readonly name?: string | null;
  readonly address?: string | null;
  readonly options?: readonly proto.Message.PollCreationMessage.IOption[] | null;
  readonly selectableOptionsCount?: number | null;
  readonly displayName?: string | null;
  readonly vcard?: string | null;
  readonly contacts?: readonly { displayName?: string | null; vcard?: string | null }[] | null;
  readonly degreesLatitude?: number | null;
  readonly degreesLongitude?: number | null;
  readonly pollCreationMessageKey?: proto.IMessageKey | null;
}

interface TypedContext {
  readonly kind: string;
  readonly part: TypedPart;
  /** The message that this one replaces. */
  readonly editedId: string | null;
  readonly viewOnce: boolean;
}

const LONGEST_ID = 256;
const LONGEST_NAME = 256;
const LONGEST_QUESTION = 1_024;
const LONGEST_EMOJI = 64;
const MOST_OPTIONS = 50;
const MOST_CONTACTS = 100;
const MOST_NUMBERS = 10;
const LONGEST_CARD = 20_000;

/** Text from outside in a form that every store accepts, cut to a maximum length. */
export const cleanText = (text: string, longest: number): string =>
  toStorableText(text.slice(0, longest));

export function readTypedContent({
  kind,
  part,
  editedId,
  viewOnce,
}: TypedContext): ReceivedContent | null {
  if (editedId !== null) return { kind: 'edit', of: cleanText(editedId, LONGEST_ID) };
  if (viewOnce) return { kind: 'view_once' };
  return Object.hasOwn(READERS, kind) ? (READERS[kind]?.(part) ?? null) : null;
}

const READERS: Readonly<Partial<Record<string, (part: TypedPart) => ReceivedContent | null>>> = {
  locationMessage: (part) => readLocation(part, false),
  liveLocationMessage: (part) => readLocation(part, true),
  contactMessage: (part) => ({ kind: 'contacts', contacts: [readCard(part)] }),
  contactsArrayMessage: ({ contacts }) => ({
    kind: 'contacts',
    contacts: (contacts ?? []).slice(0, MOST_CONTACTS).map(readCard),
  }),
  pollCreationMessage: readPoll,
  pollCreationMessageV2: readPoll,
  pollCreationMessageV3: readPoll,
  reactionMessage: ({ key, text }) =>
    ofMessage(key, (to) => ({ kind: 'reaction', to, emoji: cleanText(text ?? '', LONGEST_EMOJI) })),
  protocolMessage: ({ key }) => ofMessage(key, (of) => ({ kind: 'delete', of })),
  pollUpdateMessage: ({ pollCreationMessageKey: key }) =>
    ofMessage(key, (poll) => ({ kind: 'vote', poll })),
};

function ofMessage(
  key: proto.IMessageKey | null | undefined,
  make: (id: string) => ReceivedContent,
): ReceivedContent | null {
  return key?.id ? make(cleanText(key.id, LONGEST_ID)) : null;
}

const nameOrNull = (text: string | null | undefined): string | null =>
  cleanText(text ?? '', LONGEST_NAME).trim() || null;

function readLocation(
  { degreesLatitude: latitude, degreesLongitude: longitude, name, address }: TypedPart,
  live: boolean,
): ReceivedContent | null {
  if (!isWithin(latitude, 90) || !isWithin(longitude, 180)) return null;
  return {
    kind: 'location',
    latitude,
    longitude,
    name: nameOrNull(name),
    address: nameOrNull(address),
    live,
  };
}

const isWithin = (degrees: number | null | undefined, most: number): degrees is number =>
  typeof degrees === 'number' && Number.isFinite(degrees) && Math.abs(degrees) <= most;

function readPoll({ name, options, selectableOptionsCount }: TypedPart): ReceivedContent {
  const count = selectableOptionsCount ?? 0;
  return {
    kind: 'poll',
    question: cleanText(name ?? '', LONGEST_QUESTION),
    options: (options ?? [])
      .slice(0, MOST_OPTIONS)
      .map(({ optionName }) => cleanText(optionName ?? '', LONGEST_NAME)),
    select_up_to: Number.isSafeInteger(count) && count > 0 ? Math.min(count, MOST_OPTIONS) : 0,
  };
}

const PHONE_LINE = /^(?:[\w-]+\.)?TEL[^:\r\n]*:(.*)$/gim;

function readCard({ displayName, vcard }: Pick<TypedPart, 'displayName' | 'vcard'>) {
  const card = (vcard ?? '').slice(0, LONGEST_CARD);
  const named = displayName || /^FN[^:\r\n]*:(.*)$/im.exec(card)?.[1] || '';
  const numbers = [...card.matchAll(PHONE_LINE)].slice(0, MOST_NUMBERS);
  return {
    name: cleanText(named, LONGEST_NAME).trim(),
    phone_numbers: numbers
      .map(([, number = '']) => cleanText(number, 64).trim())
      .filter((number) => number !== ''),
  };
}

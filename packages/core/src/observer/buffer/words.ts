// What members wrote, made fit for a line: nobody can begin a line of their own, or take another's name.
import type { GroupMessage, GroupMessageKind } from '../message.ts';

const LONGEST_NAME = 40;
const LONGEST_QUOTE = 60;

const BREAK = /\r\n|[\n\r\u0085\u2028\u2029\v\f]/g;
/** Signs of the lines themselves, and what is not seen. */
const NOT_IN_NAMES = /[()[\]"“”:\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Every further line is set in, so that only Relay begins one. */
export const verbatim = (text: string): string => text.trim().replace(BREAK, '\n    ');

export function nameOf({ senderName, fromOwner, fromAssistant }: GroupMessage): string {
  const name = senderName.replace(NOT_IN_NAMES, ' ').replace(/\s+/g, ' ').trim();
  const shown = shorten(name === '' ? 'Someone' : name, LONGEST_NAME);
  if (fromAssistant) return `${shown} (assistant)`;
  return fromOwner ? `${shown} (owner)` : shown;
}

/** Its first words, to know it by. */
export const quote = (text: string): string =>
  `"${shorten(text.trim().replace(BREAK, ' ').replace(/"/g, "'"), LONGEST_QUOTE)}"`;

function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text
    .slice(0, longest - 1)
    .toWellFormed()
    .trimEnd()}…`;
}

const NOUNS: Readonly<Record<GroupMessageKind, readonly [one: string, many: string]>> = {
  text: ['message', 'messages'],
  image: ['photo', 'photos'],
  video: ['video', 'videos'],
  document: ['document', 'documents'],
  audio: ['voice note', 'voice notes'],
  sticker: ['sticker', 'stickers'],
  reaction: ['reaction', 'reactions'],
  poll: ['poll', 'polls'],
  contact: ['contact', 'contacts'],
  location: ['place', 'places'],
  deleted: ['deleted message', 'deleted messages'],
  system: ['notice', 'notices'],
};

export const noun = (kind: GroupMessageKind): string => NOUNS[kind][0];

export const counted = (count: number, kind: GroupMessageKind): string =>
  count === 1 ? `a ${NOUNS[kind][0]}` : `${count} ${NOUNS[kind][1]}`;

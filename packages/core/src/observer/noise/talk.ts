// What the messages before it say of one: whether it answers, whom, and what the talk is about. An "ok" of
// the one who was asked settles something; the same "ok" of a bystander does not.
import type { GroupMessage } from '../message.ts';
import { isFor, namesAnother } from './addressed.ts';
import { formOf } from './form.ts';
import { gather, look, type Seen, type Sign, type Signs } from './signs.ts';

/** How far back an answer finds what it answers. */
export const LOOKS_BACK = 30;

/** How many of the last messages are part of the same talk. */
const NEAR = 12;

/** How many of those are read word by word. */
const HEEDED = 6;
const TALKING_MS = 30 * 60_000;
const GOES_ON_MS = 3 * 60_000;
const SHORT = 4;

/** How likely a message is content, seen by itself. */
export type Worth = (signs: Signs) => number;

/** What somebody said before, in words. */
interface Said {
  readonly message: GroupMessage;
  readonly seen: Seen;
  readonly worth: number;
}

export function talkSigns(
  message: GroupMessage,
  seen: Seen,
  earlier: readonly GroupMessage[],
  worth: Worth,
): Signs {
  const before = earlier.slice(-NEAR).filter(({ id }) => id !== message.id);
  const recent = before.filter(({ at }) => message.at.getTime() - at.getTime() < TALKING_MS);
  const said = recent
    .filter(hasWords)
    .slice(-HEEDED)
    .flatMap((heard) => saidIn(heard, worth));
  return gather([
    ['names a member', namesAnother(message, seen.text.words, before)],
    ...answerSigns(message, seen, earlier.slice(-LOOKS_BACK), worth),
    ...askedSigns(message, seen, said, before),
    ...flowSigns(message, seen, said),
    ['after media', isAfterMedia(message, recent)],
  ]);
}

function answerSigns(
  { quotedId }: GroupMessage,
  seen: Seen,
  before: readonly GroupMessage[],
  worth: Worth,
): readonly Sign[] {
  if (quotedId === null) return [];
  const quoted = before.findLast(({ id }) => id === quotedId);
  if (quoted === undefined) return [['answers', 1]];
  const [to] = saidIn(quoted, worth);
  if (to === undefined)
    return [
      ['answers', 1],
      ['answers media', 1],
    ];
  const { asks } = to.seen;
  return [
    ['answers', 1],
    ['answers content', to.worth],
    ['answers a question', asks],
    ['short answer to a question', asks && isShort(seen)],
    ['bare answer to a question', asks && seen.bare],
    ['settles what was asked', asks && seen.settles],
    ['settles what was said', seen.settles ? to.worth : 0],
  ];
}

function askedSigns(
  message: GroupMessage,
  seen: Seen,
  said: readonly Said[],
  before: readonly GroupMessage[],
): readonly Sign[] {
  const last = said.at(-1);
  const others = said.filter((earlier) => earlier.message.sender !== message.sender);
  const asked = others.findLast((earlier) => earlier.seen.asks);
  const spokenTo =
    last !== undefined &&
    last.message.sender !== message.sender &&
    isFor(last.message, message, before)
      ? last.worth
      : 0;
  const directly = asked !== undefined && asked === last;
  const mine = asked !== undefined && isFor(asked.message, message, before);
  return [
    ['after a question', directly],
    ['soon after a question', asked !== undefined && !directly],
    ['short after a question', directly && isShort(seen)],
    ['bare after a question', directly && seen.bare],
    ['settles after a question', directly && seen.settles],
    ['was asked', mine],
    ['short and was asked', mine && isShort(seen)],
    ['bare and was asked', mine && seen.bare],
    ['settles and was asked', mine && seen.settles],
    ['was spoken to', spokenTo],
    ['short and was spoken to', isShort(seen) ? spokenTo : 0],
    ['bare and was spoken to', seen.bare ? spokenTo : 0],
    ['settles and was spoken to', seen.settles ? spokenTo : 0],
  ];
}

function flowSigns(
  { sender, at }: GroupMessage,
  seen: Seen,
  said: readonly Said[],
): readonly Sign[] {
  const talk = said.slice(-3);
  if (talk.length === 0) return [];
  const mean = talk.reduce((total, { worth }) => total + worth, 0) / talk.length;
  const last = talk.at(-1);
  const goesOn =
    last !== undefined &&
    last.message.sender === sender &&
    at.getTime() - last.message.at.getTime() < GOES_ON_MS;
  return [
    ['talk of content', mean],
    ['idle talk', 1 - mean],
    ['short in talk of content', isShort(seen) ? mean : 0],
    ['goes on', goesOn ? last.worth : 0],
  ];
}

const isShort = ({ senses }: Seen): boolean => senses.length <= SHORT;

function isAfterMedia({ sender }: GroupMessage, recent: readonly GroupMessage[]): boolean {
  const last = recent.findLast(({ kind }) => kind !== 'reaction' && kind !== 'deleted');
  if (last === undefined || last.sender === sender) return false;
  return !hasWords(last);
}

function hasWords(message: GroupMessage): boolean {
  const form = formOf(message);
  return form === null || form === 'content';
}

/** Nothing where there are no words. */
function saidIn(message: GroupMessage, worth: Worth): readonly Said[] {
  if (!hasWords(message)) return [];
  const seen = look(message);
  return [{ message, seen, worth: formOf(message) === 'content' ? 1 : worth(seen.signs) }];
}

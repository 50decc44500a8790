// What the messages before it say of one: whether it answers, whom, and what the talk is about. An "ok" of
// the one who was asked settles something; the same "ok" of a bystander does not.
import type { GroupMessage } from '../message.ts';
import { look, type Seen, type Signs } from './signs.ts';
import { read } from './text.ts';

/** How many of the last messages the filter looks at. */
export const LOOKS_BACK = 12;

const TALKING_MS = 30 * 60_000;
const NEXT_MS = 3 * 60_000;

interface Earlier {
  readonly message: GroupMessage;
  readonly seen: Seen;
  /** How likely it is content, seen by itself. */
  readonly worth: number;
}

/** `worth` says how likely a message is content by itself. */
export function talkSigns(
  message: GroupMessage,
  seen: Seen,
  before: readonly GroupMessage[],
  worth: (signs: Signs) => number,
): Signs {
  const signs = new Map<string, number>();
  const sign = (name: string, value: number | boolean): void => {
    const size = Number(value);
    if (size !== 0) signs.set(name, size);
  };
  const short = seen.senses.length <= 4;
  const recent = before
    .slice(-LOOKS_BACK)
    .filter(({ at, id }) => id !== message.id && message.at.getTime() - at.getTime() < TALKING_MS);
  const quoted = before.findLast(({ id }) => id === message.quotedId);
  const last = recent.findLast(({ kind }) => kind !== 'reaction' && kind !== 'deleted');
  const said = recent.flatMap((earlier) => toldOf(earlier, worth));

  sign('names a member', namesAnother(message, seen, before));
  if (message.quotedId !== null) {
    sign('answers', 1);
    const told = quoted === undefined ? undefined : toldOf(quoted, worth)[0];
    sign('answers media', quoted !== undefined && told === undefined);
    if (told !== undefined) {
      sign('answers content', told.worth);
      sign('answers a question', told.seen.asks);
      sign('short answer to a question', told.seen.asks && short);
      sign('bare answer to a question', told.seen.asks && seen.bare);
    }
  }
  const others = said.filter((earlier) => earlier.message.sender !== message.sender);
  const asked = others.slice(-5).findLast((earlier) => earlier.seen.asks);
  const next = said.at(-1);
  if (asked !== undefined) {
    const mine = isFor(asked, message, before);
    const directly = asked === next;
    sign('after a question', directly);
    sign('soon after a question', !directly);
    sign('short after a question', directly && short);
    sign('bare after a question', directly && seen.bare);
    sign('was asked', mine);
    sign('short and was asked', mine && short);
    sign('bare and was asked', mine && seen.bare);
  }
  sign('after media', last !== undefined && toldOf(last, worth).length === 0 && last.sender !== message.sender);
  const talk = said.slice(-3);
  if (talk.length > 0) {
    const mean = talk.reduce((total, earlier) => total + earlier.worth, 0) / talk.length;
    sign('talk of content', mean);
    sign('idle talk', 1 - mean);
    sign('short in talk of content', short ? mean : 0);
  }
  if (
    next !== undefined &&
    next.message.sender === message.sender &&
    message.at.getTime() - next.message.at.getTime() < NEXT_MS
  ) {
    sign('goes on', next.worth);
  }
  return signs;
}

function toldOf(message: GroupMessage, worth: (signs: Signs) => number): readonly Earlier[] {
  if (!['text', 'image', 'video', 'poll', 'document', 'contact', 'location'].includes(message.kind)) return [];
  const seen = look(message);
  if (seen.senses.length === 0) return [];
  const sure = ['poll', 'contact', 'location'].includes(message.kind);
  return [{ message, seen, worth: sure ? 1 : worth(seen.signs) }];
}

/** Asked by name or mention, in answer to what they said, or right after they had spoken. */
function isFor(asked: Earlier, { sender, senderName }: GroupMessage, before: readonly GroupMessage[]): boolean {
  if (asked.message.mentions.includes(sender)) return true;
  if (read(senderName).words.some((name) => name.length > 2 && asked.seen.text.words.includes(name)))
    return true;
  const to = before.findLast(({ id }) => id === asked.message.quotedId);
  if (to !== undefined) return to.sender === sender;
  const at = before.indexOf(asked.message);
  const previous = before.slice(Math.max(0, at - 3), at).findLast((earlier) => earlier.sender !== asked.message.sender && earlier.kind === 'text');
  return previous?.sender === sender;
}

function namesAnother(message: GroupMessage, seen: Seen, before: readonly GroupMessage[]): boolean {
  const own = new Set(read(message.senderName).words);
  const names = new Set(
    before
      .filter(({ sender }) => sender !== message.sender)
      .flatMap(({ senderName }) => read(senderName).words)
      .filter((name) => name.length > 2 && !own.has(name)),
  );
  return seen.text.words.some((word) => names.has(word));
}

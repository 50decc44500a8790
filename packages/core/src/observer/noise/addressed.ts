// Whom a message is for, as far as a group shows it: by name or mention, in answer to what somebody said, or
// right after they had spoken.
import type { GroupMessage } from '../message.ts';
import { read } from './text.ts';

/** How many messages may stand between two people who are talking with each other. */
const NEAR = 3;

export function isFor(
  said: GroupMessage,
  { sender, senderName }: GroupMessage,
  before: readonly GroupMessage[],
): boolean {
  if (said.mentions.includes(sender)) return true;
  const words = read(said.text).words;
  if (namesIn(senderName).some((name) => words.includes(name))) return true;
  const answered = before.findLast(({ id }) => id === said.quotedId);
  if (answered !== undefined) return answered.sender === sender;
  const at = before.indexOf(said);
  const spoke = before
    .slice(Math.max(0, at - NEAR), at)
    .findLast((earlier) => earlier.kind === 'text' && earlier.sender !== said.sender);
  return spoke?.sender === sender;
}

/** Somebody else of those who spoke lately. */
export function namesAnother(
  { sender, senderName }: GroupMessage,
  words: readonly string[],
  before: readonly GroupMessage[],
): boolean {
  const own = new Set(namesIn(senderName));
  return before.some(
    (earlier) =>
      earlier.sender !== sender &&
      namesIn(earlier.senderName).some((name) => !own.has(name) && words.includes(name)),
  );
}

const SHORTEST = 3;

const namesIn = (senderName: string): readonly string[] =>
  read(senderName).words.filter((name) => name.length >= SHORTEST);

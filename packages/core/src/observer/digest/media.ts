// What is said of photos, videos, voice notes and files: that they were sent, and that nobody has looked at
// them or listened. Written by us under every digest, so that it is true whatever the model wrote.
import type { GroupMessageKind } from '../message.ts';
import { cutToTokens } from '../tokens.ts';

const MOST_TOKENS = 80;

/** Of lines such as `[Fri 14:05] Mum sent 2 photos`; empty where there are none. */
export function mediaOfHour(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const told = lines.map((line) => line.replace(/^\[[^\]]*\] /, '')).join(', ');
  return cutToTokens(`Not seen or heard by me: ${told}.`, MOST_TOKENS);
}

const NOUNS: readonly (readonly [GroupMessageKind, one: string, many: string])[] = [
  ['image', 'a photo', 'photos'],
  ['video', 'a video', 'videos'],
  ['audio', 'a voice note', 'voice notes'],
  ['document', 'a document', 'documents'],
];

export function mediaOfDay(sent: readonly GroupMessageKind[]): string {
  const counted = NOUNS.flatMap(([kind, one, many]) => {
    const count = sent.filter((each) => each === kind).length;
    if (count === 0) return [];
    return count === 1 ? one : `${count} ${many}`;
  });
  if (counted.length === 0) return '';
  const last = counted.pop() ?? '';
  const all = counted.length === 0 ? last : `${counted.join(', ')} and ${last}`;
  return `Sent without words, not seen or heard by me: ${all}.`;
}

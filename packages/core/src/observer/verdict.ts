// What the noise filter says of a message. Persisted with each message of an observed group.
import type { GroupMessage } from './message.ts';

export const CATEGORIES = [
  'content',
  'greeting',
  'emoji_only',
  'sticker',
  'reaction',
  'forward_chain',
  'media_only',
  'chatter',
] as const;
export type Category = (typeof CATEGORIES)[number];

export interface Verdict {
  readonly category: Category;
  /** Never reaches the raw buffer as a message: all but `content`. */
  readonly noise: boolean;
}

/** `before` are the last messages of the group, oldest first: a "yes" is content when it answers a question. */
export type Judge = (message: GroupMessage, before: readonly GroupMessage[]) => Verdict;

export interface Judged {
  readonly message: GroupMessage;
  readonly verdict: Verdict;
}

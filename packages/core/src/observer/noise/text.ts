// A text as the noise filter reads it: folded words, and what stands beside them. Pure.
import { fold } from '../../search/fold.ts';

export interface Text {
  readonly raw: string;
  readonly words: readonly string[];
  readonly emoji: readonly string[];
  /** Somebody drew a word out: "noooo". */
  readonly drawnOut: boolean;
}

/** What is longer is read no further: no noise is that long but chains, and they begin as such. */
const LONGEST = 2_000;

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
const EMOJI =
  /(?:\p{RI}\p{RI}|\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f?)(?:\p{EMod}|\u200d\p{Extended_Pictographic}\ufe0f?)*/gu;
const DRAWN_OUT = /(\p{L})\1{2,}/gu;

export function read(raw: string): Text {
  const text = raw.slice(0, LONGEST);
  const folded = fold(text.replace(/@\d{5,}/g, ' '));
  return {
    raw: text,
    words: (folded.match(WORD) ?? []).map((word) => word.replace(/['’]/g, '')),
    emoji: text.match(EMOJI) ?? [],
    drawnOut: /(\p{L})\1{2,}/u.test(folded),
  };
}

/** How else a drawn-out word may be meant: "goood" as "good" and "god". */
export const spellings = (word: string): readonly string[] =>
  /(\p{L})\1{2,}/u.test(word)
    ? [word, word.replace(DRAWN_OUT, '$1$1'), word.replace(DRAWN_OUT, '$1')]
    : [word, word.replace(/(\p{L})\1$/u, '$1')];

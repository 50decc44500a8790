// How many tokens a text may cost, without the tokenizer of any one model. Used to keep a turn's context
// within its limit; it guesses high for scripts that tokenizers cut finely, so that the limit holds.

/** Characters of these scripts cost a model about one token each, or more. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Ethiopic}\p{Extended_Pictographic}]/gu;
const ASCII = /[^\u0080-\u{10FFFF}]/gu;

const PER_DENSE = 1.2;
const PER_ASCII = 1 / 3.5;
/** Arabic, Cyrillic, Greek, Hebrew, Devanagari, accented Latin and whatever else there is. */
const PER_OTHER = 1 / 1.7;

const count = (text: string, kind: RegExp): number => text.match(kind)?.length ?? 0;

export function estimateTokens(text: string): number {
  const dense = count(text, DENSE);
  const ascii = count(text, ASCII);
  const other = Math.max(0, text.length - ascii - dense);
  return Math.ceil(dense * PER_DENSE + ascii * PER_ASCII + other * PER_OTHER);
}

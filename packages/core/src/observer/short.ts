// Answers in a group are short: they interrupt everybody. What a model writes beyond that is cut at the end
// of a sentence, or of a word.

export const LONGEST_ANSWER = 500;

export function shortAnswer(text: string): string {
  const whole = text.replace(/\n{3,}/g, '\n\n').trim();
  const letters = [...whole];
  if (letters.length <= LONGEST_ANSWER) return whole;
  const cut = letters.slice(0, LONGEST_ANSWER - 1).join('');
  const sentence = Math.max(
    ...Array.from(cut.matchAll(END), ({ index, 0: end }) => index + end.length),
    0,
  );
  if (sentence > cut.length / 2) return cut.slice(0, sentence).trimEnd();
  const word = cut.search(/\s\S*$/u);
  return `${(word > cut.length / 2 ? cut.slice(0, word) : cut).trimEnd()}…`;
}

const END = /[.!?…。！？؟।](?=\s|$)|[。！？]/gu;

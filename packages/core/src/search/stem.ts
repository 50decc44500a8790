// The one thing that is taken off a word: what Arabic writes onto it, the article with its particles and the
// commonest endings. Other languages are met by the beginnings of words when a question comes.

const ARABIC = /^[\u0621-\u064a]{4,}$/;
const BEFORE = /^(?:[\u0648\u0641\u0628\u0643]?\u0627\u0644|\u0644\u0644)(?=..)/;
const AFTER = /(?<=...)(?:\u0627\u062a|\u064a\u0646|\u0648\u0646|\u0647|\u064a)$/;

export const stem = (word: string): string =>
  ARABIC.test(word) ? word.replace(BEFORE, '').replace(AFTER, '') : word;

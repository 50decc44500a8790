// Text as search sees it: one spelling for what people write in many. Messages and questions both pass
// through here, so that they meet. Invariant: folding what is folded changes nothing.

/** Accents, points and vowel signs that people leave out; not the vowels of India, nor the voicing of kana. */
const MARKS =
  /[\p{M}&&[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]]/gv;
const KEPT = /[\u3099\u309a]/;
const NUKTAS = /\u093c|\u09bc|\u0a3c/g;

/** Signs that are not seen: tatweel, soft hyphen, joiners, directions. */
const UNSEEN = /[\u0640\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** Letters that are written for one another and that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ς: 'σ',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ې: 'ي',
  ة: 'ه',
  ہ: 'ه',
  ھ: 'ه',
  ە: 'ه',
  ک: 'ك',
  '\u0901': '\u0902',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

const DIGIT = /(?![0-9])\p{Nd}/gu;

export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(MARKS, (mark) => (KEPT.test(mark) ? mark : ''))
    .replace(NUKTAS, '')
    .replace(UNSEEN, '')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .replace(DIGIT, latinDigit)
    .normalize('NFC');
}

const digits = new Map<string, string>();

/** Unicode keeps the ten digits of a script together and in order, so the start of their run tells which it is. */
function latinDigit(digit: string): string {
  const known = digits.get(digit);
  if (known !== undefined) return known;
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1;
  const value = String((code - first) % 10);
  digits.set(digit, value);
  return value;
}

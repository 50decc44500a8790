// Reduces text to letters and digits for comparison, without spacing, punctuation, invisible characters, accents, width
// and case. Written by hand for speed, because it runs for every message.

/** For each ASCII byte: its lower-case letter or digit; 0 for everything else. */
const ALNUM = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[0-9a-z]/.test(character)) return byte;
  return /[A-Z]/.test(character) ? byte + 32 : 0;
});
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const UNITS = new TextDecoder('utf-16le');
const LATIN = new TextDecoder('latin1');

export function toComparableText(text: string): string {
  const whole = text.normalize('NFKD').toLowerCase();
  const kept = new Uint16Array(whole.length);
  let length = 0;
  for (let at = 0; at < whole.length; at++) {
    const unit = whole.charCodeAt(at);
    if (unit < 128) {
      const letter = ALNUM[unit] ?? 0;
      if (letter !== 0) kept[length++] = letter;
      continue;
    }
    const character = String.fromCodePoint(whole.codePointAt(at) ?? unit);
    const keeps = LETTER_OR_DIGIT.test(character);
    if (keeps) kept[length++] = unit;
    if (character.length === 1) continue;
    at++;
    if (keeps) kept[length++] = whole.charCodeAt(at);
  }
  return UNITS.decode(kept.subarray(0, length));
}

/** The ASCII letters and digits in arbitrary bytes. */
export function bytesToComparableText(bytes: Uint8Array): string {
  const kept = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const letter = ALNUM[bytes[at] ?? 0] ?? 0;
    if (letter !== 0) kept[length++] = letter;
  }
  return LATIN.decode(kept.subarray(0, length));
}

/** By code units: the result is only compared with text reversed the same way. */
export const reverseText = (text: string): string => text.split('').reverse().join('');

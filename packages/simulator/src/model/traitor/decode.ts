// First step of the traitor: every reading of a text, also those that hide from people.
// Invariant: pure and generous. A reading that makes no sense costs nothing, a missed one is an
// attack that was never tried.

const INVISIBLE = /\p{Cf}|\p{Variation_Selector}|\u034f|\u115f|\u3164/gu;
const TAGS = /[\u{e0020}-\u{e007e}]+/gu;
const BITS = /[\u200b\u200c]{16,}/g;
const MORSE_RUN = /[.-]{1,6}(?:[ /]+[.-]{1,6}){4,}/g;
const MORSE =
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'.split(
    ' ',
  );
const LOOKALIKES = Object.fromEntries(
  [...'аеорсухіѕјкмтвнӏԁ'].map((letter, at) => [letter, [...'aeopcyxisjkmtbhld'][at]]),
);
const WORDS =
  /\b(?:the|with|and|that|this|tell|said|send|read|call|chat|put|answer|message|mit|und|der|alle|que|para|los|las|les|des|une|uma)\b/g;
const MAX_TEXT = 200_000;

/** Bytes that are a text, or nothing. */
function utf8(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return /[^\P{Cc}\t\n\r]/u.test(text) ? '' : text;
  } catch {
    return '';
  }
}

const fromBits = (bits: string): string =>
  utf8(Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2)));

function fromBase32(text: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'));
  return fromBits(bits.join(''));
}

function percent(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : '';
  } catch {
    return '';
  }
}

const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });

function morse(text: string): string {
  const letter = (code: string) => String.fromCharCode(97 + MORSE.indexOf(code));
  return text
    .split(/ *\/ */)
    .map((word) => word.trim().split(/ +/).map(letter).join(''))
    .join(' ');
}

/** "rain egg milk": the first letters spell it, a dash parts the words. */
const initials = (text: string): string =>
  text
    .replace(/^[^:]*:/, '')
    .split(/\s+-\s+/)
    .map((word) => (word.match(/\b\p{L}/gu) ?? []).join(''))
    .join(' ');

/** One sentence in several messages: "1/3: …", "let a = …", "…" at the end. */
const joined = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^\d+\/\d+:\s*|^let \w+ = "|"$|\s*\.\.\.$/g, ''))
    .join(' ');

/** Any text can be turned round; one that was hidden that way has words then. */
const makesSense = (text: string): boolean => (text.toLowerCase().match(WORDS) ?? []).length > 1;

const matches = (text: string, pattern: RegExp): string[] => text.match(pattern) ?? [];

export function readings(whole: string): string[] {
  const text = whole.slice(0, MAX_TEXT);
  const visible = text.replace(INVISIBLE, '').normalize('NFKC');
  const bits = matches(text, BITS).map((run) =>
    fromBits(run.replaceAll('\u200b', '0').replaceAll('\u200c', '1')),
  );
  const tags = matches(text, TAGS).map((run) =>
    [...run].map((tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000)).join(''),
  );
  const all = [
    visible,
    joined(visible),
    visible.replaceAll('_', ' '),
    visible.toLowerCase().replace(/[а-ӏԁіѕј]/g, (letter) => LOOKALIKES[letter] ?? letter),
    ...tags,
    ...bits,
    ...matches(visible, /[A-Za-z0-9+/]{16,}={0,2}/g).map((run) => utf8(Buffer.from(run, 'base64'))),
    ...matches(visible, /\b(?:[0-9a-f]{2}){8,}\b/gi).map((run) => utf8(Buffer.from(run, 'hex'))),
    ...matches(visible, /\b[A-Z2-7]{16,}\b/g).map(fromBase32),
    percent(visible),
    ...matches(visible, MORSE_RUN).map(morse),
    ...[rot13(visible), [...visible].reverse().join(''), initials(visible)].filter(makesSense),
  ];
  return [...new Set(all.filter((reading) => reading.trim() !== ''))];
}

/** For comparing words: no case, no accents, no width. Other scripts keep their marks. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');

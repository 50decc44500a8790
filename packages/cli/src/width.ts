// How many columns a text takes in a terminal, and how it is cut, padded and wrapped to fit. Works on
// what a person sees as one character; colours take up no room. Pure.

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOUR = /\u001b\[[\d;]*m/g;
const PLAIN = /^[\x20-\x7e]*$/;
const INVISIBLE = /[\p{M}\p{Cf}]/u;
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

let segmenter: Intl.Segmenter | undefined;

function characters(text: string): string[] {
  if (PLAIN.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Terminals disagree about joined signs: room is left for those that draw each part. */
function columnsOf(character: string): number {
  const parts = [...character].reduce((sum, part) => sum + partColumns(part), 0);
  return character.includes('\ufe0f') ? Math.max(2, parts) : parts;
}

function partColumns(part: string): number {
  if (INVISIBLE.test(part)) return 0;
  return WIDE.test(part) ? 2 : 1;
}

export function width(text: string): number {
  const visible = text.replace(COLOUR, '');
  if (PLAIN.test(visible)) return visible.length;
  return characters(visible).reduce((sum, character) => sum + columnsOf(character), 0);
}

/** The text, or as much of it as fits with a … at its end. Without colours. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  return columns < 1 ? '' : `${head(text, columns - 1).trimEnd()}…`;
}

export const pad = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - width(text)));

/** Broken between words where it can be, and inside a word that is longer than a line. Without colours. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (width(longer) <= columns) {
      current = longer;
      continue;
    }
    if (current !== '') lines.push(current);
    current = word;
    while (width(current) > columns) {
      const part = head(current, columns) || (characters(current)[0] ?? '');
      lines.push(part);
      current = current.slice(part.length);
    }
  }
  return [...lines, current];
}

function head(text: string, columns: number): string {
  let taken = '';
  let room = columns;
  for (const character of characters(text)) {
    room -= columnsOf(character);
    if (room < 0) break;
    taken += character;
  }
  return taken;
}

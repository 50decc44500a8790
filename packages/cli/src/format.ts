// Formats numbers, lists, times and text for a terminal. Pure.
import { revealHidden } from '@relay/core/messages/text';

export function formatDuration(seconds: number): string {
  const units: readonly [string, number][] = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ];
  let rest = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  for (const [name, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

export function formatBytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const formatCount = (many: number, one: string, more = `${one}s`): string =>
  `${many} ${many === 1 ? one : more}`;

/** Two columns, the first as wide as its longest entry. */
export function formatRows(
  entries: readonly (readonly [string, string])[],
  indent = '  ',
): string[] {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${indent}${name.padEnd(width)}  ${value}`);
}

/** Numbers are stored as digits and shown with a plus. */
export const formatPhone = (digits: string): string => `+${digits.replace(/^\+/, '')}`;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Local time; the day is omitted if it is today. At most eleven characters. */
export function formatClock(at: Date, now: Date): string {
  const time = `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
  const today = at.toDateString() === now.toDateString();
  return today ? time : `${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())} ${time}`;
}

/** A duration in one unit. */
export function formatRoughDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** Characters that control a terminal, such as escapes and direction marks, are made visible. */
export const toPrintable = (text: string): string => revealHidden(text);

/** The same on one line. */
export const toOneLine = (text: string): string => toPrintable(text).replace(/\s+/g, ' ').trim();

// Measures, cuts, pads and wraps text by terminal columns. Works on grapheme clusters; colour sequences have no width.
// Pure.

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

/** Terminals disagree about joined emoji; this reserves room for those that draw each part. */
function columnsOf(character: string): number {
  const parts = [...character].reduce((sum, part) => sum + partColumns(part), 0);
  return character.includes('\ufe0f') ? Math.max(2, parts) : parts;
}

function partColumns(part: string): number {
  if (INVISIBLE.test(part)) return 0;
  return WIDE.test(part) ? 2 : 1;
}

export function textWidth(text: string): number {
  const visible = text.replace(COLOUR, '');
  if (PLAIN.test(visible)) return visible.length;
  return characters(visible).reduce((sum, character) => sum + columnsOf(character), 0);
}

/** The text, shortened with … if it does not fit. Without colours. */
export function truncateText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns < 1 ? '' : `${takeColumns(text, columns - 1).trimEnd()}…`;
}

export const padText = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - textWidth(text)));

/** Breaks between words if possible, otherwise inside a word longer than a line. Without colours. */
export function wrapText(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (textWidth(longer) <= columns) {
      current = longer;
      continue;
    }
    if (current !== '') lines.push(current);
    current = word;
    while (textWidth(current) > columns) {
      const part = takeColumns(current, columns) || (characters(current)[0] ?? '');
      lines.push(part);
      current = current.slice(part.length);
    }
  }
  return [...lines, current];
}

function takeColumns(text: string, columns: number): string {
  let taken = '';
  let room = columns;
  for (const character of characters(text)) {
    room -= columnsOf(character);
    if (room < 0) break;
    taken += character;
  }
  return taken;
}

// Parses durations as people type them: 90s, 30m, 2h, 1d, or combined as 1h30m. Pure.

const DURATION_UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** In milliseconds; null for an invalid duration. */
export function parseDuration(text: string): number | null {
  const compact = text.trim().toLowerCase();
  if (!/^(\d{1,9}[smhd])+$/.test(compact)) return null;
  return Array.from(compact.matchAll(/(\d{1,9})([smhd])/g)).reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (DURATION_UNITS_MS[unit] ?? 0),
    0,
  );
}

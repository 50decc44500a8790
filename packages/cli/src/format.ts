// How figures and lists look to a person. Pure.
import { visible } from '@relay/core/messages/visible';

export function duration(seconds: number): string {
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

export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const count = (many: number, one: string, more = `${one}s`): string =>
  `${many} ${many === 1 ? one : more}`;

/** Two columns, the first as wide as its longest entry. */
export function rows(entries: readonly (readonly [string, string])[], indent = '  '): string[] {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${indent}${name.padEnd(width)}  ${value}`);
}

/** Numbers are kept as digits and shown as people write them. */
export const phone = (digits: string): string => `+${digits.replace(/^\+/, '')}`;

const two = (value: number): string => String(value).padStart(2, '0');

/** Local time; the day is left out where it is today. At most eleven characters. */
export function clock(at: Date, now: Date): string {
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  const today = at.toDateString() === now.toDateString();
  return today ? time : `${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

/** A length of time in one unit, as somebody would say it. */
export function roughly(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** Whatever a terminal would obey instead of showing, such as escapes and direction marks, is written out. */
export const printable = (text: string): string => visible(text);

/** The same on one line. */
export const oneLine = (text: string): string => printable(text).replace(/\s+/g, ' ').trim();

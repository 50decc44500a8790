// One line of the log as a person reads it: when, how grave, what, and the fields that matter. Pure.
import { printable } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

type Line = Record<string, unknown>;

export const isAtLeast =
  (level: Level) =>
  (line: string): boolean => {
    const found = LEVELS.indexOf((parse(line)?.level ?? 'info') as Level);
    return found >= LEVELS.indexOf(level);
  };

export function pretty(line: string, colours: Terminal['colours'], today: string): string {
  const parsed = parse(line);
  if (parsed === null) return printable(line);
  const { level, time, msg, error, ...fields } = parsed;
  const paint = { warn: colours.yellow, error: colours.red, debug: colours.dim }[String(level)];
  const shown = String(level ?? 'info').padEnd(5);
  const details = Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  const parts = [
    colours.dim(clock(String(time ?? ''), today)),
    paint ? paint(shown) : shown,
    printable(String(msg ?? '')),
    colours.dim(printable(details)),
    colours.red(printable(errorText(error))),
  ];
  return parts
    .filter((part) => part !== '')
    .join('  ')
    .trimEnd();
}

function parse(line: string): Line | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Line) : null;
  } catch {
    return null;
  }
}

/** The day is shown only when it is not today. */
function clock(time: string, today: string): string {
  const [day = '', rest = ''] = time.split('T');
  return day === today ? rest.slice(0, 12) : `${day} ${rest.slice(0, 8)}`.trim();
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { type, message, stack } = error as Line;
  return typeof stack === 'string' ? `\n${stack}` : `${type ?? 'error'}: ${message ?? ''}`;
}

// `relay transcript`: a line of the conversation as a person reads it: when, who, what, and how far it
// has come. Pure.
import type { TranscriptLine } from '@relay/core/api/instances';
import type { OutboxState } from '@relay/core/outbox/progress';
import { clock, printable } from '../format.ts';
import { wrap } from '../width.ts';
import type { Look } from './table.ts';
import type { Colours } from './words.ts';

const WHO: Readonly<Record<TranscriptLine['role'], readonly [string, keyof Colours]>> = {
  agent: ['agent', 'cyan'],
  contact: ['contact', 'green'],
  manual: ['you', 'bold'],
  system: ['Relay', 'yellow'],
};

const MARKS: Readonly<Record<OutboxState, readonly [string, keyof Colours]>> = {
  pending: ['waiting', 'dim'],
  sent: ['sent ✓', 'dim'],
  delivered: ['delivered ✓✓', 'dim'],
  read: ['read ✓✓', 'blue'],
  failed: ['not sent ✗', 'red'],
  unknown: ['may not have left ?', 'yellow'],
};

/** With the day and without; narrow windows line up those of today. */
const TIME = { wide: 11, narrow: 5 };
const WIDE = 80;
const NAME = 7;
/** With less room than this the text goes below. */
const LEAST = 24;

export function transcriptLines(line: TranscriptLine, look: Look): string[] {
  const { colours } = look;
  const [who, colour] = WHO[line.role];
  const room = look.columns ?? Number.POSITIVE_INFINITY;
  const time = clock(new Date(line.timestamp), new Date(look.now)).padStart(
    room < WIDE ? TIME.narrow : TIME.wide,
  );
  const before = time.length + NAME + 4;
  const beside = room - before;
  const below = beside < LEAST;
  const columns = below ? room - 2 : beside;
  const text = wrap(printable(line.content).trimEnd(), columns);
  const written = withMark(text, line, columns, look);
  if (below) {
    return [
      `${colours.dim(time.trimStart())} ${colours[colour](who)}`,
      ...written.map((part) => `  ${part}`),
    ];
  }
  const first = `${colours.dim(time)}  ${colours[colour](who.padEnd(NAME))}  `;
  return written.map((part, index) => (index === 0 ? first : ' '.repeat(before)) + part);
}

/** The mark stands behind the text, or below it where there is no room. */
function withMark(
  text: readonly string[],
  { delivery, queued_until }: TranscriptLine,
  columns: number,
  { colours, now }: Look,
): string[] {
  if (delivery === null) return [...text];
  const [word, colour] = MARKS[delivery];
  const until =
    queued_until === undefined ? '' : ` until ${clock(new Date(queued_until), new Date(now))}`;
  const mark = `${word}${until}`;
  const last = text.at(-1) ?? '';
  const painted = colours[colour](mark);
  return wrap(`${last}  ${mark}`, columns).length === 1
    ? [...text.slice(0, -1), `${last}  ${painted}`]
    : [...text, painted];
}

// What was said before, as one reads it on coming back. Pure.
import type { AssistantLine } from '@relay/core/api/assistant';
import { clock, printable } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { wrap } from '../width.ts';

const NARROW = 40;

export function historyLines(
  line: AssistantLine,
  colours: Pick<Terminal['colours'], 'dim' | 'bold'>,
  columns: number | null,
  now: Date,
): string[] {
  const who = line.role === 'user' ? 'you' : 'assistant';
  const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(NARROW, columns);
  const text = wrap(printable(line.content).trimEnd(), room);
  return [`${colours.bold(who)} ${colours.dim(clock(new Date(line.at), now))}`, ...text, ''];
}

// What was found, as a person reads it: where and when, then the words between what was said around them.
import type { FoundMessage, SearchLine } from '@relay/core/api/search';
import type { Zone } from '@relay/core/schedule/zone';
import { highlight } from '@relay/core/search/highlight';
import { oneLine, printable } from '../../format.ts';
import type { Terminal } from '../../terminal.ts';
import { cut } from '../../width.ts';

type Colours = Pick<Terminal['colours'], 'dim' | 'bold'>;

interface Asked {
  readonly question: string;
  readonly now: Date;
  readonly zone: Zone | null;
}

/** As much of a neighbour as tells what it was about. */
const GLANCE = 76;

export function describe(hits: readonly FoundMessage[], colours: Colours, asked: Asked): string[] {
  const lines = hits.flatMap((hit) => [
    headOf(hit, colours),
    ...glance(hit.before, colours),
    ...`${nameOf(hit)}: ${emphasised(hit.text, colours, asked)}`
      .trimEnd()
      .split('\n')
      .map((line) => `  │ ${line}`),
    ...glance(hit.after, colours),
    '',
  ]);
  return lines.slice(0, -1);
}

const headOf = ({ chat_name, at, message_id, by }: FoundMessage, colours: Colours): string => {
  const found =
    by === 'meaning' ? `${printable(message_id)}  by its meaning` : printable(message_id);
  return `${colours.bold(oneLine(chat_name))}  ${when(at)}  ${colours.dim(found)}`;
};

const nameOf = ({ from_me, from_name }: SearchLine): string =>
  from_me ? 'you' : oneLine(from_name) || 'somebody';

const glance = (line: SearchLine | null, colours: Colours): string[] =>
  line === null ? [] : [colours.dim(cut(`    ${nameOf(line)}: ${oneLine(line.text)}`, GLANCE))];

function emphasised(text: string, colours: Colours, { question, now, zone }: Asked): string {
  const shown = printable(text);
  if (zone === null) return shown;
  return highlight(shown, question, now, zone)
    .map(({ text: piece, found }) => (found ? colours.bold(piece) : piece))
    .join('');
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Local time, with the year: what is looked for is often long ago. */
function when(at: string): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

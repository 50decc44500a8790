// A schedule as a person reads it. Times are shown in the schedule's own zone. Pure.
import type { Schedule, SchedulePreview } from '@relay/core/api/schedules';
import { catchUpWords, localWords } from '@relay/core/schedule/words';
import { zoneNamed } from '@relay/core/schedule/zone';
import { count, oneLine, printable } from '../format.ts';
import { cut } from '../width.ts';

export interface Look {
  /** Null where nobody looks: nothing is cut. */
  readonly columns: number | null;
  readonly colours: {
    bold(text: string): string;
    dim(text: string): string;
    yellow(text: string): string;
  };
}

/** So many of the next times fit a line. */
const TOLD = 3;

/** What was understood, before it is saved. */
export function described(preview: SchedulePreview, { colours }: Look): string[] {
  const [first, ...more] = preview.next.slice(0, TOLD).map((at) => timeIn(preview.zone, at));
  return [
    `${colours.bold(printable(preview.words))}, to ${recipientOf(preview)}`,
    ...printable(preview.text)
      .split('\n')
      .map((line) => `  │ ${line}`),
    `  Next: ${first ?? 'never'}${more.map((at) => `, then ${at}`).join('')}.`,
    colours.dim(`  When Relay was not there: ${catchUpWords(preview.rule, preview.catch_up)}.`),
  ];
}

export function listed(schedules: readonly Schedule[], look: Look): string[] {
  const columns = look.columns ?? Number.POSITIVE_INFINITY;
  return schedules.flatMap((schedule) => [
    `${look.colours.bold(shortId(schedule.id))}  ${cut(`${printable(schedule.words)}, to ${recipientOf(schedule)}`, columns - 10)}`,
    `          ${cut(oneLine(schedule.text), columns - 10)}`,
    look.colours.dim(`          ${cut(comesNext(schedule), columns - 10)}`),
    ...trouble(schedule).map((line) => look.colours.yellow(`          ${line}`)),
  ]);
}

function comesNext({ state, next, zone }: Schedule): string {
  const [first] = next;
  if (state === 'cancelled') return 'Cancelled.';
  return first === undefined ? 'It has happened.' : `Next: ${timeIn(zone, first)}.`;
}

/** Only what the owner would want to know: that the last one did not go out. */
function trouble({ last, zone }: Schedule): string[] {
  if (last === null || last.outcome === 'queued') return [];
  const what = { waiting: 'waits for you', refused: 'was not sent', skipped: 'was left out' };
  const which =
    last.count === 1
      ? `The one of ${timeIn(zone, last.due_at)} ${what[last.outcome]}`
      : `${count(last.count, 'occurrence')} from ${timeIn(zone, last.due_at)} on were left out`;
  return [`${which}: ${last.reason}`];
}

export function recipientOf({ recipient, recipient_name: name }: SchedulePreview): string {
  const address = printable(recipient ?? 'nobody that is known any more');
  return name === null ? address : `${printable(name)} (${address})`;
}

function timeIn(zoneName: string, at: string): string {
  const zone = zoneNamed(zoneName);
  return zone === null ? at : localWords(new Date(at), zone);
}

/** What people are shown and may type. */
export const shortId = (id: string): string => id.slice(0, 8);

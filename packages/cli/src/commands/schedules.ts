// `relay schedule list` and `cancel`: list what is scheduled, the next first, and what failed.

import type { Schedule, SchedulePreview } from '@relay/contract/api/schedules';
import type { Client } from '@relay/contract/client/client';
import { RelayError } from '@relay/contract/errors';
import { withContent } from '@relay/core/messages/outgoing';
import { describeCatchUp, formatLocalTime } from '@relay/core/schedule/format';
import { findZone } from '@relay/core/schedule/zone';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, toOneLine, toPrintable, truncateText } from '../format.ts';

const STATES = ['active', 'done', 'cancelled', 'all'] as const;

export const listSchedulesCommand: RunCommand = async ({ config, terminal, options }) => {
  const state = parseScheduleState(options.state);
  const schedules = await clientOf(config.home).get('/api/schedules', { query: { state } });
  if (terminal.json) terminal.writeJson(schedules);
  else if (schedules.length === 0) {
    terminal.notice(
      state === 'active'
        ? 'No active schedules. Add one with `relay schedule "every weekday 9am" --to me "…"`.'
        : EMPTY_LISTS[state],
    );
  } else {
    const columns = terminal.size?.columns ?? null;
    for (const line of formatSchedules(schedules, { columns, colours: terminal.colours }))
      terminal.writeLine(line);
  }
  return 0;
};

const EMPTY_LISTS = {
  done: 'No completed schedules.',
  cancelled: 'No cancelled schedules.',
  all: 'No schedules.',
} as const;

function parseScheduleState(given: unknown): (typeof STATES)[number] {
  const known = STATES.find((state) => state === (given ?? 'active'));
  if (known !== undefined) return known;
  throw new RelayError('usage', { what: `Give --state one of ${STATES.join(', ')}.` });
}

// `relay schedule cancel <id>`: cancels it, including a message that is already queued.

export const cancelScheduleCommand: RunCommand = async ({ config, terminal, args }) => {
  const client = clientOf(config.home);
  const id = await findScheduleId(client, args[0] ?? '');
  const cancelled = await client.delete('/api/schedules/{id}', { path: { id } });
  if (terminal.json) terminal.writeJson(cancelled);
  else
    terminal.writeLine(
      `Cancelled: ${toPrintable(cancelled.words)}, to ${formatScheduleRecipient(cancelled)}.`,
    );
  return 0;
};

const WHOLE = 36;

async function findScheduleId(client: Client, given: string): Promise<string> {
  const beginning = given.trim().toLowerCase();
  if (beginning.length >= WHOLE) return beginning;
  const all = await client.get('/api/schedules', { query: { state: 'all' } });
  const found = all.filter(({ id }) => beginning !== '' && id.startsWith(beginning));
  const [only, ...others] = found.map(({ id }) => id);
  if (only === undefined) throw new RelayError('schedule_not_found', { id: toPrintable(given) });
  if (others.length === 0) return only;
  throw new RelayError('schedule_ambiguous', {
    id: given,
    candidates: [only, ...others].join(', '),
  });
}

// Formats a schedule. Times are in the schedule's own time zone. Pure.

interface ScheduleLayout {
  /** Null when the output is not a terminal: nothing is truncated. */
  readonly columns: number | null;
  readonly colours: {
    bold(text: string): string;
    dim(text: string): string;
    yellow(text: string): string;
  };
}

/** This many of the next times fit on a line. */
const NEXT_TIMES_SHOWN = 3;

/** Shown before it is saved. */
export function formatSchedulePreview(
  preview: SchedulePreview,
  { colours }: ScheduleLayout,
): string[] {
  const [first, ...more] = preview.next
    .slice(0, NEXT_TIMES_SHOWN)
    .map((at) => timeIn(preview.zone, at));
  return [
    `${colours.bold(toPrintable(preview.words))}, to ${formatScheduleRecipient(preview)}`,
    ...toPrintable(withContent(preview.text, preview.content))
      .split('\n')
      .map((line) => `  │ ${line}`),
    `  Next: ${first ?? 'never'}${more.map((at) => `, then ${at}`).join('')}.`,
    colours.dim(
      `  If Relay is offline at that time: ${describeCatchUp(preview.rule, preview.catch_up)}.`,
    ),
  ];
}

export function formatSchedules(schedules: readonly Schedule[], look: ScheduleLayout): string[] {
  const columns = look.columns ?? Number.POSITIVE_INFINITY;
  return schedules.flatMap((schedule) => [
    `${look.colours.bold(shortScheduleId(schedule.id))}  ${truncateText(`${toPrintable(schedule.words)}, to ${formatScheduleRecipient(schedule)}`, columns - 10)}`,
    `          ${truncateText(toOneLine(withContent(schedule.text, schedule.content)), columns - 10)}`,
    look.colours.dim(`          ${truncateText(describeNextRun(schedule), columns - 10)}`),
    ...describeLastProblem(schedule).map((line) => look.colours.yellow(`          ${line}`)),
  ]);
}

function describeNextRun({ state, next, zone }: Schedule): string {
  const [first] = next;
  if (state === 'cancelled') return 'Cancelled.';
  return first === undefined ? 'Completed.' : `Next: ${timeIn(zone, first)}.`;
}

/** Only reports that the last run was not sent. */
function describeLastProblem({ last, zone }: Schedule): string[] {
  if (last === null || last.outcome === 'queued') return [];
  const outcome = {
    waiting: 'is waiting for your approval',
    refused: 'was not sent',
    skipped: 'was skipped',
  }[last.outcome];
  const what =
    last.count === 1
      ? `The run of ${timeIn(zone, last.due_at)} ${outcome}`
      : `${formatCount(last.count, 'run')} from ${timeIn(zone, last.due_at)} on were skipped`;
  return [`${what}: ${last.reason}`];
}

function formatScheduleRecipient({ recipient, recipient_name: name }: SchedulePreview): string {
  const address = toPrintable(recipient ?? 'an unknown contact');
  return name === null ? address : `${toPrintable(name)} (${address})`;
}

function timeIn(zoneName: string, at: string): string {
  const zone = findZone(zoneName);
  return zone === null ? at : formatLocalTime(new Date(at), zone);
}

/** The short id that people see and can type. */
export const shortScheduleId = (id: string): string => id.slice(0, 8);

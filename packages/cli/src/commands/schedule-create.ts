// `relay schedule "every weekday 9am" --to Mom "…"`: shows how it was understood with the next three times, and saves
// exactly that after confirmation. Without arguments it lists the schedules.

import type { CatchUp } from '@relay/contract/api/constants';
import type { SchedulePreview } from '@relay/contract/api/schedules';
import { RelayError } from '@relay/contract/errors';
import { WEEKDAYS } from '@relay/contract/schedule/names';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import { clientOf } from '../api.ts';
import type { CommandCall, CommandOptions, RunCommand } from '../command.ts';
import { askUser, canAsk } from '../prompt.ts';
import { formatSchedulePreview, listSchedulesCommand, shortScheduleId } from './schedules.ts';

export const createScheduleCommand: RunCommand = async (call) => {
  const { config, terminal, args, options } = call;
  if (args.length === 0 && Object.keys(options).every((name) => name === 'json'))
    return listSchedulesCommand(call);
  const { text, ...request } = parseScheduleRequest(args, options);
  const { readScheduledContent } = await import('./send-content.ts');
  const content = await readScheduledContent(config.home, text, options);
  const client = clientOf(config.home);
  const preview = await client.post('/api/schedules/preview', { body: { ...request, ...content } });
  if (options.once !== undefined && preview.rule.kind !== 'once') {
    throw new RelayError('usage', {
      what: `"${options.once}" is not a single time. It means ${preview.words}.`,
    });
  }
  if (!(await confirmSchedule(call, preview))) return 1;
  const { rule, zone, catch_up } = preview;
  const { to } = request;
  // Sends what was shown, not what was typed: "in 2 hours" means another moment by now.
  const made = await client.post('/api/schedules', {
    body: { to, ...content, rule, zone, catch_up },
  });
  if (terminal.json) terminal.writeJson(made);
  else
    terminal.writeLine(
      `Scheduled. Cancel it with \`relay schedule cancel ${shortScheduleId(made.id)}\`.`,
    );
  return 0;
};

async function confirmSchedule(
  { terminal, options }: CommandCall,
  preview: SchedulePreview,
): Promise<boolean> {
  if (!terminal.json) {
    const columns = terminal.size?.columns ?? null;
    for (const line of formatSchedulePreview(preview, { columns, colours: terminal.colours }))
      terminal.writeLine(line);
  }
  if (options.yes === true) return true;
  if (terminal.json || !canAsk()) {
    throw new RelayError('usage', {
      what: 'Nothing was saved. Add --yes to skip the confirmation.',
    });
  }
  if (/^y(es)?$/i.test(await askUser('Save it? [y/N] '))) return true;
  terminal.note('Nothing was saved.');
  return false;
}

// Converts the arguments of `relay schedule` to an API request. The time is given either in words or by flags, never
// both. Pure.

const HELP = 'See `relay schedule --help`.';

interface ScheduleRequest {
  readonly to: string;
  /** The text, or the caption of a file; undefined if it is something else alone. */
  readonly text: string | undefined;
  readonly when?: string;
  readonly rule?: ScheduleRule;
  readonly zone?: string;
  readonly catch_up?: CatchUp;
}

export function parseScheduleRequest(
  args: readonly (string | undefined)[],
  options: CommandOptions,
): ScheduleRequest {
  const given = (['once', 'daily', 'weekly', 'cron'] as const).filter(
    (name) => typeof options[name] === 'string',
  );
  if (given.length > 1) refuse('Give only one of --once, --daily, --weekly and --cron.');
  const [way] = given;
  const [when, text] = way === undefined ? args : [undefined, ...args];
  if (args.length > (way === undefined ? 2 : 1)) {
    refuse(
      `Too many arguments. Put ${way === undefined ? 'the time and the text' : 'the text'} in quotes.`,
    );
  }
  if (way === undefined && !when?.trim()) refuse('Give a time.');
  const isMore = ['file', 'voice', 'location'].some((name) => options[name] !== undefined);
  if (!isMore && !text?.trim()) refuse('Give the text to send.');
  const { to, zone, catchUp } = options;
  if (typeof to !== 'string' || to.trim() === '')
    refuse('Give the recipient with --to: a name, a number, or me.');
  return {
    to: String(to),
    text,
    ...(way === undefined ? { when: String(when) } : whenBy(way, String(options[way]))),
    ...(typeof zone === 'string' ? { zone } : {}),
    ...(catchUp === undefined ? {} : { catch_up: catchUpOf(catchUp) }),
  };
}

function refuse(what: string): never {
  throw new RelayError('usage', { what: `${what} ${HELP}` });
}

function whenBy(
  way: 'once' | 'daily' | 'weekly' | 'cron',
  value: string,
): { when: string } | { rule: ScheduleRule } {
  switch (way) {
    case 'once':
      return { when: value };
    case 'daily':
      return { rule: { kind: 'daily', time: timeOf(value) } };
    case 'weekly':
      return { rule: weekly(value) };
    case 'cron':
      return { rule: { kind: 'cron', expression: value.trim() } };
  }
}

function timeOf(text: string): string {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? [];
  if (hour === undefined || minute === undefined || Number(hour) > 23 || Number(minute) > 59) {
    refuse(`"${text}" is not a time of day. Give one such as 09:00.`);
  }
  return `${hour.padStart(2, '0')}:${minute}`;
}

function weekly(text: string): ScheduleRule {
  const [names = '', time, ...rest] = text.split('@');
  if (time === undefined || rest.length > 0) refuse('Give --weekly as mon,fri@18:00.');
  const days = names.split(',').map((name) => {
    const day = WEEKDAYS.find((each) => each === name.trim().toLowerCase().slice(0, 3));
    return day ?? refuse(`"${name}" is not a day of the week. Use ${WEEKDAYS.join(', ')}.`);
  });
  return { kind: 'weekly', days, time: timeOf(time) };
}

const CATCH_UPS = ['skip', 'once', 'all'] as const;

const catchUpOf = (value: unknown) =>
  CATCH_UPS.find((each) => each === value) ??
  refuse(`Give --catch-up one of ${CATCH_UPS.join(', ')}.`);

// What was typed after `relay schedule`, as the API wants it. Words and structured flags are two ways to say
// when; exactly one of them is taken. Pure.
import { RelayError } from '@relay/core/errors';
import { WEEKDAYS } from '@relay/core/schedule/local';
import type { CatchUp } from '@relay/core/schedule/missed';
import type { Rule } from '@relay/core/schedule/rule';
import type { Options } from '../command.ts';

const HELP = '`relay schedule --help` shows how.';

export interface Request {
  readonly to: string;
  readonly text: string;
  readonly when?: string;
  readonly rule?: Rule;
  readonly zone?: string;
  readonly catch_up?: CatchUp;
}

export function requestOf(args: readonly (string | undefined)[], options: Options): Request {
  const given = (['once', 'daily', 'weekly', 'cron'] as const).filter(
    (name) => typeof options[name] === 'string',
  );
  if (given.length > 1) refuse(`Say when in one way, not in ${given.length}.`);
  const [way] = given;
  const [when, text] = way === undefined ? args : [undefined, ...args];
  if (args.length > (way === undefined ? 2 : 1)) {
    refuse(
      `There is more than a ${way === undefined ? 'time and a text' : 'text'}: put each in quotes.`,
    );
  }
  if (way === undefined && !when?.trim()) refuse('Say when.');
  if (!text?.trim()) refuse('Say what to send.');
  const { to, zone, catchUp } = options;
  if (typeof to !== 'string' || to.trim() === '')
    refuse('Say to whom with --to: a name, a number, or me.');
  return {
    to: String(to),
    text: String(text),
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
): { when: string } | { rule: Rule } {
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
    refuse(`"${text}" is no time of day: write it as 09:00.`);
  }
  return `${hour.padStart(2, '0')}:${minute}`;
}

function weekly(text: string): Rule {
  const [names = '', time, ...rest] = text.split('@');
  if (time === undefined || rest.length > 0) refuse('Write --weekly as mon,fri@18:00.');
  const days = names.split(',').map((name) => {
    const day = WEEKDAYS.find((each) => each === name.trim().toLowerCase().slice(0, 3));
    return day ?? refuse(`"${name}" is no day of the week: they are ${WEEKDAYS.join(', ')}.`);
  });
  return { kind: 'weekly', days, time: timeOf(time) };
}

const CATCH_UPS = ['skip', 'once', 'all'] as const;

const catchUpOf = (value: unknown) =>
  CATCH_UPS.find((each) => each === value) ??
  refuse(`--catch-up is one of ${CATCH_UPS.join(', ')}.`);

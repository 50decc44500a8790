// The content of the form, and the request built from it. Pure. An incomplete request is null; the daemon validates the
// rest.

import type { CatchUp } from '@relay/contract/api/constants';
import type { Weekday } from '@relay/contract/schedule/names';
import type { ScheduleRule } from '@relay/contract/schedule/rule';

export const RECURRENCES = ['once', 'daily', 'weekly', 'typed'] as const;
export type Recurrence = (typeof RECURRENCES)[number];

export interface ScheduleDraft {
  readonly recurrence: Recurrence;
  /** 2026-12-24T18:00 */
  readonly at: string;
  /** 09:00 */
  readonly time: string;
  readonly days: readonly Weekday[];
  /** In words, or as cron. */
  readonly when: string;
  /** The owner's time zone if empty. */
  readonly zone: string;
  /** The default for its kind if empty. */
  readonly catchUp: CatchUp | '';
}

interface ScheduleTiming {
  readonly when?: string;
  readonly rule?: ScheduleRule;
}

/** As the API takes it. */
export interface ScheduleRequestBody extends ScheduleTiming {
  readonly to: string;
  readonly text: string;
  readonly zone?: string;
  readonly catch_up?: CatchUp;
}

function toTiming({ recurrence, at, time, days, when }: ScheduleDraft): ScheduleTiming | null {
  switch (recurrence) {
    case 'once':
      return at === '' ? null : { rule: { kind: 'once', at } };
    case 'daily':
      return time === '' ? null : { rule: { kind: 'daily', time } };
    case 'weekly':
      return time === '' || days.length === 0
        ? null
        : { rule: { kind: 'weekly', days: [...days], time } };
    case 'typed':
      return when.trim() === '' ? null : { when: when.trim() };
  }
}

export function toScheduleRequest(
  draft: ScheduleDraft,
  { to, text }: { readonly to: string; readonly text: string },
): ScheduleRequestBody | null {
  const times = toTiming(draft);
  if (times === null) return null;
  return {
    to,
    text,
    ...times,
    ...(draft.zone === '' ? {} : { zone: draft.zone }),
    ...(draft.catchUp === '' ? {} : { catch_up: draft.catchUp }),
  };
}

/** The requested time of day, if there is one. */
export function requestedTime({ recurrence, at, time }: ScheduleDraft): string | null {
  if (recurrence === 'once') return at === '' ? null : at.slice(11, 16);
  return recurrence === 'typed' || time === '' ? null : time;
}

const HOUR_MS = 3_600_000;

/** The next whole hour but one, in local time. */
export function suggestStart(now: Date): string {
  const at = new Date(now.getTime() + 2 * HOUR_MS);
  at.setMinutes(0, 0, 0);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:00`;
}

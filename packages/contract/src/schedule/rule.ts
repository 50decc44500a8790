// When something is to happen: once or again and again, always as the clocks of one zone show it. The rule
// is what is stored, shown and sent over the API; when it next happens is worked out in `occurrences.ts`.
import { z } from 'zod';
import type { CatchUp } from '../api/constants.ts';
import { WEEKDAYS } from './names.ts';

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const MOMENT = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?Z?$/;

const timeSchema = z.string().regex(TIME, 'Give the time as HH:MM, from 00:00 to 23:59');

export const ruleSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('once'),
    /** A local time, as in 2026-12-24T18:00, or with a Z an instant. */
    at: z
      .string()
      .regex(MOMENT, 'Give the moment as 2026-12-24T18:00, or as an instant with a Z at its end')
      .refine(isOnCalendar, 'There is no such day'),
  }),
  z.strictObject({ kind: z.literal('daily'), time: timeSchema }),
  z.strictObject({
    kind: z.literal('weekly'),
    days: z.array(z.enum(WEEKDAYS)).min(1, 'Name at least one day of the week'),
    time: timeSchema,
  }),
  z.strictObject({
    kind: z.literal('cron'),
    /** Five fields: minute, hour, day of the month, month, day of the week. */
    expression: z.string().max(120),
  }),
]);

export type ScheduleRule = z.infer<typeof ruleSchema>;

/** The 31st of February is written like a day and is none. */
function isOnCalendar(at: string): boolean {
  const day = at.slice(0, 10);
  const read = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day);
}

const isRepeating = (rule: ScheduleRule): boolean => rule.kind !== 'once';

/** What is to happen once is worth being late; of what comes again the next one is enough. */
export const defaultCatchUp = (rule: ScheduleRule): CatchUp =>
  isRepeating(rule) ? 'skip' : 'once';

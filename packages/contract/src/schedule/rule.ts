// The rule of a schedule: once or repeated, in the local time of one zone. The rule is stored, shown and sent over the
// API; `occurrences.ts` computes the next run.
import { z } from 'zod';
import type { CatchUp } from '../api/constants.ts';
import { WEEKDAYS } from './names.ts';

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const MOMENT = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?Z?$/;

const timeSchema = z.string().regex(TIME, 'Give the time as HH:MM, from 00:00 to 23:59');

export const ruleSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('once'),
    /** A local time such as 2026-12-24T18:00, or an instant with a Z. */
    at: z
      .string()
      .regex(MOMENT, 'Give the time as 2026-12-24T18:00, or as an instant that ends with Z')
      .refine(isOnCalendar, 'This day does not exist'),
  }),
  z.strictObject({ kind: z.literal('daily'), time: timeSchema }),
  z.strictObject({
    kind: z.literal('weekly'),
    days: z.array(z.enum(WEEKDAYS)).min(1, 'Give at least one day of the week'),
    time: timeSchema,
  }),
  z.strictObject({
    kind: z.literal('cron'),
    /** Five fields: minute, hour, day of the month, month, day of the week. */
    expression: z.string().max(120),
  }),
]);

export type ScheduleRule = z.infer<typeof ruleSchema>;

/** Rejects dates such as 31 February, which have the right form but do not exist. */
function isOnCalendar(at: string): boolean {
  const day = at.slice(0, 10);
  const read = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day);
}

const isRepeating = (rule: ScheduleRule): boolean => rule.kind !== 'once';

/** A message that is sent once is still useful when late; of a repeated one the next is enough. */
export const defaultCatchUp = (rule: ScheduleRule): CatchUp =>
  isRepeating(rule) ? 'skip' : 'once';

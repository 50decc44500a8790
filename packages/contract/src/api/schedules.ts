// Messages for later, as the API has them: what is asked for, what was understood, and when it happens.
import { z } from 'zod';
import type { ScheduleId } from '../ids.ts';
import { OUTBOX_STATES } from '../outbox/states.ts';
import { ruleSchema } from '../schedule/rule.ts';
import { boundedText } from './common.ts';
import { CATCH_UPS } from './constants.ts';

export const SCHEDULE_STATES = ['active', 'done', 'cancelled'] as const;
export const RUN_OUTCOMES = ['queued', 'waiting', 'refused', 'skipped'] as const;

export const createScheduleSchema = z
  .strictObject({
    /** A number, an address, a name, or `me`. */
    to: boundedText(128),
    text: boundedText(5_000),
    /** As people type it: "every weekday 9am", "tomorrow 14:30". */
    when: boundedText(200).optional(),
    rule: ruleSchema.optional(),
    /** An IANA zone; your own unless given. */
    zone: z.string().max(64).optional(),
    /** What becomes of those that Relay was not there for. */
    catch_up: z.enum(CATCH_UPS).optional(),
  })
  .refine(({ when, rule }) => (when === undefined) !== (rule === undefined), {
    message: 'Say when, either in words (`when`) or as a rule (`rule`)',
  });

export type CreateSchedule = z.infer<typeof createScheduleSchema>;

const understood = {
  rule: ruleSchema,
  zone: z.string(),
  /** As in: every weekday at 09:00, Europe/Berlin. */
  words: z.string(),
  catch_up: z.enum(CATCH_UPS),
  /** The next times, as instants: five in a preview, three in a list. */
  next: z.array(z.string()),
  /** Where it goes: a number, or an address as WhatsApp has it. */
  recipient: z.string().nullable(),
  recipient_name: z.string().nullable(),
  text: z.string(),
};

export const schedulePreviewSchema = z.object(understood);
export type SchedulePreview = z.infer<typeof schedulePreviewSchema>;

const scheduleRunSchema = z.object({
  due_at: z.string(),
  /** Of several that were left out together, the last; else the same. */
  last_due_at: z.string(),
  count: z.int(),
  outcome: z.enum(RUN_OUTCOMES),
  reason: z.string(),
  reason_code: z.string(),
  at: z.string(),
  /** Where its message stands, if there is one. */
  message_state: z.enum(OUTBOX_STATES).nullable(),
  /** The question to the owner that it waits for, as long as it waits. */
  approval_id: z.string().nullable(),
});
export type ScheduleRun = z.infer<typeof scheduleRunSchema>;

export const scheduleSchema = z.object({
  id: z.string(),
  ...understood,
  state: z.enum(SCHEDULE_STATES),
  created_by: z.string(),
  /** Who made it, in words: you, the assistant, a program or a conversation by its name. */
  who: z.string(),
  created_at: z.string(),
  /** What became of its last occurrence. */
  last: scheduleRunSchema.nullable(),
});
export type Schedule = z.infer<typeof scheduleSchema>;

export const listSchedulesSchema = z.strictObject({
  /** `past`: those of which nothing more comes. */
  state: z.enum([...SCHEDULE_STATES, 'past', 'all']).default('active'),
  limit: z.coerce.number().int().min(1).max(500).default(500),
  /** So many are left out before the first: where the next page begins. */
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
});
type ScheduleQuery = z.infer<typeof listSchedulesSchema>;
export type ScheduleFilter = ScheduleQuery['state'];

// Messages for later, as routes and commands call them. Implemented by `schedule/`; every refusal is a
// RelayError from the one table.

export type SchedulePage = Pick<ScheduleQuery, 'limit' | 'offset'>;

export interface ScheduleService {
  /** The next one first; of those that are over, the latest made. */
  list(which: ScheduleFilter, page?: SchedulePage): Promise<readonly Schedule[]>;
  /** What `create` would understand. Writes nothing. */
  preview(wish: CreateSchedule): Promise<SchedulePreview>;
  /** Through the gate, as the owner. */
  create(wish: CreateSchedule): Promise<Schedule>;
  /** Nothing more comes of it, not even what is on its way already. */
  cancel(id: ScheduleId): Promise<Schedule>;
}

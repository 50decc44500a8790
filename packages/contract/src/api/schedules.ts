// Schemas and service of schedules: the request, how it was understood, and its runs.
import { z } from 'zod';
import type { ScheduleId } from '../ids.ts';
import { OUTBOX_STATES } from '../outbox/states.ts';
import { ruleSchema } from '../schedule/rule.ts';
import { boundedText } from './common.ts';
import { CATCH_UPS } from './constants.ts';
import { contentFields, outgoingContentSchema, refineContentFields } from './outgoing.ts';

export const SCHEDULE_STATES = ['active', 'done', 'cancelled'] as const;
export const RUN_OUTCOMES = ['queued', 'waiting', 'refused', 'skipped'] as const;

const { media, poll, location } = contentFields;
/** What refers to another message cannot be scheduled: that message may be gone by then. */
const schedulableFields = { media, poll, location };

export const createScheduleSchema = z
  .strictObject({
    /** A number, an address, a name, or `me`. */
    to: boundedText(128),
    /** A text, or one of the next three. */
    text: boundedText(5_000).optional(),
    ...schedulableFields,
    /** As people type it: "every weekday 9am", "tomorrow 14:30". */
    when: boundedText(200).optional(),
    rule: ruleSchema.optional(),
    /** An IANA zone; the owner's zone by default. */
    zone: z.string().max(64).optional(),
    /** What happens to runs that were missed. */
    catch_up: z.enum(CATCH_UPS).optional(),
  })
  .refine(({ when, rule }) => (when === undefined) !== (rule === undefined), {
    message: 'Give the time either in words (`when`) or as a rule (`rule`)',
  })
  .superRefine(refineContentFields);

export type CreateSchedule = z.infer<typeof createScheduleSchema>;

const understood = {
  rule: ruleSchema,
  zone: z.string(),
  /** The rule as text, such as "every weekday at 09:00, Europe/Berlin". */
  words: z.string(),
  catch_up: z.enum(CATCH_UPS),
  /** The next times as instants: five in a preview, three in a list. */
  next: z.array(z.string()),
  /** The recipient: a number, or an address as WhatsApp writes it. */
  recipient: z.string().nullable(),
  recipient_name: z.string().nullable(),
  /** The text, or the caption of a file. */
  text: z.string(),
  /** What it is besides text. */
  content: outgoingContentSchema.exactOptional(),
};

export const schedulePreviewSchema = z.object(understood);
export type SchedulePreview = z.infer<typeof schedulePreviewSchema>;

const scheduleRunSchema = z.object({
  due_at: z.string(),
  /** The last one if several runs were skipped together; else the same as the first. */
  last_due_at: z.string(),
  count: z.int(),
  outcome: z.enum(RUN_OUTCOMES),
  reason: z.string(),
  reason_code: z.string(),
  at: z.string(),
  /** The delivery state of its message, if there is one. */
  message_state: z.enum(OUTBOX_STATES).nullable(),
  /** The approval that it waits for, while it is pending. */
  approval_id: z.string().nullable(),
});
export type ScheduleRun = z.infer<typeof scheduleRunSchema>;

export const scheduleSchema = z.object({
  id: z.string(),
  chat_id: z.string(),
  ...understood,
  state: z.enum(SCHEDULE_STATES),
  created_by: z.string(),
  /** Who created it, as text: the owner, the assistant, a client or a conversation by its name. */
  who: z.string(),
  created_at: z.string(),
  /** The result of its last run. */
  last: scheduleRunSchema.nullable(),
});
export type Schedule = z.infer<typeof scheduleSchema>;

export const listSchedulesSchema = z.strictObject({
  /** `past`: schedules without further runs. */
  state: z.enum([...SCHEDULE_STATES, 'past', 'all']).default('active'),
  limit: z.coerce.number().int().min(1).max(500).default(500),
  /** How many schedules to skip: where the next page begins. */
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  /** Only messages to this chat, by its id. */
  chat: z.guid().optional(),
});
type ScheduleQuery = z.infer<typeof listSchedulesSchema>;
export type ScheduleFilter = ScheduleQuery['state'];

// The schedule service, as routes and commands call it. Implemented by features/schedules; every refusal is a
// RelayError.

export type SchedulePage = Pick<ScheduleQuery, 'limit' | 'offset' | 'chat'>;

export interface ScheduleService {
  /** Next run first; past schedules by creation, newest first. */
  list(which: ScheduleFilter, page?: SchedulePage): Promise<readonly Schedule[]>;
  /** Shows how `create` would understand the request. Writes nothing. */
  preview(request: CreateSchedule): Promise<SchedulePreview>;
  /** Goes through the gate, as the owner. */
  create(request: CreateSchedule): Promise<Schedule>;
  /** Stops all further messages, including one that is already queued. */
  cancel(id: ScheduleId): Promise<Schedule>;
}

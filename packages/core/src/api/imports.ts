// An exported chat that is handed in to be found again: what is said with it, and what comes back while it is
// taken in.
import { z } from 'zod';
import { DATE_ORDERS } from '../import/dates.ts';
import { SKIPS } from '../import/whatsapp-export.ts';
import { zoneNamed } from '../schedule/zone.ts';
import { written } from './written.ts';

export const importQuerySchema = z.strictObject({
  /** The name of the file, by which the chat is known. */
  file: z.string().max(300),
  /** A name or a number; the file's name says it otherwise. */
  chat: written(200).optional(),
  /** How the one who exported it is called in it; empty if they wrote nothing. */
  me: z.string().max(200).optional(),
  date_order: z.enum(DATE_ORDERS).optional(),
  /** Whose clocks the times are of; the owner's zone otherwise. */
  zone: z
    .string()
    .refine((name) => zoneNamed(name) !== null, 'It is no time zone, as Europe/Berlin is one')
    .optional(),
});

export type ImportQuery = z.infer<typeof importQuerySchema>;

export const chatImportReportSchema = z.object({
  chat_id: z.string(),
  chat_name: z.string(),
  /** It was not known before, and holds nothing but what is imported. */
  new_chat: z.boolean(),
  lines: z.int(),
  messages: z.int(),
  /** Added now. */
  added: z.int(),
  /** There already: imported before, or received by the linked account. */
  known: z.int(),
  people: z.int(),
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  /** What is not there to be found, and why. */
  skipped: z.partialRecord(z.enum(SKIPS), z.int()),
});

export type ChatImportReport = z.infer<typeof chatImportReportSchema>;

/** One line of the answer, as JSON; the last is `done` or `failed`. */
export const importNewsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), lines: z.int(), percent: z.number() }),
  z.object({ type: z.literal('done'), report: chatImportReportSchema }),
  z.object({ type: z.literal('failed'), error: z.string(), code: z.string() }),
]);

export type ImportNews = z.infer<typeof importNewsSchema>;

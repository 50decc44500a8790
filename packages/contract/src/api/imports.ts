// An exported chat that is handed in to be found again: what is said with it, and what comes back while it is
// taken in.
import { z } from 'zod';
import { isZoneName } from '../schedule/names.ts';
import { boundedText } from './common.ts';

/** Which number of a date is the day, the month and the year. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** Why a line of an export is not imported. */
export const IMPORT_SKIPS = [
  'system',
  'deleted',
  'media',
  'empty',
  'no_message',
  'no_date',
] as const;
export type ImportSkip = (typeof IMPORT_SKIPS)[number];

export const importQuerySchema = z.strictObject({
  /** The name of the file, by which the chat is known. */
  file: z.string().max(300),
  /** A name or a number; the file's name says it otherwise. */
  chat: boundedText(200).optional(),
  /** How the one who exported it is called in it; empty if they wrote nothing. */
  me: z.string().max(200).optional(),
  date_order: z.enum(DATE_ORDERS).optional(),
  /** Whose clocks the times are of; the owner's zone otherwise. */
  zone: z.string().refine(isZoneName, 'It is no time zone, as Europe/Berlin is one').optional(),
});

export type ImportQuery = z.infer<typeof importQuerySchema>;

const chatImportReportSchema = z.object({
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
  skipped: z.partialRecord(z.enum(IMPORT_SKIPS), z.int()),
});

export type ChatImportReport = z.infer<typeof chatImportReportSchema>;

/** One line of the answer, as JSON; the last is `done` or `failed`. */
const importEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), lines: z.int(), percent: z.number() }),
  z.object({ type: z.literal('done'), report: chatImportReportSchema }),
  z.object({ type: z.literal('failed'), error: z.string(), code: z.string() }),
]);

export type ImportEvent = z.infer<typeof importEventSchema>;

// Old chats made findable. Refuses before anything is stored, and then tells how far it is.

interface ImportRun {
  /** The last is `done`. Leaving it early stops the import, which can be repeated. */
  readonly news: AsyncIterable<ImportEvent>;
  /** To be called whatever happened: lets go of the file, and lets the next one begin. */
  end(): Promise<void>;
}

export interface ImportService {
  begin(file: AsyncIterable<Uint8Array>, query: ImportQuery): Promise<ImportRun>;
}

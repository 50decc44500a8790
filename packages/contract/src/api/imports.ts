// Schemas and service of chat imports: the request, and the events while an exported chat is imported.
import { z } from 'zod';
import { isZoneName } from '../schedule/names.ts';
import { boundedText } from './common.ts';

/** The order of day, month and year in a date. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** Why a line of an export is not imported. */
const IMPORT_SKIPS = ['system', 'deleted', 'media', 'empty', 'no_message', 'no_date'] as const;
export type ImportSkip = (typeof IMPORT_SKIPS)[number];

export const importQuerySchema = z.strictObject({
  /** The file's name, which identifies the chat. */
  file: z.string().max(300),
  /** A name or a number; taken from the file's name if omitted. */
  chat: boundedText(200).optional(),
  /** The exporter's own name in the chat; empty if they wrote nothing. */
  me: z.string().max(200).optional(),
  date_order: z.enum(DATE_ORDERS).optional(),
  /** The time zone of the times; the owner's zone if omitted. */
  zone: z.string().refine(isZoneName, 'Must be a time zone such as Europe/Berlin').optional(),
});

export type ImportQuery = z.infer<typeof importQuerySchema>;

const chatImportReportSchema = z.object({
  chat_id: z.string(),
  chat_name: z.string(),
  /** Whether the chat was unknown before and contains only imported messages. */
  new_chat: z.boolean(),
  lines: z.int(),
  messages: z.int(),
  /** Messages added by this import. */
  added: z.int(),
  /** Messages that were stored already: imported before, or received by the linked account. */
  known: z.int(),
  people: z.int(),
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  /** Lines that were not imported, by reason. */
  skipped: z.partialRecord(z.enum(IMPORT_SKIPS), z.int()),
});

export type ChatImportReport = z.infer<typeof chatImportReportSchema>;

/** One line of the response, as JSON; the last one is `done` or `failed`. */
const importEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), lines: z.int(), percent: z.number() }),
  z.object({ type: z.literal('done'), report: chatImportReportSchema }),
  z.object({ type: z.literal('failed'), error: z.string(), code: z.string() }),
]);

export type ImportEvent = z.infer<typeof importEventSchema>;

// The import service. It refuses before anything is stored, and then reports progress.

interface ImportRun {
  /** The last event is `done`. Stopping early stops the import, which can be repeated. */
  readonly news: AsyncIterable<ImportEvent>;
  /** Must always be called: releases the file and lets the next import begin. */
  end(): Promise<void>;
}

export interface ImportService {
  begin(file: AsyncIterable<Uint8Array>, query: ImportQuery): Promise<ImportRun>;
}

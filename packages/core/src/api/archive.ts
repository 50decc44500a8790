// What an import answers once all of an archive is in.
import { z } from 'zod';

export const importReportSchema = z.object({
  /** Rows brought in, by table. */
  tables: z.record(z.string(), z.int()),
});

export type ImportReport = z.infer<typeof importReportSchema>;

// The archive's table of contents: what each part holds and its checksum. It is the last entry, because
// only then is all of it known; nothing is kept of an archive whose parts do not match it.
import { z } from 'zod';

export const FORMAT = 1;

export const manifestSchema = z.object({
  format: z.literal(FORMAT),
  made_by: z.string(),
  made_at: z.iso.datetime(),
  schema_version: z.int(),
  /** In the order they are restored. */
  parts: z.array(
    z.object({
      name: z.string(),
      table: z.string(),
      rows: z.int(),
      bytes: z.int(),
      sha256: z.string(),
    }),
  ),
  /** The last number that each sequence has given. Not in archives of earlier versions. */
  sequences: z.record(z.string(), z.int().positive()).default({}),
  /** Tables that hold nothing worth keeping across a restore, and why. */
  left_out: z.record(z.string(), z.string()),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type Part = Manifest['parts'][number];

export const MANIFEST_NAME = 'manifest.json';

/** Wake-ups live with the job queue and are restored through it. */
export const JOBS = 'jobs';

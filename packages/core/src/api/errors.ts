// The one body every refusal has: seed 003's `ApiErrorResponse`, and the code of the table of errors
// so that programs need not read the sentence.
import { z } from 'zod';

export const apiErrorSchema = z.object({
  /** The sentence a person reads. */
  error: z.string(),
  code: z.string(),
  details: z.string().optional(),
});

export type ApiErrorResponse = z.infer<typeof apiErrorSchema>;

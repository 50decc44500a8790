// Text that a person or a program hands in, wherever the API takes some.
import { z } from 'zod';

/** What somebody wrote. NUL and half a character are valid JSON, but no database keeps them. */
export const boundedText = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/\S/, 'It is empty')
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'It cannot be kept as text');

// The one body every refusal has: seed 003's `ApiErrorResponse`, and the code of the table of errors
// so that programs need not read the sentence.

export const apiErrorSchema = z.object({
  /** The sentence a person reads. */
  error: z.string(),
  code: z.string(),
  details: z.string().optional(),
});

export type ApiErrorResponse = z.infer<typeof apiErrorSchema>;

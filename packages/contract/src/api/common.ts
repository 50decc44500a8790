// Schemas that several API files share: text input and the error body.
import { z } from 'zod';

/** Text input. NUL and lone surrogates are valid JSON, but the database cannot store them. */
export const boundedText = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/\S/, 'Must not be empty')
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'Contains invalid characters');

// The body of every error: seed 003's `ApiErrorResponse`, and the error code so that clients need not parse the
// sentence.

export const apiErrorSchema = z.object({
  /** What is wrong, for people. */
  error: z.string(),
  code: z.string(),
  /** What to do, for people. */
  action: z.string().optional(),
  /** Why the gate refused it, as in the ledger. */
  reason: z.string().optional(),
  details: z.string().optional(),
});

export type ApiErrorResponse = z.infer<typeof apiErrorSchema>;

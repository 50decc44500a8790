// Text that a person or a program hands in, wherever the API takes some.
import { z } from 'zod';

/** What somebody wrote. NUL and half a character are valid JSON, but no database keeps them. */
export const written = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/\S/, 'It is empty')
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'It cannot be kept as text');

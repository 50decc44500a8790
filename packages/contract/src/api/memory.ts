// How memory finds things by meaning, as the API has it: which model makes the vectors, how far it has come,
// and what another choice would mean before it is made.
import { z } from 'zod';
import { memorySchema } from '../settings.ts';
import { boundedText } from './common.ts';

const embeddings = memorySchema.shape.embeddings.unwrap();

export const memoryStatusSchema = z.object({
  embeddings,
  provider: z.string().nullable(),
  model: z.string().nullable(),
  dims: z.int().nullable(),
  /** Where vectors are compared: in the daemon, or by pgvector. */
  index: z.enum(['process', 'pgvector']).nullable(),
  /** Texts that can be found. */
  documents: z.int(),
  /** Those of them that this model has seen, and those it has not. */
  vectors: z.int(),
  waiting: z.int(),
  per_second: z.number().nullable(),
  failure: z.object({ at: z.iso.datetime(), sentence: z.string() }).nullable(),
});
export type MemoryStatus = z.infer<typeof memoryStatusSchema>;

/** What is not named stays as it is; a key stays with the address it was given for. */
export const embeddingsChoiceSchema = z.strictObject({
  embeddings,
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  model: boundedText(128).optional(),
  api_key: z.string().min(1).max(512).optional(),
});
export type EmbeddingsChoice = z.infer<typeof embeddingsChoiceSchema>;

export const embeddingsTrialSchema = z.object({
  embeddings,
  provider: z.string(),
  model: z.string(),
  dims: z.int(),
  /** How many texts it would have to read, and how many it reads in a second. */
  waiting: z.int(),
  per_second: z.number(),
  /** The host that all texts would be sent to; null when they stay on this machine. */
  leaves_to: z.string().nullable(),
});
export type EmbeddingsTrial = z.infer<typeof embeddingsTrialSchema>;

// Memory's way to compare by meaning, as the owner's routes and commands call it. Implemented by `search`.

export interface MemoryService {
  status(): Promise<MemoryStatus>;
  /** Asks the model for a few vectors and changes nothing. */
  tryOut(choice: EmbeddingsChoice): Promise<EmbeddingsTrial>;
  choose(choice: EmbeddingsChoice): Promise<MemoryStatus>;
}

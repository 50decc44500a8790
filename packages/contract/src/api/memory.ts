// Schemas and service of search by meaning: the embedding model, its progress, and a trial of another choice.
import { z } from 'zod';
import { memorySchema, modelServerUrl } from '../settings.ts';
import { boundedText } from './common.ts';

const embeddings = memorySchema.shape.embeddings.unwrap();

export const memoryStatusSchema = z.object({
  embeddings,
  provider: z.string().nullable(),
  model: z.string().nullable(),
  dims: z.int().nullable(),
  /** Where vectors are compared: in the daemon, or by pgvector. */
  index: z.enum(['process', 'pgvector']).nullable(),
  /** Searchable texts. */
  documents: z.int(),
  /** Texts with a vector of this model, and texts without one. */
  vectors: z.int(),
  waiting: z.int(),
  per_second: z.number().nullable(),
  failure: z.object({ at: z.iso.datetime(), sentence: z.string() }).nullable(),
});
export type MemoryStatus = z.infer<typeof memoryStatusSchema>;

/** An omitted field stays as it is; a key is kept only with the address it was given for. */
export const embeddingsChoiceSchema = z.strictObject({
  embeddings,
  base_url: modelServerUrl.optional(),
  model: boundedText(128).optional(),
  api_key: z.string().min(1).max(512).optional(),
});
export type EmbeddingsChoice = z.infer<typeof embeddingsChoiceSchema>;

export const embeddingsTrialSchema = z.object({
  embeddings,
  provider: z.string(),
  model: z.string(),
  dims: z.int(),
  /** The number of texts to embed, and the texts per second of the trial. */
  waiting: z.int(),
  per_second: z.number(),
  /** The host that would receive all texts; null if they stay on this machine. */
  leaves_to: z.string().nullable(),
});
export type EmbeddingsTrial = z.infer<typeof embeddingsTrialSchema>;

// The embeddings service, as the owner's routes and commands call it. Implemented by features/search.

export interface MemoryService {
  status(): Promise<MemoryStatus>;
  /** Requests a few vectors from the model and changes nothing. */
  tryEmbeddings(choice: EmbeddingsChoice): Promise<EmbeddingsTrial>;
  choose(choice: EmbeddingsChoice): Promise<MemoryStatus>;
}

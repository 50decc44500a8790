// Memory's way to compare by meaning, as the owner's routes and commands call it. Implemented by `search`.
import type { EmbeddingsChoice, EmbeddingsTrial, MemoryStatus } from '../api/memory.ts';
import type { MemorySettings } from '../settings.ts';
import type { Embedder } from './embedder.ts';

export interface MemoryVerbs {
  status(): Promise<MemoryStatus>;
  /** Asks the model for a few vectors and changes nothing. */
  tryOut(choice: EmbeddingsChoice): Promise<EmbeddingsTrial>;
  choose(choice: EmbeddingsChoice): Promise<MemoryStatus>;
}

/** Where the choice is kept and what it opens. */
export interface MemorySetup {
  read(): Promise<MemorySettings>;
  save(settings: MemorySettings): Promise<void>;
  /** Null for `off`. Whoever opens one closes it. */
  open(settings: MemorySettings): Promise<Embedder | null>;
  /** The one that is used now. */
  current(): Promise<Embedder | null>;
}

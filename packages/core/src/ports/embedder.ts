// Turns texts into vectors: an endpoint that speaks OpenAI's protocol, or a small model inside the daemon.
// Implemented in `llm`, handed to `search` by `main`. Vectors of different models are never compared.

import type { MemorySettings } from '@relay/contract/settings';

export interface Embedder {
  readonly provider: string;
  readonly model: string;
  /** 0 while nobody knows: an endpoint tells with its first answer. */
  readonly dims: number;
  /** How many texts it likes to be given at once. */
  readonly atOnce?: number;
  /** The script it was taught; texts in others are not given to it. */
  readonly reads?: 'latin' | 'all';
  /** One vector of length 1 for each text, in their order. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close?(): Promise<void>;
}

/** Null while memory works by words alone. Asked anew for each batch: the owner may switch. */
export type EmbedderSource = () => Promise<Embedder | null>;

/** Where the choice is kept and what it opens. */
export interface MemorySetup {
  read(): Promise<MemorySettings>;
  save(settings: MemorySettings): Promise<void>;
  /** Null for `off`. Whoever opens one closes it. */
  open(settings: MemorySettings): Promise<Embedder | null>;
  /** The one that is used now. */
  current(): Promise<Embedder | null>;
}

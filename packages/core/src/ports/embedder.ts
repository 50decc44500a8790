// The interface that turns texts into vectors: an endpoint that speaks OpenAI's protocol, or a small model inside the
// daemon. Vectors of different models are never compared.

import type { MemorySettings } from '@relay/contract/settings';

export interface Embedder {
  readonly provider: string;
  readonly model: string;
  /** 0 while unknown: an endpoint's first response shows it. */
  readonly dims: number;
  /** The preferred batch size. */
  readonly atOnce?: number;
  /** The script it was trained on; texts in others are not passed to it. */
  readonly reads?: 'latin' | 'all';
  /** One vector of length 1 per text, in order. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close?(): Promise<void>;
}

/** Null while search works by words alone. Called for each batch, because the owner may switch. */
export type EmbedderSource = () => Promise<Embedder | null>;

/** The stored choice, and how to open it. */
export interface MemorySetup {
  read(): Promise<MemorySettings>;
  save(settings: MemorySettings): Promise<void>;
  /** Null for `off`. The caller closes what it opens. */
  open(settings: MemorySettings): Promise<Embedder | null>;
  /** The embedder in use. */
  current(): Promise<Embedder | null>;
}

// What finds documents by their meaning: an index in this process, or pgvector where the server has it.
// Invariant: whatever it finds, a statement of SQL has let through for the same chats and times.
import type { ChatId, ContactId } from '@relay/core/ids';
import type { Transaction } from '../../store/database.ts';
import type { NewVector, SketchedRow } from './columns.ts';

export interface NearestOptions {
  /** Those that may be read; nothing of any other takes the place of one of theirs. */
  readonly chats: readonly ChatId[] | 'all';
  /** Said at this time or later. */
  readonly from?: Date;
  /** Said before. */
  readonly to?: Date;
  /** Said by this person; `me` is the account itself. */
  readonly contact?: ContactId | 'me';
  readonly limit: number;
}

export interface Near {
  /** Of `search_documents`. */
  readonly id: number;
  /** The cosine: 1 is the same. */
  readonly similarity: number;
}

export interface VectorIndex {
  /** Nearest first. The vector is one of the model that the index is of, and of length 1. */
  nearest(query: Float32Array, options: NearestOptions): Promise<readonly Near[]>;
}

/** Kept true by the follower. */
export interface KeptIndex extends VectorIndex {
  readonly kind: 'process' | 'pgvector';
  /** These were stored just now. */
  add(rows: readonly SketchedRow[]): void;
  /** Documents that are gone, or belong to another chat or person now. */
  renew(documents: readonly number[]): Promise<void>;
  /** In the transaction that stores the vectors, where the index is one of the database's. */
  store?(tx: Transaction, vectors: readonly NewVector[]): Promise<void>;
  /** When everything has been seen, and nobody waits. */
  tend?(): Promise<void>;
}

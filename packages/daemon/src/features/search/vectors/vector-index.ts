// What finds documents by their meaning: an index in this process, or pgvector where the server has it.
// Invariant: whatever it finds, a statement of SQL has let through for the same chats and times.
import type { ChatId, ContactId } from '@relay/contract/ids';
import type { Transaction } from '../../../platform/db/database.ts';

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

export interface NearDocument {
  /** Of `search_documents`. */
  readonly id: number;
  /** The cosine: 1 is the same. */
  readonly similarity: number;
}

interface VectorIndex {
  /** Nearest first. The vector is one of the model that the index is of, and of length 1. */
  nearest(query: Float32Array, options: NearestOptions): Promise<readonly NearDocument[]>;
}

/** Kept true by the follower. */
export interface MaintainedIndex extends VectorIndex {
  readonly kind: 'process' | 'pgvector';
  /** These were stored just now. */
  add(rows: readonly VectorRow[]): void;
  /** Documents that are gone, or belong to another chat or person now. */
  reload(documents: readonly number[]): Promise<void>;
  /** In the transaction that stores the vectors, where the index is one of the database's. */
  store?(tx: Transaction, vectors: readonly VectorRow[]): Promise<void>;
  /** When everything has been seen, and nobody waits. */
  maintain?(): Promise<void>;
}

/** A document in the index, with what bounds are checked against. */
export interface IndexedDocument {
  readonly document: number;
  readonly chat: ChatId;
  /** Null: the account itself. */
  readonly contact: ContactId | null;
  readonly seconds: number;
}

export interface VectorRow extends IndexedDocument {
  /** Of length 1, in 16-bit floats as it is stored. */
  readonly vector: Float16Array;
}

export const toBuffer = ({ buffer, byteOffset, byteLength }: Float16Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

/** Stored vectors, one right after the other. */
export function decodeVectors(bytes: Uint8Array): Float16Array {
  return new Float16Array(new Uint8Array(bytes).buffer);
}

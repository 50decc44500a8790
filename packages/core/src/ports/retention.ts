// Deletion as the owner's routes and commands call it, and what it needs of those who keep copies outside of
// the database. Every refusal is a RelayError from the one table.
import type { ForgetPreview, Receipt, RetentionRun, RetentionStatus } from '../api/retention.ts';
import type { DigestId } from '../ids.ts';

export interface RetentionVerbs {
  status(): Promise<RetentionStatus>;
  /** Enforces the limits now, and leaves no byte behind where that is in Relay's hands. */
  run(): Promise<RetentionRun>;
  /** What `forget` would erase. */
  preview(id: string): Promise<ForgetPreview>;
  forget(id: string): Promise<Receipt>;
}

/** Copies of digests that Relay has written elsewhere. */
export interface OutsideCopies {
  /** Takes the lines of these digests out of the files that Relay can reach. Returns how many lines. */
  erase(digests: readonly DigestId[]): Promise<number>;
}

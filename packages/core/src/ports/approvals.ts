// The owner's answers to what waits for them, and the hold, as routes and commands call them. Implemented
// by composition from the gate; every refusal is a RelayError from the one table.
import type { Approval, ApprovalState } from '../api/approvals.ts';
import type { Hold } from '../api/hold.ts';
import type { ApprovalId } from '../ids.ts';

export interface ApprovalVerbs {
  /** Which is meant by an id or the beginning of one. */
  find(given: string): Promise<ApprovalId>;
  /** The oldest first. */
  list(state: ApprovalState): Promise<readonly Approval[]>;
  /** Sends exactly what was shown, once. */
  approve(id: ApprovalId): Promise<Approval>;
  reject(id: ApprovalId, reason: string | null): Promise<Approval>;
}

export interface HoldVerbs {
  hold(reason: string): Promise<Hold>;
  release(): Promise<Hold>;
}

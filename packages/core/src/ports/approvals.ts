// The owner's answers to what waits for them, and the hold, as routes and commands call them. Implemented
// by composition from the gate; every refusal is a RelayError from the one table.
import type { Approval, ApprovalState } from '../api/approvals.ts';
import type { Hold } from '../api/hold.ts';
import type { ApprovalId } from '../ids.ts';

export interface ApprovalsPage {
  readonly limit: number;
  /** The id of the last one of the page before. */
  readonly after?: string | undefined;
}

export interface ApprovalVerbs {
  /** Which is meant by an id or the beginning of one. */
  find(given: string): Promise<ApprovalId>;
  show(id: ApprovalId): Promise<Approval>;
  /** Of those that wait the oldest first, else the newest. */
  list(state: ApprovalState, page?: ApprovalsPage): Promise<readonly Approval[]>;
  /** Sends exactly what was shown, once; given its hash, it is refused for anything else. */
  approve(id: ApprovalId, shown?: string): Promise<Approval>;
  /** Other words: the question ends, and another waits in its place, which is the answer. Nothing is sent. */
  edit(id: ApprovalId, text: string): Promise<Approval>;
  reject(id: ApprovalId, reason: string | null): Promise<Approval>;
}

export interface HoldVerbs {
  hold(reason: string): Promise<Hold>;
  release(): Promise<Hold>;
}

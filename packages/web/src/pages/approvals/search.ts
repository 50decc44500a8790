// What the address of the approvals says: which of them are listed. Pure; whatever else stands there is left out.
import type { ApprovalState } from '@relay/core/api/approvals';

export interface ApprovalsSearch {
  /** Left out, those that wait. */
  readonly state?: Decided;
}

type Decided = Exclude<ApprovalState, 'pending'>;

const DECIDED: readonly string[] = ['approved', 'rejected', 'expired'] satisfies readonly Decided[];

export const readApprovalsSearch = ({
  state,
}: Readonly<Record<string, unknown>>): ApprovalsSearch =>
  DECIDED.includes(String(state)) ? { state: state as Decided } : {};

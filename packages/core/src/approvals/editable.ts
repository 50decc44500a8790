// Whether the owner may put other words in the place of what waits. A grant has no words of its own, nor
// has a cancellation, and what a schedule says is changed at the schedule: the gate lets nothing else leave for it.
import type { Approval } from '../api/approvals.ts';

export const isEditable = ({
  kind,
  requested_by,
}: Pick<Approval, 'kind' | 'requested_by'>): boolean =>
  kind !== 'manage_grant' && kind !== 'cancel_schedule' && requested_by !== 'scheduler';

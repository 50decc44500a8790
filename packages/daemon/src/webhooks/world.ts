// What telling webhooks stands on.
import type { Approval } from '@relay/core/api/approvals';
import type { ApprovalId } from '@relay/core/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import type { Egress } from '../egress/egress.ts';
import type { Engine } from '../jobs/work.ts';

export interface WebhookWorld extends Engine {
  /** The public internet, and what the owner allows besides. */
  readonly egress: Egress;
  readonly sealer: Sealer;
  /** With exactly what is asked; null when it is gone. */
  approval(id: ApprovalId): Promise<Approval | null>;
}

// What every answer of the owner has in common: whether the question still waits, the circumstances that it was asked
// in, and that the streams are told.
import type { ApprovalState } from '@relay/core/api/approvals';
import { isTerminal } from '@relay/core/conversation/states';
import { RelayError } from '@relay/core/errors';
import type { Actor } from '@relay/core/policy/actors';
import { refusalOf } from '@relay/core/policy/reasons';
import type { Reader, Transaction } from '../store/database.ts';
import { appendEvent } from '../store/events.ts';
import type { Lease } from '../store/lease.ts';
import { replacedBy } from './approval-list.ts';
import type { ApprovalRow, Question } from './approval-rows.ts';
import type { CarryOutApproved } from './carry-out.ts';
import type { Circumstances } from './consider.ts';
import type { Gate } from './submit.ts';

export interface ApprovalWorld {
  readonly db: Reader;
  readonly lease: Lease;
  readonly gate: Gate;
  readonly carryOut: CarryOutApproved;
  /** After a commit that changed something a stream shows. */
  readonly changed: () => void;
}

export const OWNER: Actor = { kind: 'owner' };

export const denied = refusalOf;

/** An answer to words that were changed meanwhile is none to those that took their place. */
export async function refuseAnswered(tx: Transaction, { row }: Question): Promise<void> {
  if (row.state === 'pending') return;
  if (row.state === 'rejected' && (await replacedBy(tx, row.account_id, row.id)) !== null) {
    throw new RelayError('approval_changed');
  }
  const code = row.state === 'expired' ? 'approval_expired' : 'approval_answered';
  throw new RelayError(code, { id: row.id, state: row.state });
}

/** The conversation as it stands now: it may have ended since it asked. */
export function circumstancesOf({ row, instance }: Question): Circumstances {
  const known = {
    approval: row.id,
    ...(row.run_id === null ? {} : { run: row.run_id }),
    ...(row.schedule_id === null ? {} : { schedule: row.schedule_id }),
  };
  if (instance === null) return known;
  return {
    ...known,
    conversation: {
      instance: instance.id,
      chat: instance.chat_id,
      contact: instance.contact_id,
      ended: isTerminal(instance.state),
      firstContactApproved: true,
    },
  };
}

export const tell = (
  lease: Lease,
  tx: Transaction,
  row: ApprovalRow,
  state: ApprovalState,
): Promise<void> =>
  appendEvent(tx, lease.account, {
    kind: 'approval',
    subject: row.id,
    data: { state, reason: row.reason, instance: row.instance_id },
  });

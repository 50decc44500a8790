// A session of auto-reply as rows. Whoever changes what waits in it holds its lock: a line waits exactly as
// long as one job, one timer or the end of a hold stands for its session.
import type { Rest, RestCause } from '@relay/core/auto-reply/rest';
import type { ChatId, ContactId, MessageId, SessionId } from '@relay/core/ids';
import { heldNow } from '../../gate/hold-row.ts';
import type { Transaction } from '../../store/database.ts';
import type { Lease } from '../../store/lease.ts';
import { fence } from '../../store/lease.ts';
import type { SessionLine, SessionRow } from '../../store/sessions.ts';

export interface OpenSession extends SessionRow {
  readonly chat_id: ChatId;
  readonly contact_id: ContactId;
}

/** Null when it is gone; what waited in it is gone with it. A hold that is seen ends only after this transaction. */
export async function lockSession(
  tx: Transaction,
  lease: Lease,
  id: SessionId,
): Promise<(OpenSession & { readonly held: boolean }) | null> {
  const row = await tx
    .selectFrom('sessions')
    .innerJoin('account_leases', 'account_leases.account_id', 'sessions.account_id')
    .selectAll('sessions')
    .select(heldNow(lease.account).as('held'))
    .where('sessions.account_id', '=', lease.account)
    .where('sessions.id', '=', id)
    .where('account_leases.epoch', '=', lease.epoch)
    .forUpdate('sessions')
    .forKeyShare('account_leases')
    .executeTakeFirst();
  if (row === undefined) await fence(tx, lease);
  const { chat_id = null, contact_id = null } = row ?? {};
  if (row === undefined || chat_id === null || contact_id === null) return null;
  return { ...row, chat_id, contact_id };
}

export interface WaitingLine extends SessionLine {
  readonly message_id: MessageId;
}

/** The oldest line that nobody has dealt with. */
export async function firstWaiting(
  tx: Transaction,
  { account_id, id }: Pick<SessionRow, 'account_id' | 'id'>,
): Promise<WaitingLine | null> {
  const line = await tx
    .selectFrom('session_messages')
    .selectAll()
    .where('account_id', '=', account_id)
    .where('session_id', '=', id)
    .where('waiting', '=', true)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return (line as WaitingLine | undefined) ?? null;
}

export const restOf = ({ resting_until, rests, rest_reason }: SessionRow): Rest | null =>
  resting_until === null
    ? null
    : { until: resting_until, count: rests, cause: rest_reason as RestCause };

// What became of a message that somebody else than the owner named before: under their own name for it the
// same message is permitted once and asked about once. Names are kept apart for each who gives them.

import type { ApprovalState } from '@relay/core/api/approvals';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ApprovalId, ChatId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import type { ReasonCode } from '@relay/core/policy/reasons';
import { sql } from 'kysely';
import { findByKey, type PutMessage } from '../outbox/outbox.ts';
import type { Transaction } from '../store/database.ts';
import { actorName } from './actor-names.ts';
import { STATE } from './approval-list.ts';
import { hashOf } from './proposals.ts';

export type Earlier =
  | { readonly message: PutMessage }
  | { readonly approval: ApprovalId; readonly reason: ReasonCode };

/** As it stands beside the message. */
export const keyOf = (actor: Actor, key: string): string => `${actorName(actor)}:${key}`;

interface Row {
  readonly id: ApprovalId;
  readonly state: ApprovalState;
  readonly reason: ReasonCode;
  readonly same: boolean;
}

/** `key` as `keyOf` makes it. Null the first time, and when the question about it has run out. */
export async function earlierByKey(
  tx: Transaction,
  account: AccountId,
  actor: Actor,
  asked: { readonly key: string; readonly chat: ChatId; readonly text: string },
): Promise<Earlier | null> {
  const message = await findByKey(tx, account, asked.key, asked);
  if (message !== null) return { message };
  const hash = Buffer.from(hashOf({ kind: 'send_message', ...asked }), 'hex');
  const { rows } = await sql<Row>`
    SELECT a.id, ${STATE} AS state, a.reason, a.intent_hash = ${hash} OR EXISTS (SELECT FROM approvals f
      WHERE f.account_id = a.account_id AND f.id = a.began_as AND f.intent_hash = ${hash}) AS same
    FROM approvals a LEFT JOIN instances i ON i.account_id = a.account_id AND i.id = a.instance_id
    WHERE a.account_id = ${account} AND a.requested_by = ${actorName(actor)} AND a.intent->>'key' = ${asked.key}
    ORDER BY a.created_at DESC LIMIT 1`.execute(tx);
  const [question] = rows;
  if (question === undefined || question.state === 'expired') return null;
  const { id, state, reason, same } = question;
  if (!same) throw new RelayError('key_reused');
  if (state !== 'pending') throw new RelayError('approval_answered', { id, state });
  return { approval: id, reason };
}

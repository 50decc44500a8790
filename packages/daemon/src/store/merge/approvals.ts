// Approvals about two contacts that are one. They keep their ids, their text and their notices; the recipient becomes
// the chat that is kept, with a new hash. A grant that was asked for one of the two is not for the other, so that
// question expires.
import type { ApprovalId, ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import { appendEvents } from '../events.ts';
import { intentHash, type ShownIntent } from '../intent-hash.ts';
import { actorAfter } from './permits.ts';
import type { MergeWork } from './work.ts';

const ASKED_TWICE = 'The same message to the same person already waits for approval.';
const OTHER_GRANTEE =
  'This contact turned out to be another one as well. Change the grant of the merged contact instead.';

/** Pending changes of a grant of either contact. */
export async function expireGrantQuestions(work: MergeWork): Promise<void> {
  const { tx, account, into, from } = work;
  const { rows } = await sql<{ id: ApprovalId }>`
    SELECT id FROM approvals WHERE account_id = ${account} AND state = 'pending'
      AND (intent->'of'->>'contact')::uuid IN (${into}, ${from}) FOR UPDATE`.execute(tx);
  await expire(
    work,
    rows.map(({ id }) => id),
    OTHER_GRANTEE,
  );
}

interface Moved {
  readonly id: ApprovalId;
  readonly intent: ShownIntent;
  readonly hash: string;
  readonly requested_by: string;
}

/** The permits of those that were approved get the new hash by their foreign key. */
export async function moveApprovals(work: MergeWork, gone: ChatId, kept: ChatId): Promise<void> {
  const { tx, account } = work;
  const { rows } = await sql<Moved>`
    SELECT id, intent, encode(intent_hash, 'hex') AS hash, requested_by FROM approvals
    WHERE account_id = ${account} AND intent->>'chat' = ${gone}::text ORDER BY id FOR UPDATE`.execute(
    tx,
  );
  if (rows.length === 0) return;
  const moved = rows.map(({ id, intent, hash, requested_by }): Moved => {
    const after = { ...intent, chat: kept };
    return {
      id,
      intent: after,
      // One that never matched its content must not begin to.
      hash: intentHash(intent) === hash ? intentHash(after) : hash,
      requested_by: actorAfter(requested_by, gone, kept),
    };
  });
  await joinTwins(work, moved);
  await sql`UPDATE approvals a SET intent = n.intent, intent_hash = n.hash, requested_by = n.requested_by
    FROM ${listOf(moved)} WHERE a.account_id = ${account} AND a.id = n.id`.execute(tx);
}

const listOf = (moved: readonly Moved[]) => sql`unnest(${moved.map(({ id }) => id)}::uuid[],
  ${moved.map(({ intent }) => JSON.stringify(intent))}::jsonb[],
  ${moved.map(({ hash }) => Buffer.from(hash, 'hex'))}::bytea[],
  ${moved.map(({ requested_by }) => requested_by)}::text[]) AS n(id, intent, hash, requested_by)`;

/** Whoever asked for the same message to both chats asks for it once: approving both would send it twice. */
async function joinTwins(work: MergeWork, moved: readonly Moved[]): Promise<void> {
  const { tx, account } = work;
  const { rows: twins } = await sql<{ gone: ApprovalId; kept: ApprovalId }>`
    SELECT g.id AS gone, k.id AS kept FROM ${listOf(moved)}
      JOIN approvals g ON g.account_id = ${account} AND g.id = n.id AND g.state = 'pending'
      JOIN approvals k ON k.account_id = ${account} AND k.id <> n.id AND k.state = 'pending'
        AND k.intent_hash = n.hash AND k.requested_by = n.requested_by`.execute(tx);
  for (const { gone, kept } of twins) {
    for (const table of ['session_messages', 'schedule_runs'] as const) {
      await sql`UPDATE ${sql.table(table)} SET approval_id = ${kept}
        WHERE account_id = ${account} AND approval_id = ${gone}`.execute(tx);
    }
  }
  await expire(
    work,
    twins.map(({ gone }) => gone),
    ASKED_TWICE,
  );
}

async function expire(
  { tx, account }: MergeWork,
  ids: readonly ApprovalId[],
  why: string,
): Promise<void> {
  if (ids.length === 0) return;
  await sql`UPDATE approvals SET state = 'expired', decided_at = now(), answer = ${why}
    WHERE account_id = ${account} AND id = ANY(${ids}::uuid[])`.execute(tx);
  const expired = { kind: 'approval', data: { state: 'expired' } };
  await appendEvents(
    tx,
    account,
    ids.map((id) => ({ ...expired, subject: id })),
  );
}

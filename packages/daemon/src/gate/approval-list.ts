// What waits for the owner, and what became of it, with exactly what they are asked about. What has run
// out, or whose conversation has ended, is expired from that moment on, swept or not.
import type { Approval, ApprovalState } from '@relay/core/api/approvals';
import { approvalNotice } from '@relay/core/approvals/notice';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ApprovalId } from '@relay/core/ids';
import { REASONS, type ReasonCode } from '@relay/core/policy/reasons';
import { type RawBuilder, sql } from 'kysely';
import { jidOfAlias } from '../store/addresses.ts';
import type { Reader, Transaction } from '../store/database.ts';
import { appendEvents } from '../store/events.ts';
import { whatIsAsked } from './approval-words.ts';
import type { Askable } from './proposals.ts';

const PAGE = 200;

/** Of `approvals a LEFT JOIN instances i`. */
export const STATE = sql<ApprovalState>`CASE WHEN a.state = 'pending' AND (a.expires_at <= now()
  OR i.state IN ('COMPLETED', 'ABANDONED', 'FAILED')) THEN 'expired' ELSE a.state END`;
/** Said twice, so that the index of those that wait answers. */
const WAITING = sql`a.state = 'pending' AND ${STATE} = 'pending'`;
const JOINED = sql`approvals a LEFT JOIN instances i ON i.account_id = a.account_id AND i.id = a.instance_id`;

interface Row {
  id: ApprovalId;
  state: ApprovalState;
  intent: Askable;
  reason: ReasonCode;
  requested_by: string;
  requested_by_name: string | null;
  instance_id: string | null;
  created_at: Date;
  expires_at: Date;
  decided_at: Date | null;
  answer: string | null;
  address: string | null;
  name: string | null;
}

type Which = { readonly state: ApprovalState } | { readonly id: ApprovalId };

function wanted(which: Which): RawBuilder<unknown> {
  if ('id' in which) return sql`a.id = ${which.id}`;
  return which.state === 'pending' ? WAITING : sql`${STATE} = ${which.state}`;
}

export async function listApprovals(
  db: Reader,
  account: AccountId,
  which: Which,
): Promise<Approval[]> {
  const { rows } = await sql<Row>`
    SELECT a.id, ${STATE} AS state, a.intent, a.reason, a.requested_by, t.name AS requested_by_name,
      a.instance_id, a.created_at, a.expires_at, a.decided_at, a.answer,
      coalesce(c.group_address, ${jidOfAlias(sql.ref('s'))}) AS address,
      coalesce(g.display_name, c.subject, p.display_name, p.push_name) AS name
    FROM ${JOINED}
      LEFT JOIN tokens t ON t.account_id = a.account_id AND a.requested_by = 'token:' || t.id
      LEFT JOIN chats c ON c.account_id = a.account_id
        AND c.id = coalesce(a.intent->>'chat', a.intent->'of'->>'chat')::uuid
      LEFT JOIN contacts p ON p.account_id = a.account_id
        AND p.id = coalesce(c.contact_id, (a.intent->'of'->>'contact')::uuid)
      LEFT JOIN LATERAL (SELECT kind, value FROM contact_aliases
        WHERE account_id = p.account_id AND contact_id = p.id
        ORDER BY kind DESC, learnt_at DESC, value LIMIT 1) s ON true
      LEFT JOIN grants g ON g.account_id = a.account_id
        AND (g.contact_id = p.id OR (c.kind = 'group' AND g.chat_id = c.id))
    WHERE a.account_id = ${account} AND ${wanted(which)}
    ORDER BY a.created_at, a.id LIMIT ${PAGE}`.execute(db);
  return rows.map(toApi);
}

/** What the owner is told of one that waits. */
export async function noticeOf(db: Reader, account: AccountId, id: ApprovalId): Promise<string> {
  const [waiting] = await listApprovals(db, account, { id });
  if (waiting === undefined) throw new RelayError('approval_not_found', { id });
  const { recipient_name: name, recipient } = waiting;
  const address = recipient ?? 'nobody that is known any more';
  return approvalNotice({
    ...waiting,
    program: waiting.requested_by_name,
    recipient: name === null ? address : `${name} (${address})`,
  });
}

/** By its id or the beginning of it. Of several, the one that still waits is meant. */
export async function findApproval(
  db: Reader,
  account: AccountId,
  given: string,
): Promise<ApprovalId> {
  const id = given.trim().toLowerCase();
  if (!BEGINNING.test(id)) throw new RelayError('approval_not_found', { id });
  const { rows } = await sql<{ id: ApprovalId; waits: boolean }>`
    SELECT a.id, ${WAITING} AS waits FROM ${JOINED}
    WHERE a.account_id = ${account} AND a.id::text LIKE ${`${id}%`}
    ORDER BY waits DESC, a.created_at DESC LIMIT 2`.execute(db);
  const [first, second] = rows;
  if (first === undefined) throw new RelayError('approval_not_found', { id });
  if (second === undefined || first.waits !== second.waits) return first.id;
  throw new RelayError('approval_ambiguous', { id });
}

const BEGINNING = /^[0-9a-f][0-9a-f-]{3,35}$/;

export async function countWaiting(db: Reader, account: AccountId): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    SELECT count(*) AS waiting FROM ${JOINED}
    WHERE a.account_id = ${account} AND ${WAITING}`.execute(db);
  return rows[0]?.waiting ?? 0;
}

/** Writes down what has run out, and tells the streams. */
export async function expireApprovals(tx: Transaction, account: AccountId): Promise<void> {
  const { rows } = await sql<{ id: ApprovalId }>`
    UPDATE approvals e SET state = 'expired', decided_at = now() FROM ${JOINED}
    WHERE a.account_id = ${account} AND a.state = 'pending' AND ${STATE} = 'expired'
      AND e.account_id = a.account_id AND e.id = a.id RETURNING e.id`.execute(tx);
  if (rows.length === 0) return;
  await appendEvents(
    tx,
    account,
    rows.map(({ id }) => ({ kind: 'approval', subject: id, data: { state: 'expired' } })),
  );
}

const recipientAt = (address: string | null): string | null =>
  address?.replace(/^(\d+)@s\.whatsapp\.net$/, '+$1') ?? null;

const toApi = (row: Row): Approval => ({
  id: row.id,
  state: row.state,
  kind: row.intent.kind,
  recipient: recipientAt(row.address),
  recipient_name: row.name,
  ...whatIsAsked(row.intent),
  reason: REASONS[row.reason].sentence,
  reason_code: row.reason,
  requested_by: row.requested_by,
  requested_by_name: row.requested_by_name,
  instance_id: row.instance_id,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
  answer: row.answer,
});

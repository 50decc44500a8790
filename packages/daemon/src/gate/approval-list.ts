// What waits for the owner, and what became of it, with exactly what they are asked about. What has run
// out, or whose conversation has ended, is expired from that moment on, swept or not.
import type { Approval, ApprovalState } from '@relay/core/api/approvals';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ApprovalId, ChatId } from '@relay/core/ids';
import { hiddenIn } from '@relay/core/messages/visible';
import { REASONS, type ReasonCode } from '@relay/core/policy/reasons';
import type { ApprovalsPage } from '@relay/core/ports/approvals';
import { sql } from 'kysely';
import { jidOfAlias } from '../store/addresses.ts';
import type { Reader, Transaction } from '../store/database.ts';
import { appendEvents } from '../store/events.ts';
import { whatIsAsked } from './approval-words.ts';
import type { Askable } from './proposals.ts';

/** The most that are told at once. */
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
  hash: string;
  chat_id: ChatId | null;
  reason: ReasonCode;
  requested_by: string;
  requested_by_name: string | null;
  instance_id: string | null;
  created_at: Date;
  expires_at: Date;
  decided_at: Date | null;
  answer: string | null;
  replaced_by: string | null;
  address: string | null;
  name: string | null;
}

type Which =
  | { readonly id: ApprovalId }
  | ({ readonly state: ApprovalState } & Partial<ApprovalsPage>);

/** What waits is answered in the order it came; of the rest the newest is looked for. */
function wanted(account: AccountId, which: Which) {
  if ('id' in which) return { where: sql`a.id = ${which.id}`, order: sql``, limit: 1 };
  const { state, limit = PAGE, after } = which;
  const [where, at, way, beyond] =
    state === 'pending'
      ? [WAITING, sql`a.created_at`, sql`ASC`, sql`>`]
      : [sql`${STATE} = ${state}`, sql`coalesce(a.decided_at, a.expires_at)`, sql`DESC`, sql`<`];
  const place = sql`(SELECT ${at}, a.id FROM approvals a WHERE a.account_id = ${account} AND a.id = ${after}::uuid)`;
  return {
    where: after === undefined ? where : sql`${where} AND (${at}, a.id) ${beyond} ${place}`,
    order: sql`ORDER BY ${at} ${way}, a.id ${way}`,
    limit,
  };
}

/** The newest of those that one question became as its words were changed. Of `approvals a`. */
const LATEST = sql`SELECT n.id FROM approvals n
  WHERE n.account_id = a.account_id AND n.began_as = coalesce(a.began_as, a.id)
  ORDER BY n.created_at DESC, n.id DESC LIMIT 1`;
/** Null of one that is that newest itself, or was never changed. */
const REPLACED_BY = sql<ApprovalId | null>`nullif((${LATEST}), a.id)`;

export async function listApprovals(
  db: Reader,
  account: AccountId,
  which: Which,
): Promise<Approval[]> {
  const { where, order, limit } = wanted(account, which);
  const { rows } = await sql<Row>`
    SELECT a.id, ${STATE} AS state, a.intent, a.reason, a.requested_by, t.name AS requested_by_name,
      a.instance_id, a.created_at, a.expires_at, a.decided_at, a.answer, encode(a.intent_hash, 'hex') AS hash,
      c.id AS chat_id, ${REPLACED_BY} AS replaced_by,
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
    WHERE a.account_id = ${account} AND ${where} ${order} LIMIT ${limit}`.execute(db);
  return rows.map(toApi);
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

/** The one that waits, or was answered, in place of this one; null if its words were never changed. */
export async function replacedBy(
  db: Reader,
  account: AccountId,
  id: ApprovalId,
): Promise<ApprovalId | null> {
  const { rows } = await sql<{ id: ApprovalId | null }>`
    SELECT ${REPLACED_BY} AS id FROM approvals a WHERE a.account_id = ${account} AND a.id = ${id}`.execute(
    db,
  );
  return rows[0]?.id ?? null;
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

function asked(intent: Askable) {
  const { text, when } = whatIsAsked(intent);
  return { text, when, hidden_characters: hiddenIn(text) };
}

const toApi = (row: Row): Approval => ({
  id: row.id,
  state: row.state,
  kind: row.intent.kind,
  recipient: recipientAt(row.address),
  recipient_name: row.name,
  chat_id: row.chat_id,
  ...asked(row.intent),
  shown: row.hash,
  reason: REASONS[row.reason].sentence,
  reason_code: row.reason,
  requested_by: row.requested_by,
  requested_by_name: row.requested_by_name,
  instance_id: row.instance_id,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
  answer: row.answer,
  replaced_by: row.replaced_by,
});

// Lists and counts conversations for the owner, page by page, filtered by whose turn it is. For each state one page is
// read from the index and the pages are merged, so that no query counts or sorts all conversations.
import {
  countByStateAndTurn,
  type InstanceCounts,
  type ListedInstance,
  type ListInstancesQuery,
  type TranscriptLine,
} from '@relay/contract/api/instances';
import {
  FOLLOW_UP_SUSPENDED_SENTENCE,
  INSTANCE_STATES,
  type InstanceState,
  statesOfTurn,
  whoseTurnIn,
} from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import type { ApprovalId, InstanceId, OutboxId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import { queuedFirstContactSentence } from '../../pipeline/gate/gate.ts';
import { matchContacts } from '../../platform/db/contact-directory.ts';
import { type InstanceRow, readInstance, type TranscriptLineRow, toApiInstance } from './sql.ts';
import type { ConversationDeps } from './transitions.ts';

const DEFAULT_PAGE = 50;

type ListDeps = Pick<ConversationDeps, 'db' | 'lease'>;
type Condition = RawBuilder<unknown>;

interface ListedRow extends InstanceRow {
  contact_name: string | null;
  approval_id: ApprovalId | null;
  follow_ups_suspended: boolean;
}

/** The pending approval of `instances i`; an ended conversation has none. */
const PENDING_APPROVAL = sql`SELECT a.id FROM approvals a WHERE a.account_id = i.account_id AND a.instance_id = i.id
  AND a.state = 'pending' AND a.expires_at > now() AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED')
  ORDER BY a.created_at LIMIT 1`;
/** The same condition, starting at the approvals because few are pending. */
const hasPendingApproval = ({
  lease,
}: ListDeps) => sql`i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED') AND i.id = ANY(ARRAY(
  SELECT a.instance_id FROM approvals a
  WHERE a.account_id = ${lease.account} AND a.state = 'pending' AND a.expires_at > now()))`;

const NEWEST = sql`i.queue_seq DESC`;
const CHANGED = sql`i.updated_at DESC, i.id DESC`;

export async function listInstances(
  deps: ListDeps & QueueDeps,
  query: ListInstancesQuery,
): Promise<readonly ListedInstance[]> {
  const { limit = DEFAULT_PAGE, order } = query;
  const by = order === 'changed' ? CHANGED : NEWEST;
  const which = sql.join(await conditions(deps, query), sql` AND `);
  const pages = pageConditions(deps, query).map(
    (place) =>
      sql`(SELECT i.* FROM instances i WHERE ${which} AND ${place} ORDER BY ${by} LIMIT ${limit})`,
  );
  const rows = await readListedRows(
    deps,
    sql`(${sql.join(pages, sql` UNION ALL `)})`,
    sql`ORDER BY ${by} LIMIT ${limit}`,
  );
  return withQueuedReason(deps, rows.map(toListed));
}

export async function describeInstance(
  deps: ListDeps & QueueDeps,
  id: InstanceId,
): Promise<ListedInstance> {
  const only = sql`(SELECT * FROM instances WHERE account_id = ${deps.lease.account} AND id = ${id})`;
  const [row] = await readListedRows(deps, only, sql``);
  const [listed] = row === undefined ? [] : await withQueuedReason(deps, [toListed(row)]);
  if (listed === undefined) throw new RelayError('instance_not_found', { id });
  return listed;
}

export async function countInstances(deps: ListDeps): Promise<InstanceCounts> {
  const { account } = deps.lease;
  const { rows } = await sql<{ state: InstanceState; n: number; holding: number }>`
    WITH holding AS (SELECT i.state, count(*) AS n FROM instances i
      WHERE i.account_id = ${account} AND ${hasPendingApproval(deps)} GROUP BY i.state)
    SELECT i.state, count(*) AS n, coalesce((SELECT h.n FROM holding h WHERE h.state = i.state), 0) AS holding
    FROM instances i WHERE i.account_id = ${account} GROUP BY i.state`.execute(deps.db);
  return countByStateAndTurn(rows);
}

/** One condition per index range that is read in order: a state, or a pending approval. */
function pageConditions(
  deps: ListDeps,
  { state, turn, order }: ListInstancesQuery,
): readonly Condition[] {
  if (turn === undefined) {
    if (state !== undefined) return [sql`i.state = ${state}`];
    return order === 'changed' ? INSTANCE_STATES.map((one) => sql`i.state = ${one}`) : [sql`true`];
  }
  const states = statesOfTurn(turn).filter((one) => state === undefined || one === state);
  const free = states.map((one) => sql`i.state = ${one} AND NOT EXISTS (${PENDING_APPROVAL})`);
  if (turn !== 'you') return free.length === 0 ? [sql`false`] : free;
  const held = hasPendingApproval(deps);
  return [...free, state === undefined ? held : sql`i.state = ${state} AND ${held}`];
}

async function conditions(
  deps: ListDeps,
  query: ListInstancesQuery,
): Promise<readonly Condition[]> {
  const { account } = deps.lease;
  return [
    sql`i.account_id = ${account}`,
    ...(query.contact === undefined ? [] : [sql`i.contact_id = ${query.contact}`]),
    ...(query.words === undefined ? [] : [await withWords(deps, query.words)]),
    ...(query.id_prefix === undefined ? [] : [withBeginning(query.id_prefix)]),
    ...(query.after === undefined ? [] : [await afterListedInstance(deps, query.after, query)]),
  ];
}

/** Matches when all words occur in the objective, or all of them match the contact's name. */
async function withWords({ db, lease }: ListDeps, words: string): Promise<Condition> {
  const { matches } = await matchContacts(db, lease.account, {
    query: words,
    kind: 'person',
    limit: 500,
  });
  const contacts = matches.map(({ contact }) => contact.id);
  const patterns = words.split(/\s+/).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  return sql`(i.objective ILIKE ALL(${patterns}::text[]) OR i.contact_id = ANY(${contacts}::uuid[]))`;
}

/** A range from the lowest to the highest id with this prefix, so that the primary key's index is used. */
function withBeginning(prefix: string): Condition {
  const [from, to] = ['0', 'f'].map((rest) =>
    prefix.replaceAll('-', '').slice(0, 32).padEnd(32, rest),
  );
  return sql`i.id BETWEEN ${from} AND ${to}`;
}

async function afterListedInstance(
  { db, lease }: ListDeps,
  after: string,
  { order, changed_before: changed }: ListInstancesQuery,
): Promise<Condition> {
  if (order === 'changed' && changed !== undefined) {
    return sql`(i.updated_at, i.id) < (${changed}::timestamptz, ${after}::uuid)`;
  }
  const last = await readInstance(db, lease, after as InstanceId);
  return order === 'changed'
    ? sql`(i.updated_at, i.id) < (${last.updated_at}::timestamptz, ${after}::uuid)`
    : sql`i.queue_seq < ${last.queue_seq}`;
}

/** Reads the contact name and the pending approval only for the rows that are shown. */
async function readListedRows(
  { db }: ListDeps,
  instances: RawBuilder<unknown>,
  inOrder: RawBuilder<unknown>,
): Promise<readonly ListedRow[]> {
  const { rows } = await sql<ListedRow>`
    SELECT i.*, coalesce(g.display_name, p.display_name, p.push_name) AS contact_name, (${PENDING_APPROVAL}) AS approval_id,
      a.follow_ups_suspended_since IS NOT NULL AS follow_ups_suspended
    FROM ${instances} i
      JOIN accounts a ON a.id = i.account_id
      JOIN contacts p ON p.account_id = i.account_id AND p.id = i.contact_id
      LEFT JOIN grants g ON g.account_id = i.account_id AND g.contact_id = i.contact_id
    ${inOrder}`.execute(db);
  return rows;
}

const toListed = (row: ListedRow): ListedInstance => ({
  ...toApiInstance(row),
  ...(row.follow_ups_suspended && row.timer_due_at !== null
    ? { next_follow_up_at: null, reason: row.reason ?? FOLLOW_UP_SUSPENDED_SENTENCE }
    : {}),
  contact_id: row.contact_id,
  contact_name: row.contact_name,
  turn: whoseTurnIn(row.state, row.approval_id !== null),
  approval_id: row.approval_id,
});

// Explains a conversation whose first message is still queued: nothing was sent yet, and when the message can be sent.
// Computed on read, because limits and settings change in the meantime.

type QueueDeps = Pick<ConversationDeps, 'db' | 'gate'>;

async function withQueuedReason(
  { db, gate }: QueueDeps,
  listed: readonly ListedInstance[],
): Promise<readonly ListedInstance[]> {
  // In other states something else is the reason.
  if (!listed.some(({ state }) => state === 'WAITING_FOR_REPLY')) return listed;
  const queued = await gate.queuedFirstContacts(db);
  return listed.map((one) => {
    const first = queued.find(({ instance }) => instance === one.id);
    if (first === undefined || one.state !== 'WAITING_FOR_REPLY') return one;
    return { ...one, reason: `The first message is queued. ${queuedFirstContactSentence(first)}` };
  });
}

/** The earliest time at which each of these lines can be sent, by outbox id. */
export async function readQueuedLines(
  { db, gate }: QueueDeps,
  lines: readonly TranscriptLineRow[],
): Promise<ReadonlyMap<OutboxId, Pick<TranscriptLine, 'queued_until'>>> {
  if (!lines.some(({ delivery }) => delivery === 'pending')) return new Map();
  const queued = await gate.queuedFirstContacts(db);
  return new Map(queued.map(({ id, from }) => [id, { queued_until: from.toISOString() }]));
}

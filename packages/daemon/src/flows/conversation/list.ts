// Conversations as the owner looks at them: whose turn it is, page by page. However many there are, a page is read
// from the index of its states, a page of each, and put together here; nothing counts or sorts them all.
import type { InstanceCounts, ListedInstance, ListInstancesQuery } from '@relay/core/api/instances';
import { countTurns } from '@relay/core/conversation/counts';
import {
  FOLLOW_UP_SUSPENDED,
  INSTANCE_STATES,
  type InstanceState,
} from '@relay/core/conversation/states';
import { statesOf, turnOf } from '@relay/core/conversation/turns';
import { RelayError } from '@relay/core/errors';
import type { ApprovalId, InstanceId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import { matchPeople } from '../../store/people.ts';
import { type QueueReader, withQueuedReason } from './queued.ts';
import { type InstanceRow, readInstance, toApi } from './rows.ts';
import type { ConversationWorld } from './work.ts';

const DEFAULT_PAGE = 50;

type World = Pick<ConversationWorld, 'db' | 'lease'>;
type Condition = RawBuilder<unknown>;

interface ListedRow extends InstanceRow {
  contact_name: string | null;
  approval_id: ApprovalId | null;
  follow_ups_suspended: boolean;
}

/** Of `instances i`: what waits for a yes. What has ended waits for nothing. */
const WAITING = sql`SELECT a.id FROM approvals a WHERE a.account_id = i.account_id AND a.instance_id = i.id
  AND a.state = 'pending' AND a.expires_at > now() AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED')
  ORDER BY a.created_at LIMIT 1`;
/** The same, from the other side: those that wait are few. */
const holding = ({
  lease,
}: World) => sql`i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED') AND i.id = ANY(ARRAY(
  SELECT a.instance_id FROM approvals a
  WHERE a.account_id = ${lease.account} AND a.state = 'pending' AND a.expires_at > now()))`;

const NEWEST = sql`i.queue_seq DESC`;
const CHANGED = sql`i.updated_at DESC, i.id DESC`;

export async function listInstances(
  world: World & QueueReader,
  query: ListInstancesQuery,
): Promise<readonly ListedInstance[]> {
  const { limit = DEFAULT_PAGE, order } = query;
  const by = order === 'changed' ? CHANGED : NEWEST;
  const which = sql.join(await conditions(world, query), sql` AND `);
  const pages = placesOf(world, query).map(
    (place) =>
      sql`(SELECT i.* FROM instances i WHERE ${which} AND ${place} ORDER BY ${by} LIMIT ${limit})`,
  );
  const rows = await described(
    world,
    sql`(${sql.join(pages, sql` UNION ALL `)})`,
    sql`ORDER BY ${by} LIMIT ${limit}`,
  );
  return withQueuedReason(world, rows.map(toListed));
}

export async function describeInstance(
  world: World & QueueReader,
  id: InstanceId,
): Promise<ListedInstance> {
  const only = sql`(SELECT * FROM instances WHERE account_id = ${world.lease.account} AND id = ${id})`;
  const [row] = await described(world, only, sql``);
  const [listed] = row === undefined ? [] : await withQueuedReason(world, [toListed(row)]);
  if (listed === undefined) throw new RelayError('instance_not_found', { id });
  return listed;
}

export async function countInstances(world: World): Promise<InstanceCounts> {
  const { account } = world.lease;
  const { rows } = await sql<{ state: InstanceState; n: number; holding: number }>`
    WITH holding AS (SELECT i.state, count(*) AS n FROM instances i
      WHERE i.account_id = ${account} AND ${holding(world)} GROUP BY i.state)
    SELECT i.state, count(*) AS n, coalesce((SELECT h.n FROM holding h WHERE h.state = i.state), 0) AS holding
    FROM instances i WHERE i.account_id = ${account} GROUP BY i.state`.execute(world.db);
  return countTurns(rows);
}

/** Each a place in the index that is read in its order: a state, or what holds an approval. */
function placesOf(world: World, { state, turn, order }: ListInstancesQuery): readonly Condition[] {
  if (turn === undefined) {
    if (state !== undefined) return [sql`i.state = ${state}`];
    return order === 'changed' ? INSTANCE_STATES.map((one) => sql`i.state = ${one}`) : [sql`true`];
  }
  const states = statesOf(turn).filter((one) => state === undefined || one === state);
  const free = states.map((one) => sql`i.state = ${one} AND NOT EXISTS (${WAITING})`);
  if (turn !== 'you') return free.length === 0 ? [sql`false`] : free;
  const held = holding(world);
  return [...free, state === undefined ? held : sql`i.state = ${state} AND ${held}`];
}

async function conditions(world: World, query: ListInstancesQuery): Promise<readonly Condition[]> {
  const { account } = world.lease;
  return [
    sql`i.account_id = ${account}`,
    ...(query.contact === undefined ? [] : [sql`i.contact_id = ${query.contact}`]),
    ...(query.words === undefined ? [] : [await withWords(world, query.words)]),
    ...(query.id_prefix === undefined ? [] : [withBeginning(query.id_prefix)]),
    ...(query.after === undefined ? [] : [await behind(world, query.after, query)]),
  ];
}

/** All of the words in the objective, or all of them naming the contact. */
async function withWords({ db, lease }: World, words: string): Promise<Condition> {
  const { matches } = await matchPeople(db, lease.account, {
    query: words,
    kind: 'person',
    limit: 500,
  });
  const contacts = matches.map(({ of }) => of.id);
  const patterns = words.split(/\s+/).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  return sql`(i.objective ILIKE ALL(${patterns}::text[]) OR i.contact_id = ANY(${contacts}::uuid[]))`;
}

/** Between the least and the greatest id that begin so: the key's index answers. */
function withBeginning(prefix: string): Condition {
  const [from, to] = ['0', 'f'].map((rest) =>
    prefix.replaceAll('-', '').slice(0, 32).padEnd(32, rest),
  );
  return sql`i.id BETWEEN ${from} AND ${to}`;
}

async function behind(
  { db, lease }: World,
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

/** Only of those that are shown: who they are with, and what they wait for. */
async function described(
  { db }: World,
  instances: RawBuilder<unknown>,
  inOrder: RawBuilder<unknown>,
): Promise<readonly ListedRow[]> {
  const { rows } = await sql<ListedRow>`
    SELECT i.*, coalesce(g.display_name, p.display_name, p.push_name) AS contact_name, (${WAITING}) AS approval_id,
      a.follow_ups_suspended_since IS NOT NULL AS follow_ups_suspended
    FROM ${instances} i
      JOIN accounts a ON a.id = i.account_id
      JOIN contacts p ON p.account_id = i.account_id AND p.id = i.contact_id
      LEFT JOIN grants g ON g.account_id = i.account_id AND g.contact_id = i.contact_id
    ${inOrder}`.execute(db);
  return rows;
}

const toListed = (row: ListedRow): ListedInstance => ({
  ...toApi(row),
  ...(row.follow_ups_suspended && row.timer_due_at !== null
    ? { next_follow_up_at: null, reason: row.reason ?? FOLLOW_UP_SUSPENDED }
    : {}),
  contact_id: row.contact_id,
  contact_name: row.contact_name,
  turn: turnOf(row.state, row.approval_id !== null),
  approval_id: row.approval_id,
});

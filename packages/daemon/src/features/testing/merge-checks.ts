// Checks after two contacts of one person were merged, and after all pending work has ended. Each check returns its
// violations as sentences.
import { sealOf } from '../../platform/db/database.ts';
import { verifyChain } from '../../platform/db/ledger-chain.ts';
import { type PermitFacts, permitFacts } from '../../platform/db/seal.ts';
import type { MergeWorld, Person } from './known-twice.ts';

export interface Belonging {
  readonly what: string;
  readonly id: string;
  readonly state: string;
  /** Its contact; null if its rows disagree. */
  readonly contact: string | null;
}

/** Everything that belongs to the two contacts of a person, or to the remaining one. */
export const belongingsOf = ({ account, sql }: MergeWorld, { kept, gone }: Person) =>
  sql<Belonging>(
    `WITH theirs AS (SELECT id AS chat_id, contact_id FROM chats WHERE contact_id IN ($1, $2))
     SELECT 'conversation' AS what, i.id::text, i.state, CASE WHEN i.contact_id = t.contact_id THEN t.contact_id END AS contact
       FROM instances i LEFT JOIN theirs t USING (chat_id) WHERE i.contact_id IN ($1, $2)
     UNION ALL SELECT 'message', o.id::text, CASE WHEN o.in_doubt THEN 'in doubt' ELSE o.state END, contact_id
       FROM outbox o JOIN theirs USING (chat_id)
     UNION ALL SELECT 'approval', a.id::text, a.state, contact_id
       FROM approvals a JOIN theirs ON a.intent->>'chat' = chat_id::text
     UNION ALL SELECT 'schedule', s.id::text, s.state, contact_id FROM schedules s JOIN theirs USING (chat_id)
     UNION ALL SELECT 'received', m.message_id, 'stored', CASE WHEN m.sender_id = contact_id THEN contact_id END
       FROM messages m JOIN theirs USING (chat_id) WHERE NOT m.from_me
     UNION ALL SELECT 'line', l.id::text, CASE WHEN l.waiting THEN 'waiting' ELSE 'done' END,
         CASE WHEN s.contact_id = t.contact_id AND s.key = t.contact_id::text THEN t.contact_id END
       FROM session_messages l JOIN sessions s ON s.id = l.session_id LEFT JOIN theirs t USING (chat_id)
       WHERE s.kind = 'auto_reply' AND s.contact_id IN ($1, $2)
     UNION ALL SELECT 'route job', data->>'message', state::text, contact_id
       FROM relay_jobs.job JOIN theirs ON singleton_key = $3 || ':' || chat_id
       WHERE name = 'route' AND state < 'completed'`,
    [kept, gone, String(account)],
  );

/** Everything of both contacts must belong to the kept one. */
export async function checkCarried(
  harness: MergeWorld,
  person: Person,
  before: readonly Belonging[],
  goneChats: readonly string[],
): Promise<string[]> {
  const after = await belongingsOf(harness, person);
  const leftBehind = await harness.sql(
    "SELECT FROM relay_jobs.job WHERE name = 'route' AND state < 'completed' AND singleton_key = ANY($1)",
    [goneChats.map((chat) => `${harness.account}:${chat}`)],
  );
  const left = new Set(after.map(({ what, id }) => `${what} ${id}`));
  return [
    ...before
      // A message may have been routed in the meantime.
      .filter(({ what, id }) => what !== 'route job' && !left.has(`${what} ${id}`))
      .map(({ what, id, state }) => `the ${what} ${id} (${state}) is gone`),
    ...after
      .filter(({ contact }) => contact !== person.kept)
      .map(({ what, id, contact }) => `the ${what} ${id} belongs to ${contact}`),
    ...leftBehind.map(() => 'a route job waits in the chat that is gone'),
    ...(await unsignedPermits(harness, person)),
  ];
}

interface OpenPermit extends PermitFacts {
  readonly mac: Buffer;
  readonly body: string;
}

async function unsignedPermits({ database, sql }: MergeWorld, { kept }: Person) {
  const open = await sql<OpenPermit>(
    `SELECT p.account_id::int, p.id, p.ledger_seq::int, p.actor, p.intent, p.chat_id, encode(p.content_hash, 'hex') AS hash,
       p.instance_id, p.instance_epoch, p.follow_up_after::int, p.approval_id, p.run_id, p.schedule_id, p.mac,
       o.message_id, o.body
     FROM outbox o JOIN permits p ON p.id = o.permit_id JOIN chats c ON c.id = o.chat_id
     WHERE c.contact_id = $1 AND o.state IN ('pending', 'unknown')`,
    [kept],
  );
  const seal = sealOf(database.kysely);
  return open
    .filter((permit) => !seal.isSigned(permit.mac, 'permit', permitFacts(permit)))
    .map(({ id, body }) => `the permit ${id} of "${body}" is not signed`);
}

export const chatsOf = async ({ sql }: MergeWorld, { kept, gone }: Person): Promise<string[]> =>
  (
    await sql<{ id: string }>('SELECT id FROM chats WHERE contact_id IN ($1, $2)', [kept, gone])
  ).map(({ id }) => id);

/** Run when nothing is pending any more. */
export async function checkPerson(harness: MergeWorld, person: Person): Promise<string[]> {
  return [
    ...(await failures(harness, person)),
    ...(await unsent(harness, person)),
    ...(await checkReceived(harness, person)),
  ];
}

export async function checkWorld(harness: MergeWorld): Promise<string[]> {
  const { jobs, account, database, logged, sentAgain, transport } = harness;
  const { whole, sentence } = await verifyChain(database.kysely, account, { full: false });
  const { dead } = await jobs.counts(account);
  const idsOf = Map.groupBy(transport.wire, ({ text }) => text);
  const isTwice = (text: string) => new Set(idsOf.get(text)?.map(({ id }) => id)).size > 1;
  return [
    ...[...idsOf.keys()].filter(isTwice).map((text) => `"${text}" was sent twice`),
    ...sentAgain.splice(0).map((id) => `${id} was sent after it had been acknowledged`),
    ...(whole ? [] : [sentence]),
    ...dead.map(({ queue, count }) => `${count} jobs of ${queue} failed permanently`),
    ...logged
      .splice(0)
      .filter(({ level, fields }) => level === 'error' && !isOfAnother(fields.error))
      .map(({ message, fields }) => `${message}: ${fields.error ?? fields.reason}`),
  ];
}

/** Of two route jobs that ran in parallel, one is taken from its worker and runs again. */
const isOfAnother = (error: unknown): boolean =>
  error instanceof Error && error.message === 'this job belongs to another worker now';

/** Reasons why a queued message may stay unsent: its conversation went on or ended without it. */
const POINTLESS = ['answered', 'conversation_over', 'overtaken'];
/** Why an approval may expire: see `submitReply` of auto-reply. */
const REPLACED = 'The contact wrote again%';

async function failures({ sql }: MergeWorld, { kept, conversations }: Person) {
  const rows = await sql<{ violation: string }>(
    `SELECT 'the conversation ' || id || ' is ' || state || ': ' || coalesce(reason, '') AS violation
       FROM instances WHERE contact_id = $1 AND state NOT IN ('COMPLETED', 'ABANDONED')
     UNION ALL SELECT 'the conversation ' || w.id || ' is gone' FROM unnest($2::uuid[]) AS w(id)
       WHERE w.id NOT IN (SELECT id FROM instances WHERE contact_id = $1)
     UNION ALL SELECT 'the message "' || body || '" is ' || o.state || ': ' || coalesce(failure, '')
       FROM outbox o JOIN chats c ON c.id = o.chat_id
       WHERE c.contact_id = $1 AND o.state NOT IN ('sent', 'delivered', 'read') AND told_at IS NULL
         AND NOT EXISTS (SELECT FROM ledger WHERE action = 'stop_message' AND subject_id = o.id::text AND reason = ANY($3))
     UNION ALL SELECT 'the approval of ' || (intent->>'kind') || ' is ' || a.state || ': ' || coalesce(answer, '')
       FROM approvals a JOIN chats c ON c.id::text = intent->>'chat' LEFT JOIN instances i ON i.id = a.instance_id
       WHERE c.contact_id = $1 AND NOT (a.state = 'approved' AND used_at IS NOT NULL) AND i.id IS NULL
         AND coalesce(answer, '') NOT LIKE $4
     UNION ALL SELECT 'the schedule of "' || body || '" is ' || s.state || ' after ' || (SELECT count(*) FROM schedule_runs r
         WHERE r.schedule_id = s.id) || ' runs'
       FROM schedules s JOIN chats c ON c.id = s.chat_id
       WHERE c.contact_id = $1 AND NOT (s.state = 'done' AND (SELECT array_agg(outcome) FROM schedule_runs r
         WHERE r.schedule_id = s.id) = '{queued}')
     UNION ALL SELECT 'the line "' || content || '" still waits' FROM session_messages WHERE waiting`,
    [kept, conversations, POINTLESS, REPLACED],
  );
  return rows.map(({ violation }) => violation);
}

async function unsent({ sql, transport }: MergeWorld, { kept, wanted }: Person) {
  const undecided = await sql<{ body: string }>(
    `SELECT body FROM outbox o JOIN chats c ON c.id = o.chat_id
     WHERE c.contact_id = $1 AND o.state = 'unknown' AND told_at IS NOT NULL`,
    [kept],
  );
  const sent = new Set([
    ...transport.wire.map(({ text }) => text),
    // It is unknown whether it was sent, and too late to find out.
    ...undecided.map(({ body }) => body),
  ]);
  return wanted.filter((text) => !sent.has(text)).map((text) => `"${text}" was not sent`);
}

interface Placed {
  readonly id: string;
  readonly before: number;
  readonly after: number;
  readonly conversations: number;
  readonly sessions: number;
}

async function checkReceived({ sql }: MergeWorld, { kept, written }: Person) {
  const placed = await sql<Placed>(
    `SELECT w.id, routed.before, routed.after,
       (SELECT count(*) FROM instance_messages WHERE message_id = w.id)::int AS conversations,
       (SELECT count(*) FROM session_messages WHERE message_id = w.id AND role = 'user')::int AS sessions
     FROM unnest($1::text[]) AS w(id),
       (SELECT seq FROM ledger WHERE action = 'merge_contacts' AND subject_id = $2) AS merge,
       LATERAL (SELECT count(*) FILTER (WHERE l.seq < merge.seq)::int AS before,
           count(*) FILTER (WHERE l.seq > merge.seq)::int AS after
         FROM ledger l WHERE action = 'route_message' AND subject_id = w.id) AS routed`,
    [written.map(({ id }) => id), kept],
  );
  const violations: string[] = [];
  let requests = 0;
  for (const { id, body, isAwaited, isCopied } of written) {
    const found = placed.find((one) => one.id === id);
    const { before = 0, after = 0, conversations = 0, sessions = 0 } = found ?? {};
    // Before the merge, the message under the other address was not known to be the same.
    const isOnce = before + after === 1 || (isCopied && before === 2 && after === 0);
    if (!isOnce) violations.push(`"${body}" was routed ${before} and ${after} times`);
    if (isAwaited && conversations === 0) violations.push(`"${body}" did not reach a conversation`);
    requests += before + after - conversations - sessions;
  }
  const [{ count } = { count: 0 }] = await sql<{ count: number }>(
    'SELECT count FROM knocks WHERE contact_id = $1',
    [kept],
  );
  if (count !== requests) violations.push(`${requests} message requests were counted as ${count}`);
  return [...violations, ...(await checkOrder({ sql }, written))];
}

/**
 * In each transcript and in the session the messages are in the order of arrival. Before the merge this holds per
 * address, because the two were not known to belong together.
 */
async function checkOrder({ sql }: Pick<MergeWorld, 'sql'>, written: Person['written']) {
  const lines = await sql<{ place: string; message_id: string }>(
    `SELECT instance_id::text AS place, message_id, id FROM instance_messages WHERE message_id = ANY($1)
     UNION ALL SELECT session_id::text, message_id, id FROM session_messages WHERE message_id = ANY($1) ORDER BY place, id`,
    [written.filter(({ isCopied }) => !isCopied).map(({ id }) => id)],
  );
  const arrival = (id: string) => written.findIndex((one) => one.id === id);
  return lines.flatMap((line, n) => {
    const message = written[arrival(line.message_id)];
    const overtaken = lines.slice(n + 1).filter(({ place, message_id }) => {
      const other = written[arrival(message_id)];
      const isComparable = message?.isAfterMerge === true || message?.side === other?.side;
      return place === line.place && isComparable && arrival(message_id) < arrival(line.message_id);
    });
    return overtaken.map(({ message_id }) => `${line.message_id} came before ${message_id}`);
  });
}

/** Tables about the past keep the old ids. */
const HISTORY = ['ledger', 'events'];
const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Searches every row of all other tables for contacts and chats that were merged away. */
export async function referencesTo({ sql }: MergeWorld, gone: readonly string[]) {
  const tables = await sql<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'relay'::regnamespace
       AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> ALL($1)`,
    [HISTORY],
  );
  const looks = tables.map(
    ({ name }) => `SELECT '${name}' AS name, t::text AS row FROM relay.${name} t`,
  );
  const rows = await sql<{ name: string; row: string }>(
    `SELECT name, row FROM (${looks.join(' UNION ALL ')}) all_rows
     WHERE EXISTS (SELECT FROM regexp_matches(row, '(${UUID})', 'g') m WHERE m[1] = ANY($1))`,
    [gone],
  );
  return rows.map(({ name, row }) => `${name} still refers to what was merged away: ${row}`);
}

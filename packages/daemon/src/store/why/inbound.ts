// The story of a message that came in: what the router decided, and what came of it in the conversation or
// the session it was handed to.
import type { AccountId, ContactId, InstanceId, RunId, SessionId } from '@relay/core/ids';
import { ANSWER_ACTION } from '@relay/core/ledger/answers';
import type { AnswerPart, ConversationPart, InboundStory, Place } from '@relay/core/ledger/story';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { peopleNamed } from '../names.ts';
import type { Found } from './find.ts';
import {
  approvalAsked,
  deliveryApproved,
  deliveryOf,
  readApproval,
  readDeliveries,
  readRun,
  runById,
} from './parts.ts';
import { rowsAboutMessage, type StoredRow } from './rows.ts';

export interface Told<S> {
  readonly story: S;
  readonly rows: readonly StoredRow[];
}

/** Routes to whoever may answer. */
const ANSWERERS: ReadonlySet<string> = new Set(['readable_contact', 'to_assistant', 'observed']);

type Stored = Found & { readonly number: number; readonly sentAt: Date };

export async function inboundStory(
  db: Reader,
  account: AccountId,
  message: Stored,
  place: Place,
): Promise<Told<InboundStory>> {
  const rows = await rowsAboutMessage(db, account, {
    id: message.messageId,
    chat: message.chat,
    number: message.number,
  });
  const route = rows.findLast(({ action }) => action === 'route_message') ?? null;
  const instance = route?.detail.instance;
  const heard = route !== null && ANSWERERS.has(route.reason);
  const story: InboundStory = {
    way: 'in',
    place,
    from: await senderOf(db, account, message, place),
    at: message.sentAt,
    route,
    conversation: instance ? await conversationPart(db, account, message, instance) : null,
    answer: heard ? await answerPart(db, account, message, rows) : null,
  };
  return { story, rows };
}

async function senderOf(
  db: Reader,
  account: AccountId,
  { number, sentAt }: Stored,
  place: Place,
): Promise<string> {
  const { rows } = await sql<{ sender: ContactId | null; from_me: boolean }>`
    SELECT sender_id AS sender, from_me FROM messages
    WHERE account_id = ${account} AND sent_at = ${sentAt} AND id = ${number}`.execute(db);
  const row = rows[0];
  if (row === undefined || row.sender === null) return row?.from_me === true ? 'you' : place.name;
  const names = await peopleNamed(db, account, [row.sender]);
  return names.get(row.sender) ?? place.name;
}

interface LineRow {
  objective: string;
  state: string;
  line: number | null;
}

async function conversationPart(
  db: Reader,
  account: AccountId,
  { messageId, chat }: Stored,
  id: InstanceId,
): Promise<ConversationPart | null> {
  const { rows } = await sql<LineRow>`
    SELECT i.objective, i.state, (SELECT max(m.id) FROM instance_messages m WHERE m.account_id = i.account_id
      AND m.instance_id = i.id AND m.message_id = ${messageId}) AS line
    FROM instances i WHERE i.account_id = ${account} AND i.id = ${id}`.execute(db);
  const row = rows[0];
  if (row === undefined) return null;
  const { objective, state, line } = row;
  const part = { id, objective, state };
  const run = await readRun(db, account, sql`r.instance_id = ${id} AND r.read_up_to >= ${line}`);
  if (run === null) return { ...part, run, answers: [], approval: null };
  const answers = await readDeliveries(
    db,
    account,
    sql`o.instance_id = ${id} AND ${saidBy(run.id)}`,
  );
  const hash = answers.length > 0 ? null : await refusedHash(db, account, run.id);
  return {
    ...part,
    run,
    answers,
    approval: hash === null ? null : await approvalAsked(db, account, chat, hash),
  };
}

/** Of `outbox o`: by the run its ledger row names; in rows from before they did, by their transaction. */
const saidBy = (run: RunId) => sql`EXISTS (SELECT FROM ledger l JOIN runs r
    ON r.account_id = l.account_id AND r.id = ${run}
  WHERE l.account_id = p.account_id AND l.seq = p.ledger_seq
    AND coalesce(l.detail->>'run' = r.id::text, o.created_at = r.ended_at AND p.actor LIKE 'conversation:%'))`;

/** What the run wanted to say and the gate put before a person. */
async function refusedHash(db: Reader, account: AccountId, run: RunId): Promise<string | null> {
  const { rows } = await sql<{ hash: string }>`
    SELECT l.detail->>'hash' AS hash FROM ledger l JOIN runs r ON r.account_id = l.account_id AND r.id = ${run}
    WHERE l.account_id = ${account} AND l.at = r.ended_at AND l.outcome = 'needs_approval'
      AND l.actor = 'conversation:' || r.instance_id AND l.action = 'send_message'
    ORDER BY l.seq DESC LIMIT 1`.execute(db);
  return rows[0]?.hash ?? null;
}

async function answerPart(
  db: Reader,
  account: AccountId,
  { messageId }: Stored,
  rows: readonly StoredRow[],
): Promise<AnswerPart> {
  const row = rows.findLast(({ action }) => action === ANSWER_ACTION);
  if (row === undefined || (await isOver(db, account, row))) {
    const run = await runAtWork(db, account, messageId);
    return { reason: null, run, answer: null, approval: null, until: null, refusal: null };
  }
  const { run, approval, outbox, until, refusal } = row.detail;
  return {
    reason: row.reason,
    run: await runById(db, account, run),
    answer: approval
      ? await deliveryApproved(db, account, approval)
      : await deliveryOf(db, account, outbox),
    approval: approval ? await readApproval(db, account, approval) : null,
    until: until === undefined ? null : new Date(until),
    refusal: refusal ?? null,
  };
}

/** What it waited for has come to its end, and nobody has looked at it since. */
async function isOver(db: Reader, account: AccountId, row: StoredRow): Promise<boolean> {
  if (row.outcome !== 'waiting') return false;
  if (row.detail.until !== undefined) return new Date(row.detail.until) <= new Date();
  if (row.reason !== 'hold') return false;
  const { rows } = await sql`SELECT 1 FROM holds WHERE account_id = ${account}`.execute(db);
  return rows.length === 0;
}

/** The run of its session that was shown it. */
async function runAtWork(db: Reader, account: AccountId, message: string) {
  const { rows } = await sql<{ session: SessionId; line: number }>`
    SELECT session_id AS session, id AS line FROM session_messages
    WHERE account_id = ${account} AND message_id = ${message} AND role = 'user' ORDER BY id DESC LIMIT 1`.execute(
    db,
  );
  const heard = rows[0];
  if (heard === undefined) return null;
  return readRun(
    db,
    account,
    sql`r.session_id = ${heard.session} AND r.state = 'running' AND r.read_up_to >= ${heard.line}`,
  );
}

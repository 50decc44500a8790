// Tells the story of one message, received or sent.

import { RelayError } from '@relay/contract/errors';
import {
  type AccountId,
  type ApprovalId,
  type ChatId,
  type ContactId,
  type InstanceId,
  type MessageId,
  type OutboxId,
  type RunId,
  type ScheduleId,
  type SessionId,
  tokenId,
} from '@relay/contract/ids';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import { ANSWER_ACTION } from '@relay/core/ledger/rows';
import type {
  AnswerPart,
  ConversationPart,
  InboundStory,
  MessageStory,
  OutboundStory,
  StoryChat,
} from '@relay/core/ledger/story';
import { describeRule } from '@relay/core/schedule/format';
import { findZone } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import {
  ledgerRowBySeq,
  ledgerRowsAbout,
  ledgerRowsAboutMessage,
  type StoredLedgerRow,
} from '../ledger-lines.ts';
import { loadContactNames } from '../names-and-addresses.ts';
import {
  deliveryOfApproval,
  deliveryOfOutbox,
  findApprovalByHash,
  readApprovalAnswer,
  readDeliveries,
  readRun,
  runById,
} from './story-facts.ts';

export function loadStory(
  db: Db,
  account: AccountId,
  message: MessageMatch,
  place: StoryChat,
): Promise<StoryWithRows<MessageStory>> {
  const { outbox, number, sentAt } = message;
  if (outbox !== null) return outboundStory(db, account, outbox, place);
  if (number === null || sentAt === null) throw new Error('a message that stands nowhere');
  return inboundStory(db, account, { ...message, number, sentAt }, place);
}

// Finds the message that is meant: by WhatsApp's id or the outbox id, in full, or by a prefix that matches only one.
// The same id may exist in several chats: senders choose their own ids.

export interface MessageMatch {
  readonly messageId: MessageId;
  readonly chat: ChatId;
  /** Its number in `messages`; null if it has not been sent. */
  readonly number: number | null;
  readonly sentAt: Date | null;
  /** Relay's own id of a message it sends. */
  readonly outbox: OutboxId | null;
}

const MAX_CANDIDATES = 5;
const ID_PREFIX = /^[\w.-]{4,128}$/;

/** All matches, at most one more than are ever listed. */
export async function findMessagesByIdOrPrefix(
  db: Db,
  account: AccountId,
  given: string,
  chat: ChatId | null,
): Promise<readonly MessageMatch[]> {
  const id = given.trim();
  const whole = await matching(db, account, { id, beginning: false, chat });
  if (whole.length > 0) return whole;
  if (!ID_PREFIX.test(id)) throw new RelayError('message_unknown', { id });
  return matching(db, account, { id, beginning: true, chat });
}

/** By the whole id only. */
export const findMessagesById = (
  db: Db,
  account: AccountId,
  id: string,
): Promise<readonly MessageMatch[]> => matching(db, account, { id, beginning: false, chat: null });

interface Wanted {
  readonly id: string;
  readonly beginning: boolean;
  readonly chat: ChatId | null;
}

async function matching(
  db: Db,
  account: AccountId,
  { id, beginning, chat }: Wanted,
): Promise<readonly MessageMatch[]> {
  const pattern = `${id.replace(/[\\%_]/g, '\\$&')}%`;
  const fits = (column: string) =>
    beginning ? sql`${sql.ref(column)} LIKE ${pattern}` : sql`${sql.ref(column)} = ${id}`;
  const ours = beginning
    ? sql`o.id::text LIKE ${pattern.toLowerCase()}`
    : sql`o.id::text = ${id.toLowerCase()}`;
  const { rows } = await sql<MessageMatch>`
    SELECT message_id AS "messageId", chat_id AS chat, number, "sentAt", outbox FROM (
      SELECT o.message_id, o.chat_id, k.id AS number, k.sent_at AS "sentAt", o.id AS outbox
      FROM outbox o LEFT JOIN message_keys k ON k.account_id = o.account_id AND k.chat_id = o.chat_id
        AND k.message_id = o.message_id AND k.sender = 'me'
      WHERE o.account_id = ${account} AND (${fits('o.message_id')} OR ${ours})
      UNION ALL
      SELECT k.message_id, k.chat_id, k.id, k.sent_at, NULL FROM message_keys k
      WHERE k.account_id = ${account} AND ${fits('k.message_id')}
        AND NOT (k.sender = 'me' AND EXISTS (SELECT FROM outbox o
          WHERE o.account_id = k.account_id AND o.message_id = k.message_id))
    ) found WHERE ${chat}::uuid IS NULL OR chat_id = ${chat}
    ORDER BY "sentAt" DESC NULLS FIRST, number DESC LIMIT ${MAX_CANDIDATES + 1}`.execute(db);
  return rows;
}

/** For a person to choose from. */
export function describeMessageMatches(
  found: readonly MessageMatch[],
  names: ReadonlyMap<ChatId, string>,
): string {
  const named = found.slice(0, MAX_CANDIDATES).map(({ messageId, chat, sentAt }) => {
    const time = sentAt === null ? 'not sent yet' : sentAt.toISOString();
    return `${messageId} (${names.get(chat) ?? 'a chat'}, ${time}, --chat ${chat})`;
  });
  return [...named, ...(found.length > MAX_CANDIDATES ? ['…'] : [])].join('; ');
}

// The story of a received message: what the router decided, and what followed in the conversation or session it was
// passed to.

interface StoryWithRows<S> {
  readonly story: S;
  readonly rows: readonly StoredLedgerRow[];
}

/** Routes to features that may answer. */
const ANSWERERS: ReadonlySet<string> = new Set(['readable_contact', 'to_assistant', 'observed']);

type StoredMessage = MessageMatch & { readonly number: number; readonly sentAt: Date };

async function inboundStory(
  db: Db,
  account: AccountId,
  message: StoredMessage,
  place: StoryChat,
): Promise<StoryWithRows<InboundStory>> {
  const rows = await ledgerRowsAboutMessage(db, account, {
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
  db: Db,
  account: AccountId,
  { number, sentAt }: StoredMessage,
  place: StoryChat,
): Promise<string> {
  const { rows } = await sql<{ sender: ContactId | null; from_me: boolean }>`
    SELECT sender_id AS sender, from_me FROM messages
    WHERE account_id = ${account} AND sent_at = ${sentAt} AND id = ${number}`.execute(db);
  const row = rows[0];
  if (row === undefined || row.sender === null) return row?.from_me === true ? 'you' : place.name;
  const names = await loadContactNames(db, account, [row.sender]);
  return names.get(row.sender) ?? place.name;
}

interface LineRow {
  objective: string;
  state: string;
  line: number | null;
}

async function conversationPart(
  db: Db,
  account: AccountId,
  { messageId, chat }: StoredMessage,
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
    approval: hash === null ? null : await findApprovalByHash(db, account, chat, hash),
  };
}

/** For `outbox o`: by the run named in its ledger row; for older rows without one, by their transaction. */
const saidBy = (run: RunId) => sql`EXISTS (SELECT FROM ledger l JOIN runs r
    ON r.account_id = l.account_id AND r.id = ${run}
  WHERE l.account_id = p.account_id AND l.seq = p.ledger_seq
    AND coalesce(l.detail->>'run' = r.id::text, o.created_at = r.ended_at AND p.actor LIKE 'conversation:%'))`;

/** What the run wanted to send and the gate put before the owner. */
async function refusedHash(db: Db, account: AccountId, run: RunId): Promise<string | null> {
  const { rows } = await sql<{ hash: string }>`
    SELECT l.detail->>'hash' AS hash FROM ledger l JOIN runs r ON r.account_id = l.account_id AND r.id = ${run}
    WHERE l.account_id = ${account} AND l.at = r.ended_at AND l.outcome = 'needs_approval'
      AND l.actor = 'conversation:' || r.instance_id AND l.action = 'send_message'
    ORDER BY l.seq DESC LIMIT 1`.execute(db);
  return rows[0]?.hash ?? null;
}

async function answerPart(
  db: Db,
  account: AccountId,
  { messageId }: StoredMessage,
  rows: readonly StoredLedgerRow[],
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
      ? await deliveryOfApproval(db, account, approval)
      : await deliveryOfOutbox(db, account, outbox),
    approval: approval ? await readApprovalAnswer(db, account, approval) : null,
    until: until === undefined ? null : new Date(until),
    refusal: refusal ?? null,
  };
}

/** What it waited for has ended, and it has not been looked at again since. */
async function isOver(db: Db, account: AccountId, row: StoredLedgerRow): Promise<boolean> {
  if (row.outcome !== 'waiting') return false;
  if (row.detail.until !== undefined) return new Date(row.detail.until) <= new Date();
  if (row.reason !== 'hold') return false;
  const { rows } = await sql`SELECT 1 FROM holds WHERE account_id = ${account}`.execute(db);
  return rows.length === 0;
}

/** The running run of its session that was shown it. */
async function runAtWork(db: Db, account: AccountId, message: string) {
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

// The story of a message that Relay sent or will send: its permit, the ledger row with the reason, and who caused it.

interface OutboxRow {
  created_at: Date;
  ledger_seq: number;
  actor: string;
  instance_id: InstanceId | null;
  objective: string | null;
  approval_id: ApprovalId | null;
  chat_id: ChatId;
}

async function outboundStory(
  db: Db,
  account: AccountId,
  outbox: OutboxId,
  place: StoryChat,
): Promise<StoryWithRows<OutboundStory>> {
  const { rows } = await sql<OutboxRow>`
    SELECT o.created_at, p.ledger_seq, p.actor, o.instance_id, i.objective, p.approval_id, o.chat_id
    FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
      LEFT JOIN instances i ON i.account_id = o.account_id AND i.id = o.instance_id
    WHERE o.account_id = ${account} AND o.id = ${outbox}`.execute(db);
  const row = rows[0];
  const delivery = await deliveryOfOutbox(db, account, outbox);
  const decided = row === undefined ? null : await ledgerRowBySeq(db, account, row.ledger_seq);
  if (row === undefined || delivery === null || decided === null) {
    throw new Error('a message without its permit');
  }
  const asked = row.approval_id === null ? null : await findAskingRow(db, account, decided);
  const story: OutboundStory = {
    way: 'out',
    place,
    at: row.created_at,
    actor: decided.actor,
    reason: decided.reason,
    run: await runBehind(db, account, row, decided, asked),
    conversation:
      row.instance_id === null || row.objective === null
        ? null
        : { id: row.instance_id, objective: row.objective },
    program: await programBehind(db, account, decided.actor),
    schedule: await scheduleBehind(db, account, decided.detail.schedule),
    approval:
      row.approval_id === null ? null : await readApprovalAnswer(db, account, row.approval_id),
    answers: await answeredAt(db, account, row.chat_id, (asked ?? decided).detail.message),
    delivery,
  };
  const stops = await ledgerRowsAbout(db, account, 'outbox', outbox);
  return { story, rows: [...(asked === null ? [] : [asked]), decided, ...stops] };
}

/** The decision that asked the owner about the same content. */
async function findAskingRow(
  db: Db,
  account: AccountId,
  { subject_kind, subject_id, seq, detail }: StoredLedgerRow,
): Promise<StoredLedgerRow | null> {
  const about = await ledgerRowsAbout(db, account, subject_kind, subject_id);
  return (
    about.findLast(
      (row) => row.seq < seq && row.outcome === 'needs_approval' && row.detail.hash === detail.hash,
    ) ?? null
  );
}

async function runBehind(
  db: Db,
  account: AccountId,
  { actor, instance_id }: OutboxRow,
  decided: StoredLedgerRow,
  asked: StoredLedgerRow | null,
) {
  const named = decided.detail.run ?? asked?.detail.run;
  const [kind, id] = actor.split(':');
  if (named !== undefined) return runById(db, account, named);
  if (kind === 'assistant' && id !== undefined) return runById(db, account, id as RunId);
  if (kind !== 'conversation' || instance_id === null) return null;
  // Older rows do not name their run: it ended in the transaction that wrote them.
  const { seq } = asked ?? decided;
  return readRun(
    db,
    account,
    sql`r.instance_id = ${instance_id} AND r.ended_at = (SELECT l.at FROM ledger l
      WHERE l.account_id = r.account_id AND l.seq = ${seq})`,
  );
}

/** The client's name, even if its token is revoked. */
async function programBehind(db: Db, account: AccountId, actor: string) {
  const [kind, id] = actor.split(':');
  if (kind !== 'token' || id === undefined) return null;
  const row = await db
    .selectFrom('tokens')
    .select('name')
    .where('account_id', '=', account)
    .where('id', '=', tokenId(id))
    .executeTakeFirst();
  return row?.name ?? null;
}

async function scheduleBehind(db: Db, account: AccountId, id: ScheduleId | undefined) {
  if (id === undefined) return null;
  const row = await db
    .selectFrom('schedules')
    .select(['rule', 'zone'])
    .where('account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst();
  const zone = row === undefined ? null : findZone(row.zone);
  return row === undefined || zone === null
    ? { id, words: id.slice(0, 8) }
    : { id, words: describeRule(row.rule as ScheduleRule, zone) };
}

/** When the message that it answers was sent. */
async function answeredAt(
  db: Db,
  account: AccountId,
  chat: ChatId,
  message: MessageId | undefined,
): Promise<Date | null> {
  if (message === undefined) return null;
  const { rows } = await sql<{ sent_at: Date }>`SELECT sent_at FROM message_keys
    WHERE account_id = ${account} AND message_id = ${message}
    ORDER BY chat_id = ${chat} DESC LIMIT 1`.execute(db);
  return rows[0]?.sent_at ?? null;
}

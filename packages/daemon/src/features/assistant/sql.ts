// Reads and writes the rows of assistant sessions: questions, answers, and the effects of turns.

import type { ApprovalState } from '@relay/contract/api/approvals';
import type { ResultStatus } from '@relay/contract/conversation/result';
import type { AccountId, ApprovalId, ChatId, RunId, SessionId } from '@relay/contract/ids';
import { selectRememberedLines } from '@relay/core/agent/context-window';
import { type AnswerReason, answerLedgerRow, type LedgerDetail } from '@relay/core/ledger/rows';
import { type RawBuilder, sql } from 'kysely';
import { readApprovalStates } from '../../pipeline/gate/approval-store.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import {
  appendSessionLine,
  type NewSessionLine,
  type SessionLine,
  type SessionRow,
} from '../../platform/db/sessions.ts';

type SpokenSessionLine = SessionLine & { readonly role: 'user' | 'assistant' };

/** Appends a line and an event for whoever watches the session. */
export async function addLine(
  tx: Transaction,
  session: Pick<SessionRow, 'account_id' | 'id'>,
  line: NewSessionLine,
): Promise<SessionLine> {
  const added = await appendSessionLine(tx, session, line);
  await appendSessionEvent(tx, session);
  return added;
}

/** The event has no text: clients read the lines themselves. */
export const appendSessionEvent = (
  tx: Transaction,
  { account_id, id }: Pick<SessionRow, 'account_id' | 'id'>,
): Promise<void> => appendEvent(tx, account_id, { kind: 'assistant', subject: id, data: {} });

/** More lines than a turn can remember. */
const MAX_LINES_READ = 300;

/**
 * The lines that a turn is shown, each answer after its question, the turn's own question last. Lines that still wait
 * for an answer and slash commands are left out.
 */
export async function readRememberedLines(
  tx: Transaction,
  session: SessionRow,
  question: SessionLine,
): Promise<readonly SpokenSessionLine[]> {
  const lines = await tx
    .selectFrom('session_messages')
    .selectAll()
    .where('account_id', '=', session.account_id)
    .where('session_id', '=', session.id)
    .where('id', '>', session.begins_after)
    .where('id', '<>', question.id)
    .where('waiting', '=', false)
    .where('command', '=', false)
    .where('role', '<>', 'tool')
    .orderBy(sql`coalesce(answers, id)`, 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_LINES_READ)
    .execute();
  return selectRememberedLines([...lines.reverse(), question] as SpokenSessionLine[]);
}

export async function readSessionLine(
  db: Db,
  account: AccountId,
  session: SessionId,
  id: number,
): Promise<SessionLine | null> {
  const line = await db
    .selectFrom('session_messages')
    .selectAll()
    .where('account_id', '=', account)
    .where('session_id', '=', session)
    .where('id', '=', id)
    .executeTakeFirst();
  return line ?? null;
}

/** Locked until the transaction ends: only one turn or command at a time writes to it. */
export async function lockAssistantSession(
  tx: Transaction,
  account: AccountId,
  id: SessionId,
): Promise<SessionRow | null> {
  const session = await tx
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return session ?? null;
}

export async function markLineAnswered(tx: Transaction, line: SessionLine): Promise<void> {
  await tx
    .updateTable('session_messages')
    .set({ waiting: false })
    .where('account_id', '=', line.account_id)
    .where('session_id', '=', line.session_id)
    .where('id', '=', line.id)
    .execute();
}

/** The effects of a run so far, as text, in order. */
export async function readEffects(
  db: Db,
  account: AccountId,
  run: RunId,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('tool_calls')
    .select('effect')
    .where('account_id', '=', account)
    .where('run_id', '=', run)
    .where('effect', 'is not', null)
    .$narrowType<{ effect: string }>()
    .orderBy('at')
    .execute();
  return rows.map(({ effect }) => effect);
}

/** A tool call that asked the owner, and what they decided since. */
interface AskedOwner {
  readonly run: RunId;
  readonly call: string;
  readonly state: ApprovalState;
}

/** The calls of these turns that ended without an answer of the owner. */
export async function readAskedOwner(
  db: Db,
  account: AccountId,
  runs: readonly RunId[],
): Promise<readonly AskedOwner[]> {
  if (runs.length === 0) return [];
  const calls = await db
    .selectFrom('tool_calls')
    .select(['run_id', 'call_id'])
    .select(sql<ApprovalId>`result->>'approval_id'`.as('approval'))
    .where('account_id', '=', account)
    .where('run_id', 'in', runs)
    .where(sql<boolean>`result->>'approval_id' IS NOT NULL`)
    .orderBy('at')
    .execute();
  const ids = calls.map(({ approval }) => approval);
  const states = await readApprovalStates(db, account, ids);
  return calls.flatMap(({ run_id: run, call_id: call, approval }) => {
    const state = states.get(approval);
    return state === undefined ? [] : [{ run, call, state }];
  });
}

interface InterruptedTurn {
  readonly run: RunId;
  readonly line: number;
  readonly deeds: readonly string[];
}

/**
 * Turns of this session that did not finish but had effects: those of one question, or all that are still marked
 * running.
 */
export async function findInterruptedTurns(
  tx: Transaction,
  session: SessionRow,
  which: { readonly line: number } | 'left running',
): Promise<readonly InterruptedTurn[]> {
  const wanted =
    which === 'left running'
      ? sql`r.state = 'running'`
      : sql`r.state <> 'done' AND r.read_up_to = ${which.line}`;
  const { rows } = await sql<InterruptedTurn>`
    SELECT r.id AS run, r.read_up_to AS line, array_agg(t.effect ORDER BY t.at) AS deeds
    FROM runs r JOIN tool_calls t ON t.account_id = r.account_id AND t.run_id = r.id
    WHERE r.account_id = ${session.account_id} AND r.session_id = ${session.id} AND ${wanted}
      AND t.effect IS NOT NULL
    GROUP BY r.id, r.read_up_to, r.started_at ORDER BY r.started_at`.execute(tx);
  return rows;
}

// Writes the outcome of the owner's message to the ledger, as the last row of the deciding transaction. Lines that were
// not received on WhatsApp have no message and are skipped.

export async function recordAssistantAnswer(
  tx: Transaction,
  { account_id, id: session, chat_id: chat }: SessionRow,
  { message_id: message }: SessionLine,
  reason: AnswerReason,
  detail: LedgerDetail = {},
): Promise<void> {
  if (message === null || chat === null) return;
  const actor = detail.run === undefined ? 'assistant' : `assistant:${detail.run}`;
  const row = { actor, message, reason, detail: { chat, session, ...detail } };
  await appendLedger(tx, account_id, answerLedgerRow(row));
}

// Results of ended conversations.

interface ConversationResult {
  readonly chat_id: ChatId;
  readonly created_by: string;
  readonly contact: string;
  readonly objective: string;
  readonly ended_at: Date;
  readonly status: ResultStatus;
  readonly result: unknown;
  readonly reason: string | null;
}

interface ResultFilter {
  /** A subquery of the chats that may be read. */
  readonly chats: RawBuilder<unknown>;
  /** Only this chat. */
  readonly chat: ChatId | null;
  readonly limit: number;
}

/** Newest first. */
export async function readResults(
  db: Db,
  account: AccountId,
  { chats, chat, limit }: ResultFilter,
): Promise<readonly ConversationResult[]> {
  const { rows } = await sql<ConversationResult>`
    SELECT i.chat_id, i.created_by, coalesce(g.display_name, i.target_contact) AS contact, i.objective,
      i.updated_at AS ended_at, i.result_status AS status, i.result, i.result_reason AS reason
    FROM instances i LEFT JOIN grants g ON g.account_id = i.account_id AND g.contact_id = i.contact_id
    WHERE i.account_id = ${account} AND i.result_status <> 'pending' AND i.chat_id IN (${chats})
      AND (${chat}::uuid IS NULL OR i.chat_id = ${chat})
    ORDER BY i.updated_at DESC LIMIT ${limit}`.execute(db);
  return rows;
}

/** Whether any conversation has a result, or will have one. */
export async function hasResults(db: Db, account: AccountId): Promise<boolean> {
  const { rows } = await sql`SELECT FROM instances
    WHERE account_id = ${account} AND result_status IS NOT NULL LIMIT 1`.execute(db);
  return rows.length > 0;
}

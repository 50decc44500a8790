// What a session of the assistant remembers, as rows: what was asked and answered since it began, and what
// its turns did.
import { remember } from '@relay/core/assistant/memory';
import type { AccountId, RunId, SessionId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader, Transaction } from '../../store/database.ts';
import { appendEvent } from '../../store/events.ts';
import {
  appendSessionLine,
  type NewLine,
  type SessionLine,
  type SessionRow,
} from '../../store/sessions.ts';

type Spoken = SessionLine & { readonly role: 'user' | 'assistant' };

/** Said, and told to whoever looks at the session. */
export async function addLine(
  tx: Transaction,
  session: Pick<SessionRow, 'account_id' | 'id'>,
  line: NewLine,
): Promise<SessionLine> {
  const added = await appendSessionLine(tx, session, line);
  await tellSession(tx, session);
  return added;
}

/** The event has no words: what was said is asked for. */
export const tellSession = (
  tx: Transaction,
  { account_id, id }: Pick<SessionRow, 'account_id' | 'id'>,
): Promise<void> => appendEvent(tx, account_id, { kind: 'assistant', subject: id, data: {} });

/** More than any memory holds. */
const MOST_READ = 300;

/**
 * The lines that a turn is shown, each answer behind its question, its own question last: what still waits
 * for an answer of its own is not among them, and what was said to Relay itself never is.
 */
export async function remembered(
  tx: Transaction,
  session: SessionRow,
  question: SessionLine,
): Promise<readonly Spoken[]> {
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
    .limit(MOST_READ)
    .execute();
  return remember([...lines.reverse(), question] as Spoken[]);
}

export async function readLine(
  db: Reader,
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

/** Held until the transaction ends: one turn or command at a time writes to it. */
export async function lockSession(
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

export async function noLongerWaiting(tx: Transaction, line: SessionLine): Promise<void> {
  await tx
    .updateTable('session_messages')
    .set({ waiting: false })
    .where('account_id', '=', line.account_id)
    .where('session_id', '=', line.session_id)
    .where('id', '=', line.id)
    .execute();
}

/** What a run has done so far, in words, in the order it did it. */
export async function deedsOf(
  db: Reader,
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

export interface Interrupted {
  readonly run: RunId;
  readonly line: number;
  readonly deeds: readonly string[];
}

/** Turns of this session that came to no end, and what they had done: of one question, or of all left running. */
export async function interrupted(
  tx: Transaction,
  session: SessionRow,
  which: { readonly line: number } | 'left running',
): Promise<readonly Interrupted[]> {
  const wanted =
    which === 'left running'
      ? sql`r.state = 'running'`
      : sql`r.state <> 'done' AND r.read_up_to = ${which.line}`;
  const { rows } = await sql<Interrupted>`
    SELECT r.id AS run, r.read_up_to AS line, array_agg(t.effect ORDER BY t.at) AS deeds
    FROM runs r JOIN tool_calls t ON t.account_id = r.account_id AND t.run_id = r.id
    WHERE r.account_id = ${session.account_id} AND r.session_id = ${session.id} AND ${wanted}
      AND t.effect IS NOT NULL
    GROUP BY r.id, r.read_up_to, r.started_at ORDER BY r.started_at`.execute(tx);
  return rows;
}

// Stores sessions: the lines of one agent's exchange with one person. Lines are stored whole; the feature decides how
// many of them a turn sees.
import type {
  AccountId,
  ApprovalId,
  ChatId,
  ContactId,
  MessageId,
  RunId,
  SessionId,
} from '@relay/contract/ids';
import { type Selectable, sql } from 'kysely';
import type { Db, Transaction } from './database.ts';
import type { Tables } from './tables.ts';

export type SessionRow = Selectable<Tables['sessions']>;
export type SessionLine = Selectable<Tables['session_messages']>;

interface NewSession {
  readonly kind: SessionRow['kind'];
  /** Whom it is with; one session for each. */
  readonly key: string;
  readonly title: string;
  readonly chat: ChatId | null;
  readonly contact: ContactId | null;
}

export const selectChatOfSession = (db: Db, account: AccountId, id: SessionId) =>
  db
    .selectFrom('sessions')
    .select('chat_id')
    .where('account_id', '=', account)
    .where('id', '=', id);

/** Finds or creates it, updates its title, and locks it until the transaction ends. */
export async function openSession(
  tx: Transaction,
  account: AccountId,
  { kind, key, title, chat, contact }: NewSession,
): Promise<SessionRow> {
  const { rows } = await sql<SessionRow>`
    INSERT INTO sessions (account_id, kind, key, title, chat_id, contact_id)
    VALUES (${account}, ${kind}, ${key}, ${title}, ${chat}, ${contact})
    ON CONFLICT (account_id, kind, key) DO UPDATE
      SET title = excluded.title, chat_id = coalesce(excluded.chat_id, sessions.chat_id), updated_at = now()
    RETURNING *`.execute(tx);
  const row = rows[0];
  if (row === undefined) throw new Error('a session without a row');
  return row;
}

export interface NewSessionLine {
  readonly role: SessionLine['role'];
  readonly content: string;
  /** When it was said; by default now. */
  readonly saidAt?: Date;
  readonly message?: MessageId;
  readonly run?: RunId;
  /** A command to Relay itself, or its answer. */
  readonly command?: boolean;
  /** The owner forwarded it, but somebody else wrote it. */
  readonly untrusted?: boolean;
  /** A received line that still has to be handled. */
  readonly waiting?: boolean;
  /** The line that it answers. */
  readonly answers?: number;
}

export async function appendSessionLine(
  tx: Transaction,
  session: Pick<SessionRow, 'account_id' | 'id'>,
  {
    role,
    content,
    saidAt,
    message,
    run,
    command = false,
    untrusted = false,
    waiting = false,
    answers,
  }: NewSessionLine,
): Promise<SessionLine> {
  return tx
    .insertInto('session_messages')
    .values({
      account_id: session.account_id,
      session_id: session.id,
      role,
      content,
      message_id: message ?? null,
      run_id: run ?? null,
      command,
      untrusted,
      waiting,
      answers: answers ?? null,
      ...(saidAt === undefined ? {} : { at: saidAt }),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The owner edited a draft: the session keeps the new text and its outcome. */
export async function moveSessionDraft(
  tx: Transaction,
  account: AccountId,
  { from, to, text }: { readonly from: ApprovalId; readonly to: ApprovalId; readonly text: string },
): Promise<void> {
  await tx
    .updateTable('session_messages')
    .set({ approval_id: to, content: text })
    .where('account_id', '=', account)
    .where('approval_id', '=', from)
    .execute();
}

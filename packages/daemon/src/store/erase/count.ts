// How much would go, by kind, before anything does. Asks by the same conditions as the erasure.
import type { ErasedCounts } from '@relay/core/api/retention';
import type { AccountId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { digestsOf, madeOf, messagesOf, questionsAbout } from './parts.ts';
import type { Whom } from './who.ts';

export async function countErased(
  db: Reader,
  account: AccountId,
  whom: Whom,
): Promise<ErasedCounts> {
  const contact = whom.kind === 'person' ? whom.contact : null;
  const ofChat = sql`chat_id = ${whom.chat}`;
  const either = sql`(${ofChat} OR contact_id = ${contact})`;
  const made = (text: RawBuilder<unknown>) =>
    sql`r.account_id = ${account} AND ${madeOf(whom, text)}`;
  const { rows } = await sql<ErasedCounts>`SELECT
    (SELECT count(*) FROM messages m WHERE m.account_id = ${account} AND (${messagesOf(whom)})) AS messages,
    (SELECT count(*) FROM outbox WHERE account_id = ${account} AND ${ofChat}) AS sent,
    (SELECT count(*) FROM instances WHERE account_id = ${account} AND ${either}) AS conversations,
    (SELECT count(*) FROM session_messages l JOIN sessions s ON s.account_id = l.account_id AND s.id = l.session_id
      WHERE l.account_id = ${account} AND ${either}) AS session_lines,
    (SELECT count(*) FROM schedules WHERE account_id = ${account} AND ${ofChat}) AS schedules,
    (SELECT count(*) FROM approvals a WHERE a.account_id = ${account} AND (${questionsAbout(whom)})) AS approvals,
    (SELECT count(*) FROM grants WHERE account_id = ${account} AND ${either}) AS grants,
    (SELECT count(*) FROM digests g WHERE g.account_id = ${account} AND (${digestsOf(whom)})) AS digests,
    (SELECT count(*) FROM session_messages l JOIN runs r ON r.id = l.run_id WHERE l.account_id = ${account}
      AND l.role <> 'user' AND ${made(sql`l.content`)}) AS assistant_answers,
    (SELECT count(*) FROM tool_calls t JOIN runs r ON r.id = t.run_id WHERE t.account_id = ${account}
      AND ${made(sql`concat_ws(' ', t.arguments, t.result, t.effect)`)}) AS tool_calls`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a count without a row');
  return row;
}

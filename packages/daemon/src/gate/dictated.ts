// Whether the owner dictated a message in the turn that sends it, looked up in what they really wrote.
import type { AccountId, RunId } from '@relay/core/ids';
import { isDictated } from '@relay/core/policy/dictated';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';
import { listPermitted } from '../store/permitted.ts';
import type { MessageToSend } from './proposals.ts';

const MOST_RECIPIENTS = 1_000;

export async function ownerDictated(
  tx: Transaction,
  account: AccountId,
  run: RunId,
  { chat, text }: MessageToSend,
  admins: readonly string[],
): Promise<boolean> {
  const { rows } = await sql<{ content: string }>`
    SELECT m.content FROM runs r
      JOIN sessions s ON s.account_id = r.account_id AND s.id = r.session_id
      JOIN session_messages m ON m.account_id = s.account_id AND m.session_id = s.id AND m.id = r.read_up_to
    WHERE r.account_id = ${account} AND r.id = ${run} AND s.kind = 'assistant'
      AND m.role = 'user' AND NOT m.untrusted`.execute(tx);
  const [question] = rows;
  if (question === undefined) return false;
  const permitted = await listPermitted(tx, account, admins, MOST_RECIPIENTS);
  const recipient = permitted.find((each) => each.chat === chat);
  return recipient !== undefined && isDictated(question.content, text, recipient, permitted);
}

// What came of the owner's message, into the ledger: in the transaction that decides it, as its last row. A
// line that was not heard on WhatsApp has no message to tell of.
import { type AnswerReason, answerRow } from '@relay/core/ledger/answers';
import type { LedgerDetail } from '@relay/core/ledger/detail';
import type { Transaction } from '../../store/database.ts';
import { appendLedger } from '../../store/ledger.ts';
import type { SessionLine, SessionRow } from '../../store/sessions.ts';

export async function note(
  tx: Transaction,
  { account_id, id: session, chat_id: chat }: SessionRow,
  { message_id: message }: SessionLine,
  reason: AnswerReason,
  detail: LedgerDetail = {},
): Promise<void> {
  if (message === null || chat === null) return;
  const actor = detail.run === undefined ? 'assistant' : `assistant:${detail.run}`;
  const row = { actor, message, reason, detail: { chat, session, ...detail } };
  await appendLedger(tx, account_id, answerRow(row));
}

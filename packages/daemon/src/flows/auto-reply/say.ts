// An answer goes to the gate: out, before the owner, or nowhere. Drafts that were still waiting were written
// before this one and without the contact's newest words, so this one takes their place.
import type { MessageId, RunId } from '@relay/core/ids';
import type { Circumstances } from '../../gate/consider.ts';
import { closeNotices } from '../../gate/notices.ts';
import { withdrawQuestions } from '../../gate/withdraw.ts';
import type { Work } from '../../jobs/work.ts';
import { Reconsider } from '../../jobs/work.ts';
import type { OpenSession } from './rows.ts';
import type { CameOf } from './settle.ts';
import type { AutoReplyWorld } from './work.ts';

const REPLACED = 'The contact wrote again, and the answer to that takes the place of this one.';

export interface Answer {
  /** The line of the session that holds it. */
  readonly answer: number;
  readonly text: string;
  readonly run: RunId;
  readonly late: boolean;
  readonly outside: boolean;
  /** The message that it answers. */
  readonly answers: MessageId;
}

export async function say(
  { gate, lease: { account } }: AutoReplyWorld,
  work: Work,
  { id: session, chat_id: chat }: OpenSession,
  { answer, text, run, late, outside, answers }: Answer,
): Promise<CameOf> {
  const asked = { requestedBy: `auto_reply:${chat}` };
  const replaced = await withdrawQuestions(work.tx, account, asked, REPLACED);
  const circumstances: Circumstances = {
    run,
    late,
    answers,
    taint: { chats: [chat], outside },
  };
  const { message, approval, decision } = await gate.submit(
    work.tx,
    { kind: 'auto_reply', chat },
    { kind: 'send_message', chat, text },
    circumstances,
  );
  // Held since a moment ago: nothing of this has happened, and the answer is parked.
  if (decision.reason === 'hold') throw new Reconsider('a hold began');
  await closeNotices(work.tx, { gate, account }, replaced, REPLACED);
  if (message !== null) work.told.push(() => gate.hint());
  await work.tx
    .updateTable('session_messages')
    .set({ outbox_id: message?.id ?? null, approval_id: approval })
    .where('account_id', '=', account)
    .where('session_id', '=', session)
    .where('id', '=', answer)
    .execute();
  if (message !== null) return { reason: 'replied', detail: { outbox: message.id } };
  if (approval !== null) return { reason: 'draft', detail: { approval } };
  return { reason: 'refused', detail: { refusal: decision.reason } };
}

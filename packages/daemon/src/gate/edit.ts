// Other words for what waits. The question ends and another stands in its place, with a hash of its own: nothing is
// sent by an edit, whatever would allow the new words, and no yes to the old ones is good for them.
import { isEditable } from '@relay/core/approvals/editable';
import { LIMITS } from '@relay/core/conversation/limits';
import { RelayError } from '@relay/core/errors';
import type { ApprovalId } from '@relay/core/ids';
import type { Transaction } from '../store/database.ts';
import { moveDraft } from '../store/sessions.ts';
import { actorNamed } from './actor-names.ts';
import {
  type ApprovalWorld,
  circumstancesOf,
  denied,
  OWNER,
  refuseAnswered,
  tell,
} from './answering.ts';
import { answerRow, lockQuestion } from './approval-rows.ts';
import { closeNotices } from './notices.ts';
import { type Askable, hashOf } from './proposals.ts';

/** Kept with the old question, for whoever still has its id. */
const ANSWER = 'You changed the words; what you made of them waits for a yes of its own.';

/** The question that waits from now on: the same one where nothing differs. */
export async function edit(
  { gate, lease }: ApprovalWorld,
  tx: Transaction,
  id: ApprovalId,
  text: string,
): Promise<ApprovalId> {
  const { account } = lease;
  const question = await lockQuestion(tx, account, id);
  const { row, proposal } = question;
  await refuseAnswered(tx, question);
  const edited = withText(proposal, row.requested_by, text);
  if (hashOf(edited) === row.intent_hash.toString('hex')) return id;
  const actor = actorNamed(row.requested_by, 'chat' in edited ? edited.chat : null);
  if (actor === null) throw denied('no_rule');

  const { approval: _, ...circumstances } = circumstancesOf(question);
  await answerRow(tx, account, id, 'rejected', ANSWER);
  const { approval: instead, decision } = await gate.submit(tx, actor, edited, {
    ...circumstances,
    edits: row.began_as ?? id,
  });
  if (instead === null) throw denied(decision.reason);
  await moveDraft(tx, account, { from: id, to: instead, text });
  await tell(lease, tx, row, 'rejected');
  await closeNotices(tx, { gate, account }, [id], ANSWER);
  await gate.submit(tx, OWNER, { kind: 'answer_approval', approval: id, answer: 'edit', instead });
  return instead;
}

function withText(proposal: Askable, requestedBy: string, text: string): Askable {
  const { kind } = proposal;
  if (!isEditable({ kind, requested_by: requestedBy })) {
    throw new RelayError('approval_fixed');
  }
  switch (proposal.kind) {
    case 'send_message':
    case 'schedule_message':
      return { ...proposal, text };
    case 'create_conversation':
      if (text.length > LIMITS.objective) {
        throw new RelayError('usage', {
          what: `An objective has ${LIMITS.objective} characters at most.`,
        });
      }
      return { ...proposal, request: { ...proposal.request, objective: text } };
    case 'cancel_schedule':
    case 'manage_grant':
      throw new RelayError('approval_fixed');
  }
}

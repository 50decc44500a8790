// The owner's answers. A yes is single-use and bound to the hash of what was shown: the proposal is decided
// anew with the yes as a fact, and carried out in the same transaction, byte for byte as it was shown.
import type { Approval } from '@relay/core/api/approvals';
import { RelayError } from '@relay/core/errors';
import type { ApprovalId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import type { ReasonCode } from '@relay/core/policy/reasons';
import type { ApprovalVerbs } from '@relay/core/ports/approvals';
import type { Transaction } from '../store/database.ts';
import { fenced } from '../store/fenced.ts';
import { actorNamed } from './actor-names.ts';
import {
  type ApprovalWorld,
  circumstancesOf,
  denied,
  OWNER,
  refuseAnswered,
  tell,
} from './answering.ts';
import { findApproval, listApprovals } from './approval-list.ts';
import { answerRow, lockQuestion, type Question } from './approval-rows.ts';
import type { AfterCommit } from './carry-out.ts';
import type { Circumstances } from './consider.ts';
import { edit } from './edit.ts';
import { hashOf } from './proposals.ts';

export function approvalVerbs(world: ApprovalWorld): ApprovalVerbs {
  const { db, lease, changed } = world;
  const shown = async (id: ApprovalId): Promise<Approval> => {
    const [approval] = await listApprovals(db, lease.account, { id });
    if (approval === undefined) throw new RelayError('approval_not_found', { id });
    return approval;
  };
  return {
    find: (given) => findApproval(db, lease.account, given),
    show: shown,
    list: (state, page) => listApprovals(db, lease.account, { state, ...page }),
    approve: async (id, hash) => {
      const done = await fenced(db, lease, (tx) => approve(world, tx, id, hash));
      changed();
      if (typeof done === 'string') throw denied(done);
      done();
      return shown(id);
    },
    reject: async (id, reason) => {
      const after = await fenced(db, lease, (tx) => reject(world, tx, id, reason));
      changed();
      after();
      return shown(id);
    },
    edit: async (id, text) => {
      const instead = await fenced(db, lease, (tx) => edit(world, tx, id, text));
      changed();
      world.gate.hint();
      return shown(instead);
    },
  };
}

/** What to do after the commit; or why not, which is committed too: a refusal stands in the ledger. */
async function approve(
  world: ApprovalWorld,
  tx: Transaction,
  id: ApprovalId,
  shown: string | undefined,
): Promise<AfterCommit | ReasonCode> {
  const { account } = world.lease;
  const question = await lockQuestion(tx, account, id);
  const { row, proposal } = question;
  await refuseAnswered(tx, question);
  if (shown !== undefined && shown !== row.intent_hash.toString('hex')) {
    throw new RelayError('approval_changed');
  }
  if (hashOf(proposal) !== row.intent_hash.toString('hex')) return 'approval_differs';
  const chat = 'chat' in proposal ? proposal.chat : null;
  const actor = actorNamed(row.requested_by, chat);
  if (actor === null) return 'no_rule';

  const circumstances = circumstancesOf(question);
  const { approval: _, ...without } = circumstances;
  await answerRow(tx, account, id, 'approved', null);
  const { outcome, reason } = await world.gate.ask(tx, actor, proposal, circumstances);
  if (outcome !== 'allow') {
    // The yes was not used, so the question stands.
    await answerRow(tx, account, id, 'pending', null);
    await world.gate.submit(tx, actor, proposal, without);
    return reason;
  }
  await world.gate.submit(tx, OWNER, { kind: 'answer_approval', approval: id, answer: 'approve' });
  await tell(world.lease, tx, row, 'approved');
  return carryOut(world, tx, question, actor, circumstances);
}

async function carryOut(
  { gate, carryOut }: ApprovalWorld,
  tx: Transaction,
  { row, proposal }: Question,
  actor: Actor,
  circumstances: Circumstances,
): Promise<AfterCommit> {
  const approval = row.id;
  if (proposal.kind === 'create_conversation') {
    return carryOut.createConversation(tx, { approval, actor, request: proposal.request });
  }
  if (proposal.kind === 'schedule_message') {
    return carryOut.scheduleMessage(tx, { approval, actor, run: row.run_id, schedule: proposal });
  }
  if (proposal.kind === 'cancel_schedule') {
    const { schedule } = proposal;
    return carryOut.cancelSchedule(tx, { approval, actor, run: row.run_id, schedule });
  }
  if (proposal.kind === 'send_message' && row.instance_id !== null) {
    const { chat, text, followUp = false } = proposal;
    const message = { approval, instance: row.instance_id, chat, text, followUp };
    return carryOut.sendInConversation(tx, message);
  }
  const { decision } = await gate.submit(tx, actor, proposal, circumstances);
  if (decision.outcome !== 'allow') throw denied(decision.reason);
  return () => gate.hint();
}

async function reject(
  world: ApprovalWorld,
  tx: Transaction,
  id: ApprovalId,
  reason: string | null,
): Promise<AfterCommit> {
  const { account } = world.lease;
  const question = await lockQuestion(tx, account, id);
  await refuseAnswered(tx, question);
  const { instance_id: instance } = question.row;
  await answerRow(tx, account, id, 'rejected', reason);
  const after = instance === null ? null : await world.carryOut.rejected(tx, instance, reason);
  await tell(world.lease, tx, question.row, 'rejected');
  await world.gate.submit(tx, OWNER, { kind: 'answer_approval', approval: id, answer: 'reject' });
  return after ?? (() => {});
}

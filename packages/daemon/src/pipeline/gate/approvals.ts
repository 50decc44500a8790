// The owner's answers to approvals. An approval is used once and is bound to the hash of what was shown: the gate
// decides the proposal again with the approval as a fact, and carries it out in the same transaction, byte for byte as
// shown.
import type { Approval, ApprovalService, ApprovalState } from '@relay/contract/api/approvals';
import { CONVERSATION_LIMITS } from '@relay/contract/api/constants';
import type { CreateInstanceRequest } from '@relay/contract/api/instances';
import { isTerminal } from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import type { ApprovalId, InstanceId, ScheduleId } from '@relay/contract/ids';
import { isApprovalEditable } from '@relay/core/approvals/approval-text';
import { hasText, withContent } from '@relay/core/messages/outgoing';
import type { Actor } from '@relay/core/policy/actors';
import { type ReasonCode, refusalError } from '@relay/core/policy/reasons';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { moveSessionDraft } from '../../platform/db/sessions.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import { parseActorName } from './actors.ts';
import {
  type ApprovalRow,
  findApproval,
  findReplacement,
  type LockedApproval,
  loadApprovals,
  lockApproval,
  setApprovalState,
} from './approval-store.ts';
import type { SubmitContext } from './evaluate.ts';
import type { EvaluatedProposal, Gate } from './gate.ts';
import { closeNotices } from './owner-notices.ts';
import { type ApprovableProposal, type MessageToSchedule, proposalHash } from './proposals.ts';

export function createApprovalService(deps: ApprovalDeps): ApprovalService {
  const { db, lease, onChange } = deps;
  const shown = async (id: ApprovalId): Promise<Approval> => {
    const [approval] = await loadApprovals(db, lease.account, { id });
    if (approval === undefined) throw new RelayError('approval_not_found', { id });
    return approval;
  };
  return {
    find: (given) => findApproval(db, lease.account, given),
    show: shown,
    list: (state, page) => loadApprovals(db, lease.account, { state, ...page }),
    approve: async (id, hash) => {
      const refusal = await transaction(deps, (work) => approve(deps, work, id, hash));
      onChange();
      if (refusal !== null) throw denialOf(refusal);
      return shown(id);
    },
    reject: async (id, reason) => {
      await transaction(deps, (work) => reject(deps, work, id, reason));
      onChange();
      return shown(id);
    },
    edit: async (id, text) => {
      const instead = await transaction(deps, ({ tx }) => editApproval(deps, tx, id, text));
      onChange();
      return shown(instead);
    },
  };
}

/** Null, or the reason for the refusal. A refusal is committed too, because it is in the ledger. */
async function approve(
  deps: ApprovalDeps,
  work: UnitOfWork,
  id: ApprovalId,
  shown: string | undefined,
): Promise<ReasonCode | null> {
  const { tx } = work;
  const { account } = deps.lease;
  const question = await lockApproval(tx, account, id);
  const { row, proposal } = question;
  await assertPending(tx, question);
  if (shown !== undefined && shown !== row.intent_hash.toString('hex')) {
    throw new RelayError('approval_changed');
  }
  if (proposalHash(proposal) !== row.intent_hash.toString('hex')) return 'approval_differs';
  const chat = 'chat' in proposal ? proposal.chat : null;
  const actor = parseActorName(row.requested_by, chat);
  if (actor === null) return 'no_rule';

  const { approval: _, ...asked } = submitContextOf(question);
  const { run, ...ofConversation } = asked;
  // A conversation's message belongs to the conversation, whichever run wrote it.
  const isOfConversation = row.instance_id !== null || proposal.kind === 'create_conversation';
  await setApprovalState(tx, account, id, 'approved', null);
  const evaluated = await deps.gate.evaluate(tx, actor, proposal, {
    ...(isOfConversation ? ofConversation : asked),
    approval: id,
  });
  const { outcome, reason } = evaluated.decision;
  if (outcome !== 'allow') {
    // The approval was not used, so it stays pending.
    await setApprovalState(tx, account, id, 'pending', null);
    await deps.gate.submit(tx, actor, proposal, asked);
    return reason;
  }
  await deps.gate.submit(tx, OWNER_ACTOR, {
    kind: 'answer_approval',
    approval: id,
    answer: 'approve',
  });
  await appendApprovalEvent(deps.lease, tx, row, 'approved');
  await carryOut(deps, work, question, actor, evaluated);
  return null;
}

async function carryOut(
  { actions }: ApprovalDeps,
  work: UnitOfWork,
  { row, proposal }: LockedApproval,
  actor: Actor,
  evaluated: EvaluatedProposal,
): Promise<void> {
  const approved = { approval: row.id, actor, evaluated };
  if (proposal.kind === 'create_conversation') {
    return actions.createConversation(work, { ...approved, request: proposal.request });
  }
  if (proposal.kind === 'schedule_message') {
    return actions.scheduleMessage(work, { ...approved, schedule: proposal });
  }
  if (proposal.kind === 'cancel_schedule') {
    return actions.cancelSchedule(work, { ...approved, schedule: proposal.schedule });
  }
  if (proposal.kind === 'send_message' && row.instance_id !== null) {
    const { followUp = false } = proposal;
    const text = withContent(proposal.text, proposal.content);
    return actions.sendInConversation(work, {
      ...approved,
      instance: row.instance_id,
      text,
      followUp,
    });
  }
  await evaluated.submit();
}

async function reject(
  deps: ApprovalDeps,
  work: UnitOfWork,
  id: ApprovalId,
  reason: string | null,
): Promise<void> {
  const { tx } = work;
  const { account } = deps.lease;
  const question = await lockApproval(tx, account, id);
  await assertPending(tx, question);
  const { instance_id: instance } = question.row;
  await setApprovalState(tx, account, id, 'rejected', reason);
  if (instance !== null) await deps.actions.onRejected(work, instance, reason);
  await appendApprovalEvent(deps.lease, tx, question.row, 'rejected');
  await deps.gate.submit(tx, OWNER_ACTOR, {
    kind: 'answer_approval',
    approval: id,
    answer: 'reject',
  });
}

// Shared by all answers: checks that the approval is pending, rebuilds the context it was submitted in, and notifies
// the streams.

interface ApprovalDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly gate: Gate;
  readonly actions: ApprovedActions;
  /** Called after a commit that changed something a stream shows. */
  readonly onChange: () => void;
}

const OWNER_ACTOR: Actor = { kind: 'owner' };

const denialOf = refusalError;

/** An answer to an edited approval does not apply to the approval that replaced it. */
async function assertPending(tx: Transaction, { row }: LockedApproval): Promise<void> {
  if (row.state === 'pending') return;
  if (row.state === 'rejected' && (await findReplacement(tx, row.account_id, row.id)) !== null) {
    throw new RelayError('approval_changed');
  }
  const code = row.state === 'expired' ? 'approval_expired' : 'approval_answered';
  throw new RelayError(code, { id: row.id, state: row.state });
}

/** Uses the conversation's current state: it may have ended since it asked. */
function submitContextOf({ row, instance }: LockedApproval): SubmitContext {
  const known = {
    approval: row.id,
    ...(row.run_id === null ? {} : { run: row.run_id }),
    ...(row.schedule_id === null ? {} : { schedule: row.schedule_id }),
  };
  if (instance === null) return known;
  return {
    ...known,
    conversation: {
      instance: instance.id,
      chat: instance.chat_id,
      contact: instance.contact_id,
      ended: isTerminal(instance.state),
      firstContactApproved: true,
    },
  };
}

const appendApprovalEvent = (
  lease: Lease,
  tx: Transaction,
  row: ApprovalRow,
  state: ApprovalState,
): Promise<void> =>
  appendEvent(tx, lease.account, {
    kind: 'approval',
    subject: row.id,
    data: { state, reason: row.reason, instance: row.instance_id },
  });

// Edits the text of a pending approval. The approval ends and a new one with its own hash replaces it: an edit never
// sends anything, even if the new text would be allowed, and an approval of the old text does not cover the new one.

/** Stored with the old approval, for callers that still have its id. */
const EDITED_ANSWER = 'You changed the text; the changed text needs a new approval.';

/** Returns the approval that is now pending: the same one if nothing differs. */
async function editApproval(
  { gate, lease }: ApprovalDeps,
  tx: Transaction,
  id: ApprovalId,
  text: string,
): Promise<ApprovalId> {
  const { account } = lease;
  const question = await lockApproval(tx, account, id);
  const { row, proposal } = question;
  await assertPending(tx, question);
  const edited = withText(proposal, row.requested_by, text);
  if (proposalHash(edited) === row.intent_hash.toString('hex')) return id;
  const actor = parseActorName(row.requested_by, 'chat' in edited ? edited.chat : null);
  if (actor === null) throw denialOf('no_rule');

  const { approval: _, ...context } = submitContextOf(question);
  await setApprovalState(tx, account, id, 'rejected', EDITED_ANSWER);
  const { approval: instead, decision } = await gate.submit(tx, actor, edited, {
    ...context,
    editOf: row.began_as ?? id,
  });
  if (instead === null) throw denialOf(decision.reason);
  await moveSessionDraft(tx, account, { from: id, to: instead, text });
  await appendApprovalEvent(lease, tx, row, 'rejected');
  await closeNotices(tx, { gate, account }, [id], EDITED_ANSWER);
  await gate.submit(tx, OWNER_ACTOR, {
    kind: 'answer_approval',
    approval: id,
    answer: 'edit',
    instead,
  });
  return instead;
}

function withText(
  proposal: ApprovableProposal,
  requestedBy: string,
  text: string,
): ApprovableProposal {
  const { kind } = proposal;
  if (!isApprovalEditable({ kind, requested_by: requestedBy })) {
    throw new RelayError('approval_fixed');
  }
  switch (proposal.kind) {
    case 'send_message':
    case 'schedule_message':
      if (!hasText(proposal.content)) throw new RelayError('approval_fixed');
      return { ...proposal, text };
    case 'create_conversation':
      if (text.length > CONVERSATION_LIMITS.objective) {
        throw new RelayError('usage', {
          what: `The objective must have at most ${CONVERSATION_LIMITS.objective} characters.`,
        });
      }
      return { ...proposal, request: { ...proposal.request, objective: text } };
    case 'cancel_schedule':
    case 'manage_grant':
      throw new RelayError('approval_fixed');
  }
}

// What the gate requires of the features that carry out approved proposals. The gate itself knows no feature. All of it
// runs in the transaction that records the approval.

interface ApprovedProposal {
  readonly approval: ApprovalId;
  /** Who asked for it. A schedule needs its creator's grant when it is due, unless the owner is the creator. */
  readonly actor: Actor;
  /** The approved proposal, allowed by the gate and ready to submit. */
  readonly evaluated: EvaluatedProposal;
}

export interface ApprovedMessage extends ApprovedProposal {
  readonly instance: InstanceId;
  /** As the transcript shows it. */
  readonly text: string;
  readonly followUp: boolean;
}

interface ApprovedConversation extends ApprovedProposal {
  readonly request: CreateInstanceRequest;
}

export interface ApprovedSchedule extends ApprovedProposal {
  readonly schedule: MessageToSchedule;
}

interface ApprovedCancellation extends ApprovedProposal {
  readonly schedule: ScheduleId;
}

export interface ApprovedConversationActions {
  /** Submits the message and advances the conversation. Its row is already locked. */
  sendInConversation(work: UnitOfWork, message: ApprovedMessage): Promise<void>;
  /** The owner declined: tells the conversation that asked, and why. */
  onRejected(work: UnitOfWork, instance: InstanceId, reason: string | null): Promise<void>;
  createConversation(work: UnitOfWork, conversation: ApprovedConversation): Promise<void>;
}

export interface ApprovedScheduleActions {
  /** Submits the schedule and stores it with the approval. */
  scheduleMessage(work: UnitOfWork, schedule: ApprovedSchedule): Promise<void>;
  cancelSchedule(work: UnitOfWork, cancellation: ApprovedCancellation): Promise<void>;
}

export type ApprovedActions = ApprovedConversationActions & ApprovedScheduleActions;

/** Runs when a hold ends: queues again, in the same transaction, the turns that were postponed. */
export type OnRelease = (work: UnitOfWork) => Promise<void>;

/** Runs the parts in order, in the same transaction. */
export const combineOnRelease =
  (...parts: readonly OnRelease[]): OnRelease =>
  async (work) => {
    for (const part of parts) await part(work);
  };

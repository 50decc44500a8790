// The owner's answers. A yes is single-use and bound to the hash of what was shown: the proposal is decided
// anew with the yes as a fact, and carried out in the same transaction, byte for byte as it was shown.
import type { Approval, ApprovalService, ApprovalState } from '@relay/core/api/approvals';
import { CONVERSATION_LIMITS } from '@relay/core/api/constants';
import type { CreateInstanceRequest } from '@relay/core/api/instances';
import { isApprovalEditable } from '@relay/core/approvals/approval-text';
import { isTerminal } from '@relay/core/conversation/states';
import { RelayError } from '@relay/core/errors';
import type { ApprovalId, ChatId, InstanceId, RunId, ScheduleId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { type ReasonCode, refusalError } from '@relay/core/policy/reasons';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { moveSessionDraft } from '../../platform/db/sessions.ts';
import { fenced } from '../../platform/db/transaction.ts';
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
import type { Gate } from './gate.ts';
import { closeNotices } from './owner-notices.ts';
import { type ApprovableProposal, type MessageToSchedule, proposalHash } from './proposals.ts';

export function createApprovalService(deps: ApprovalDeps): ApprovalService {
  const { db, lease, changed } = deps;
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
      const done = await fenced(db, lease, (tx) => approve(deps, tx, id, hash));
      changed();
      if (typeof done === 'string') throw denialOf(done);
      done();
      return shown(id);
    },
    reject: async (id, reason) => {
      const after = await fenced(db, lease, (tx) => reject(deps, tx, id, reason));
      changed();
      after();
      return shown(id);
    },
    edit: async (id, text) => {
      const instead = await fenced(db, lease, (tx) => editApproval(deps, tx, id, text));
      changed();
      deps.gate.hint();
      return shown(instead);
    },
  };
}

/** What to do after the commit; or why not, which is committed too: a refusal stands in the ledger. */
async function approve(
  deps: ApprovalDeps,
  tx: Transaction,
  id: ApprovalId,
  shown: string | undefined,
): Promise<AfterCommit | ReasonCode> {
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

  const circumstances = submitContextOf(question);
  const { approval: _, ...without } = circumstances;
  await setApprovalState(tx, account, id, 'approved', null);
  const { outcome, reason } = await deps.gate.ask(tx, actor, proposal, circumstances);
  if (outcome !== 'allow') {
    // The yes was not used, so the question stands.
    await setApprovalState(tx, account, id, 'pending', null);
    await deps.gate.submit(tx, actor, proposal, without);
    return reason;
  }
  await deps.gate.submit(tx, OWNER_ACTOR, {
    kind: 'answer_approval',
    approval: id,
    answer: 'approve',
  });
  await appendApprovalEvent(deps.lease, tx, row, 'approved');
  return carryOut(deps, tx, question, actor, circumstances);
}

async function carryOut(
  { gate, carryOut }: ApprovalDeps,
  tx: Transaction,
  { row, proposal }: LockedApproval,
  actor: Actor,
  circumstances: SubmitContext,
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
  if (decision.outcome !== 'allow') throw denialOf(decision.reason);
  return () => gate.hint();
}

async function reject(
  deps: ApprovalDeps,
  tx: Transaction,
  id: ApprovalId,
  reason: string | null,
): Promise<AfterCommit> {
  const { account } = deps.lease;
  const question = await lockApproval(tx, account, id);
  await assertPending(tx, question);
  const { instance_id: instance } = question.row;
  await setApprovalState(tx, account, id, 'rejected', reason);
  const after = instance === null ? null : await deps.carryOut.rejected(tx, instance, reason);
  await appendApprovalEvent(deps.lease, tx, question.row, 'rejected');
  await deps.gate.submit(tx, OWNER_ACTOR, {
    kind: 'answer_approval',
    approval: id,
    answer: 'reject',
  });
  return after ?? (() => {});
}

// What every answer of the owner has in common: whether the question still waits, the circumstances that it was asked
// in, and that the streams are told.

interface ApprovalDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly gate: Gate;
  readonly carryOut: ApprovedActions;
  /** After a commit that changed something a stream shows. */
  readonly changed: () => void;
}

const OWNER_ACTOR: Actor = { kind: 'owner' };

const denialOf = refusalError;

/** An answer to words that were changed meanwhile is none to those that took their place. */
async function assertPending(tx: Transaction, { row }: LockedApproval): Promise<void> {
  if (row.state === 'pending') return;
  if (row.state === 'rejected' && (await findReplacement(tx, row.account_id, row.id)) !== null) {
    throw new RelayError('approval_changed');
  }
  const code = row.state === 'expired' ? 'approval_expired' : 'approval_answered';
  throw new RelayError(code, { id: row.id, state: row.state });
}

/** The conversation as it stands now: it may have ended since it asked. */
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

// Other words for what waits. The question ends and another stands in its place, with a hash of its own: nothing is
// sent by an edit, whatever would allow the new words, and no yes to the old ones is good for them.

/** Kept with the old question, for whoever still has its id. */
const EDITED_ANSWER = 'You changed the words; what you made of them waits for a yes of its own.';

/** The question that waits from now on: the same one where nothing differs. */
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

  const { approval: _, ...circumstances } = submitContextOf(question);
  await setApprovalState(tx, account, id, 'rejected', EDITED_ANSWER);
  const { approval: instead, decision } = await gate.submit(tx, actor, edited, {
    ...circumstances,
    edits: row.began_as ?? id,
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
      return { ...proposal, text };
    case 'create_conversation':
      if (text.length > CONVERSATION_LIMITS.objective) {
        throw new RelayError('usage', {
          what: `An objective has ${CONVERSATION_LIMITS.objective} characters at most.`,
        });
      }
      return { ...proposal, request: { ...proposal.request, objective: text } };
    case 'cancel_schedule':
    case 'manage_grant':
      throw new RelayError('approval_fixed');
  }
}

// What becomes of an approved proposal is for the flow it belongs to; the gate knows no flow. This is what
// it asks of them, in the transaction in which the owner's yes is written.

export interface ApprovedMessage {
  readonly approval: ApprovalId;
  readonly instance: InstanceId;
  readonly chat: ChatId;
  /** To be submitted as it stands: the approval is good for these bytes alone. */
  readonly text: string;
  readonly followUp: boolean;
}

interface ApprovedConversation {
  readonly approval: ApprovalId;
  readonly actor: Actor;
  readonly request: CreateInstanceRequest;
}

export interface ApprovedSchedule {
  readonly approval: ApprovalId;
  /** Who asked for it: what they schedule needs its grant on the day, what the owner schedules does not. */
  readonly actor: Actor;
  readonly run: RunId | null;
  readonly schedule: MessageToSchedule;
}

interface ApprovedCancellation {
  readonly approval: ApprovalId;
  readonly actor: Actor;
  readonly run: RunId | null;
  readonly schedule: ScheduleId;
}

/** To be run once the transaction has committed. */
export type AfterCommit = () => void;

export interface ApprovedConversationActions {
  /**
   * Submits the message as its conversation, with `{ approval }` among the circumstances, and moves the
   * conversation on. Its row is locked already. A refusal is thrown, and undoes the yes.
   */
  sendInConversation(tx: Transaction, message: ApprovedMessage): Promise<AfterCommit>;
  /** The owner said no: the conversation that asked is told why. */
  rejected(tx: Transaction, instance: InstanceId, reason: string | null): Promise<AfterCommit>;
  createConversation(tx: Transaction, conversation: ApprovedConversation): Promise<AfterCommit>;
}

export interface ApprovedScheduleActions {
  /** Submits the schedule with `{ approval }` among the circumstances, and writes it down with the approval. */
  scheduleMessage(tx: Transaction, schedule: ApprovedSchedule): Promise<AfterCommit>;
  /** Cancels it, with `{ approval }` among the circumstances. */
  cancelSchedule(tx: Transaction, cancellation: ApprovedCancellation): Promise<AfterCommit>;
}

export type ApprovedActions = ApprovedConversationActions & ApprovedScheduleActions;

/** The hold is over: asks anew, in the transaction that ends it, for the turns that were put off. */
export type OnRelease = (tx: Transaction) => Promise<AfterCommit>;

/** One after the other, each in the same transaction. */
export const combineOnRelease =
  (...parts: readonly OnRelease[]): OnRelease =>
  async (tx) => {
    const after: AfterCommit[] = [];
    for (const part of parts) after.push(await part(tx));
    return () => {
      for (const each of after) each();
    };
  };

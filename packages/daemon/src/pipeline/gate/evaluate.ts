// Decides a proposal on facts read and locked in the transaction of the decision: about its chat, the grant it would
// change, the schedule it fulfils and the approval it comes with. Writes nothing.
import { randomUUID } from 'node:crypto';
import {
  type AccountId,
  type ApprovalId,
  type ChatId,
  type GrantId,
  grantId,
  type MessageId,
  type RunId,
  type ScheduleId,
} from '@relay/contract/ids';
import { type GrantChange, type GrantRecord, grantRecordChange } from '@relay/core/contacts/grants';
import { textInContent } from '@relay/core/messages/outgoing';
import { hiddenCharactersIn } from '@relay/core/messages/text';
import type { Actor } from '@relay/core/policy/actors';
import { decide } from '@relay/core/policy/decide';
import {
  type ApprovalFacts,
  BARE_FACTS,
  type ConversationFacts,
  isTainted,
  joinTaints,
  type PolicyFacts,
  type Taint,
} from '@relay/core/policy/facts';
import { type Decision, decisionFor, type ReasonCode } from '@relay/core/policy/reasons';
import type { Transaction } from '../../platform/db/database.ts';
import { taintOfToken } from '../../platform/db/tokens.ts';
import { actorName, refreshActor } from './actors.ts';
import { isApprovalAllowed, loadApprovalFacts } from './approval-store.ts';
import { type ContentFacts, loadContentFacts, NO_CONTENT } from './content-facts.ts';
import { lockGrantee } from './grant-store.ts';
import {
  type FactOptions,
  isDictatedByOwner,
  isScheduledBy,
  isSpokenByOwner,
  loadChatFacts,
  loadGroupAnswerFacts,
  loadScheduleFacts,
  quotesInstructions,
  quotesPersona,
  quotesPrivateWords,
} from './load-facts.ts';
import {
  contentOf,
  type GrantToChange,
  isApprovable,
  isChatProposal,
  type Proposal,
  proposalHash,
  toIntent,
  withWellFormedText,
} from './proposals.ts';

/** What the submitter knows about the proposal. */
export interface SubmitContext {
  /** The conversation that it belongs to. */
  readonly conversation?: ConversationFacts;
  /** Messages of the same turn that precede it and are not stored yet. */
  readonly earlierInTurn?: readonly string[];
  /** The owner's approval of it. */
  readonly approval?: ApprovalId;
  /**
   * The owner edited the text of a pending approval. This is the first approval of its chain of edits. The new text
   * needs an approval of its own and is never just sent.
   */
  readonly editOf?: ApprovalId;
  /** For a hold: the reason. */
  readonly reason?: string;
  /** What the run has read that others wrote. */
  readonly taint?: Taint;
  /** The owner must confirm everything that is sent from this source. */
  readonly needsConfirmation?: boolean;
  /** The owner's chat in which it came up; the approval is shown there. */
  readonly noticeChat?: ChatId;
  /** The person at the client is asked for the confirmation, so no approval is created for it. */
  readonly confirmsAtClient?: boolean;
  /** It answers a message so old that the owner has to look at it first. */
  readonly isLate?: boolean;
  /** The schedule that it fulfils. The gate reads its content itself. */
  readonly schedule?: ScheduleId;
  /** The model run that it comes from. */
  readonly run?: RunId;
  /** The received message that it answers. */
  readonly answersMessage?: MessageId;
  /** If a number is not known to be registered, the submitter asks WhatsApp first: see `Gate.withNumberCheck`. */
  readonly checksNumber?: boolean;
}

/** Rolls back the transaction: ask WhatsApp about this number, then decide again. */
export class UncheckedNumberError extends Error {
  readonly address: string;

  constructor(address: string) {
    super('the number was not checked');
    this.address = address;
  }
}

export interface EvaluateOptions extends FactOptions {
  readonly account: AccountId;
  /** The owner's instructions for all agents; as private as a conversation's objective. */
  readonly instructions?: string | null;
}

/** The effect of a change on the current grant. */
interface GrantRecordChange {
  readonly id: GrantId;
  readonly change: GrantChange;
  readonly before: GrantRecord | null;
  readonly after: GrantRecord | null;
}

export interface Evaluation {
  readonly decision: Decision;
  readonly firstContact: boolean;
  /** The existing grant, whether or not it allows this. */
  readonly grant: GrantId | null;
  readonly change: GrantRecordChange | null;
  /** It answers the owner in an observed group. */
  readonly answersInGroup: boolean;
  /** What the actor has read that others wrote. */
  readonly taint: Taint;
}

type ProposalKnowledge = Omit<Evaluation, 'decision' | 'answersInGroup' | 'taint'> & {
  readonly facts: PolicyFacts;
  readonly uncheckedNumber: string | null;
};

export async function evaluate(
  tx: Transaction,
  options: EvaluateOptions,
  given: Actor,
  proposal: Proposal,
  context: SubmitContext,
): Promise<Evaluation> {
  const { account } = options;
  const { approval, needsConfirmation = false, isLate = false } = context;
  const known = await loadProposalFacts(tx, options, proposal, context);
  const { facts: found, uncheckedNumber, ...rest } = known;
  const readBefore = await taintOf(tx, account, given, context);
  let taint = readBefore;
  const refused = (reason: ReasonCode): Evaluation => ({
    ...rest,
    answersInGroup: false,
    taint,
    decision: decisionFor(reason),
  });

  const actor = await refreshActor(tx, account, given);
  if (actor === null) return refused('token_gone');
  const approved = approval === undefined ? null : await loadApprovalFacts(tx, account, approval);
  const spoilt = approval === undefined ? null : approvalFault(approved, proposal);
  if (spoilt !== null) return refused(spoilt);
  if (proposal.kind === 'manage_grant' && known.change === null) return refused('unknown_contact');
  if (!isStorable(proposal)) return refused('unsendable');
  const text = proposalText(proposal);
  const ofContent = await loadProposalContent(tx, options, actor, proposal);
  if (ofContent.fault !== null) return refused(ofContent.fault);
  taint = joinTaints(readBefore, ofContent.taint);

  const { isAskedByOwner, withinCadence } = await loadGroupAnswerFacts(
    tx,
    { account, actor, chat: found.chat, seq: null },
    options,
  );
  const facts: PolicyFacts = {
    ...found,
    isAskedByOwner,
    withinCadence,
    approval: approved,
    taint,
    needsConfirmation,
    isLate,
    schedule: await loadActiveSchedule(tx, account, context),
    hasHiddenCharacters: hiddenCharactersIn(text).length > 0,
    quotesPrivate: await quotesPrivateText(tx, options, actor, proposal, {
      ...context,
      isAskedByOwner,
    }),
    isDictated: await isDictatedMessage(tx, options, actor, proposal, taint),
    isSpoken: actor.kind === 'assistant' && (await isSpokenByOwner(tx, account, actor.run)),
  };
  const intent = toIntent(proposal, {
    firstContact: known.firstContact,
    change: known.change?.change ?? 'widen',
    own:
      proposal.kind === 'cancel_schedule' &&
      (await isScheduledBy(tx, account, proposal.schedule, actorName(actor))),
  });
  const decision = finalDecision(decide(actor, intent, facts), approved !== null, context);
  // A schedule sends nothing before its time, so its number is not checked now.
  const writes = proposal.kind === 'send_message' || proposal.kind === 'create_conversation';
  const checks = context.checksNumber === true && writes && decision.outcome !== 'deny';
  if (checks && uncheckedNumber !== null) throw new UncheckedNumberError(uncheckedNumber);
  if (isApprovable(proposal) && addsApproval(decision, context)) {
    if (!(await isApprovalAllowed(tx, account, actor, proposal)))
      return refused('too_many_waiting');
  }
  return { ...rest, answersInGroup: isAskedByOwner, taint, decision };
}

/** An edit replaces the approval that it edits. */
const addsApproval = (
  { outcome, reason }: Decision,
  { editOf, confirmsAtClient = false }: SubmitContext,
): boolean =>
  outcome === 'needs_approval' &&
  editOf === undefined &&
  !(confirmsAtClient && reason === 'confirm');

/**
 * Refusals that pass with time: the owner may edit the text meanwhile, and the approval is decided when it is given.
 */
const PASSING_REFUSALS: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'hold',
  'time_locked',
  'first_contact_cap',
]);

function finalDecision(decision: Decision, brought: boolean, { editOf }: SubmitContext): Decision {
  const { outcome, reason } = decision;
  // A valid approval is recorded as the reason, whatever else would have allowed it.
  if (brought && outcome === 'allow') return decisionFor('approved');
  const isOpen = outcome === 'allow' || PASSING_REFUSALS.has(reason);
  return editOf !== undefined && isOpen ? decisionFor('edited') : decision;
}

/** A run reports what it has read. For a client it is looked up and not taken from the request. */
const taintOf = async (
  tx: Transaction,
  account: AccountId,
  actor: Actor,
  { taint = BARE_FACTS.taint }: SubmitContext,
): Promise<Taint> => (actor.kind === 'token' ? taintOfToken(tx, account, actor.token) : taint);

async function loadProposalFacts(
  tx: Transaction,
  options: EvaluateOptions,
  proposal: Proposal,
  { conversation, earlierInTurn = [] }: SubmitContext,
): Promise<ProposalKnowledge> {
  if (isChatProposal(proposal)) {
    const { account } = options;
    const known = await loadChatFacts(tx, account, proposal.chat, conversation ?? null, options);
    // If earlier messages of the same turn precede it, the first of those is the first contact.
    const firstContact = known.firstContact && earlierInTurn.length === 0;
    return { ...known, firstContact, change: null };
  }
  const change =
    proposal.kind === 'manage_grant'
      ? await planGrantChange(tx, options.account, withWellFormedText(proposal))
      : null;
  const grant = change?.before == null ? null : change.id;
  return { facts: BARE_FACTS, firstContact: false, grant, change, uncheckedNumber: null };
}

/** Null if there is no such contact or group. */
async function planGrantChange(
  tx: Transaction,
  account: AccountId,
  { of, displayName, grant, options }: GrantToChange,
): Promise<GrantRecordChange | null> {
  const grantee = await lockGrantee(tx, account, of);
  if (grantee === null) return null;
  const { held } = grantee;
  const after = grant && {
    grant,
    displayName: displayName ?? held?.displayName ?? null,
    options: options ?? held?.options ?? {},
  };
  const id = held?.id ?? grantId(randomUUID());
  return { id, change: grantRecordChange(held, after), before: held, after };
}

async function loadActiveSchedule(
  tx: Transaction,
  account: AccountId,
  { schedule }: SubmitContext,
): Promise<PolicyFacts['schedule']> {
  if (schedule === undefined) return null;
  const known = (await loadScheduleFacts(tx, account, [schedule])).get(schedule);
  return known === undefined || known.isCancelled ? null : known;
}

/** The database stores no NUL: the caller would get an error instead of a decision. */
function isStorable(proposal: Proposal): boolean {
  const content = contentOf(proposal);
  // Its hash is made of JSON, which writes half a character differently from the message.
  if (content !== null && !textInContent(content).isWellFormed()) return false;
  return !proposalText(proposal).includes('\0');
}

async function loadProposalContent(
  tx: Transaction,
  { account, admins = [], now = () => new Date() }: EvaluateOptions,
  actor: Actor,
  proposal: Proposal,
): Promise<ContentFacts> {
  if (!isChatProposal(proposal)) return NO_CONTENT;
  const asked = { actor, chat: proposal.chat, content: contentOf(proposal) };
  const [facts] = await loadContentFacts(tx, { account, admins, now: now() }, [asked]);
  return facts ?? NO_CONTENT;
}

function proposalText(proposal: Proposal): string {
  const content = contentOf(proposal);
  if ('text' in proposal) {
    return content === null ? proposal.text : `${proposal.text}\n${textInContent(content)}`;
  }
  if (proposal.kind === 'create_conversation') return proposal.request.objective;
  if (proposal.kind !== 'manage_grant') return '';
  const { displayName, options = {} } = proposal;
  return [displayName, options.persona, options.model].join('');
}

async function quotesPrivateText(
  tx: Transaction,
  { account, instructions = null }: EvaluateOptions,
  actor: Actor,
  proposal: Proposal,
  { earlierInTurn = [], isAskedByOwner }: SubmitContext & Pick<PolicyFacts, 'isAskedByOwner'>,
): Promise<boolean> {
  if (proposal.kind !== 'send_message') return false;
  const text = proposalText(proposal);
  // Everybody in the group sees the assistant's answer.
  if (actor.kind === 'assistant' && isAskedByOwner) {
    return quotesInstructions(tx, text, { account, chat: proposal.chat, instructions });
  }
  if (actor.kind === 'auto_reply') {
    return quotesPersona(tx, text, { account, chat: actor.chat, instructions });
  }
  if (actor.kind !== 'conversation') return false;
  const { instance } = actor;
  return quotesPrivateWords(tx, text, { account, instance, instructions, earlierInTurn });
}

/** Looked up only for a run that has read what others wrote. */
async function isDictatedMessage(
  tx: Transaction,
  { account, admins = [] }: EvaluateOptions,
  actor: Actor,
  proposal: Proposal,
  taint: Taint,
): Promise<boolean> {
  if (actor.kind !== 'assistant' || proposal.kind !== 'send_message') return false;
  // The owner's words can contain a text, not a file.
  if (!isTainted(taint) || contentOf(proposal) !== null) return false;
  return isDictatedByOwner(tx, account, actor.run, proposal, admins);
}

/** An approval that is passed in must match the proposal, whatever else would allow it. */
function approvalFault(approved: ApprovalFacts | null, proposal: Proposal) {
  if (approved === null || !isApprovable(proposal)) return 'approval_differs';
  if (approved.hash !== proposalHash(proposal)) return 'approval_differs';
  return approved.spent ? 'approval_spent' : null;
}

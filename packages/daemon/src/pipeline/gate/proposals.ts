// Proposals to the gate, with their text. The policy sees only the hash of what the owner would be shown, so that an
// approval covers exactly this proposal; the text itself stays here.

import type { CatchUp } from '@relay/contract/api/constants';
import type { CreateInstanceRequest } from '@relay/contract/api/instances';
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import type { GrantOptions } from '@relay/contract/contacts/grant-options';
import type { ApprovalId, ChatId, MessageId, ScheduleId } from '@relay/contract/ids';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import type { Grant, GrantChange } from '@relay/core/contacts/grants';
import type { Intent, ManageGrant } from '@relay/core/policy/intents';
import { contentHash, intentHash } from '../../platform/db/seal.ts';

export interface MessageToSend {
  readonly kind: 'send_message';
  readonly chat: ChatId;
  readonly text: string;
  /** The message of this chat that it replies to. */
  readonly quotes?: MessageId;
  /** What it is besides text; absent: plain text. */
  readonly content?: OutgoingContent;
  /** The sender's idempotency key; look it up before submitting. */
  readonly key?: string;
  /** Not sent if the contact has written meanwhile. */
  readonly followUp?: boolean;
}

interface ConversationToCreate {
  readonly kind: 'create_conversation';
  readonly chat: ChatId;
  readonly request: CreateInstanceRequest;
}

export interface MessageToSchedule {
  readonly kind: 'schedule_message';
  readonly chat: ChatId;
  readonly text: string;
  readonly content?: OutgoingContent;
  readonly rule: ScheduleRule;
  readonly zone: string;
  readonly catchUp: CatchUp;
}

export interface ScheduleToCancel {
  readonly kind: 'cancel_schedule';
  readonly schedule: ScheduleId;
  /** The scheduled message that would be cancelled, as shown to the owner. */
  readonly chat: ChatId;
  readonly text: string;
  readonly content?: OutgoingContent;
  readonly rule: ScheduleRule;
  readonly zone: string;
}

export type Grantee = ManageGrant['of'];

/** The complete new record, not a difference. */
export interface GrantToChange {
  readonly kind: 'manage_grant';
  readonly of: Grantee;
  /** The owner's name for the contact or group. Null keeps the present one. */
  readonly displayName: string | null;
  /** Null removes the record. */
  readonly grant: Grant | null;
  /** Left out, they stay as they are. */
  readonly options?: GrantOptions;
}

interface HoldToSet {
  readonly kind: 'set_hold';
  readonly on: boolean;
}

export interface ApprovalToAnswer {
  readonly kind: 'answer_approval';
  readonly approval: ApprovalId;
  readonly answer: 'approve' | 'reject' | 'edit';
  /** For an edit: the approval that replaces it. */
  readonly instead?: ApprovalId;
}

type ChatProposal = MessageToSend | ConversationToCreate | MessageToSchedule;
/** Proposals that can become an approval. */
export type ApprovableProposal = ChatProposal | ScheduleToCancel | GrantToChange;
export type Proposal = ApprovableProposal | HoldToSet | ApprovalToAnswer;

export const isApprovable = (proposal: Proposal): proposal is ApprovableProposal =>
  isChatProposal(proposal) ||
  proposal.kind === 'cancel_schedule' ||
  proposal.kind === 'manage_grant';

export const isChatProposal = (proposal: Proposal): proposal is ChatProposal =>
  proposal.kind === 'send_message' ||
  proposal.kind === 'create_conversation' ||
  proposal.kind === 'schedule_message';

/** What it would send besides text; null for text, and for what sends nothing. */
export const contentOf = (proposal: Proposal): OutgoingContent | null =>
  ('content' in proposal ? proposal.content : undefined) ?? null;

/** PostgreSQL's JSON cannot hold a lone surrogate, and neither can the message. */
export const withWellFormedText = <P extends ApprovableProposal>(proposal: P): P =>
  JSON.parse(
    JSON.stringify(proposal, (_key, part: unknown) =>
      typeof part === 'string' ? part.toWellFormed() : part,
    ),
  );

/** Covers everything that the owner would be shown: the recipient and the content. */
export const proposalHash = (proposal: ApprovableProposal): string =>
  proposal.kind === 'send_message'
    ? contentHash(proposal)
    : intentHash(withWellFormedText(proposal));

/** Facts that the gate found out for the policy. */
interface ProposalFacts {
  readonly firstContact: boolean;
  readonly change: GrantChange;
  /** The actor created the schedule. */
  readonly own: boolean;
}

export function toIntent(proposal: Proposal, { firstContact, change, own }: ProposalFacts): Intent {
  switch (proposal.kind) {
    case 'send_message':
    case 'create_conversation':
    case 'schedule_message':
      return {
        kind: proposal.kind,
        chat: proposal.chat,
        hash: proposalHash(proposal),
        firstContact,
      };
    case 'cancel_schedule':
      return { kind: proposal.kind, own, hash: proposalHash(proposal) };
    case 'manage_grant':
      return { kind: 'manage_grant', of: proposal.of, change, hash: proposalHash(proposal) };
    case 'set_hold':
      return { kind: 'set_hold', on: proposal.on };
    case 'answer_approval':
      return { kind: 'answer_approval', approval: proposal.approval };
  }
}

/** The subject of the decision in the ledger. */
export function ledgerSubjectOf(proposal: Proposal): {
  readonly kind: string;
  readonly id: string;
} {
  switch (proposal.kind) {
    case 'send_message':
    case 'create_conversation':
    case 'schedule_message':
      return { kind: 'chat', id: proposal.chat };
    case 'cancel_schedule':
      return { kind: 'schedule', id: proposal.schedule };
    case 'manage_grant':
      return proposal.of.kind === 'contact'
        ? { kind: 'contact', id: proposal.of.contact }
        : { kind: 'chat', id: proposal.of.chat };
    case 'set_hold':
      return { kind: 'hold', id: proposal.on ? 'on' : 'off' };
    case 'answer_approval':
      return { kind: 'approval', id: proposal.approval };
  }
}

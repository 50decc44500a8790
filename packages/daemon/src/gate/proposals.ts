// What is asked of the gate, with its words. The policy decides on the hash of what a person would be
// shown, so that a yes is good for exactly this; the words themselves stay here.
import { createHash } from 'node:crypto';
import type { CreateInstanceRequest } from '@relay/core/api/instances';
import type { ApprovalId, ChatId } from '@relay/core/ids';
import type { Intent } from '@relay/core/policy/intents';
import { contentHash } from './content-hash.ts';

export interface MessageToSend {
  readonly kind: 'send_message';
  readonly chat: ChatId;
  readonly text: string;
  /** The sender's own name for it; to be looked up before it is submitted. */
  readonly key?: string;
  /** Not sent when the contact has written meanwhile. */
  readonly followUp?: boolean;
}

export interface ConversationToCreate {
  readonly kind: 'create_conversation';
  readonly chat: ChatId;
  readonly request: CreateInstanceRequest;
}

export interface HoldToSet {
  readonly kind: 'set_hold';
  readonly on: boolean;
}

export interface ApprovalToAnswer {
  readonly kind: 'answer_approval';
  readonly approval: ApprovalId;
  readonly answer: 'approve' | 'reject';
}

/** What can wait for a person. */
export type Askable = MessageToSend | ConversationToCreate;
export type Proposal = Askable | HoldToSet | ApprovalToAnswer;

export const isAskable = (proposal: Proposal): proposal is Askable =>
  proposal.kind === 'send_message' || proposal.kind === 'create_conversation';

/** Of all that a person would be shown: the recipient and the content. */
export function hashOf(proposal: Askable): string {
  if (proposal.kind === 'send_message') return contentHash(proposal);
  return createHash('sha256')
    .update(`${proposal.kind}\n${proposal.chat}\n${canonical(proposal.request)}`)
    .digest('hex');
}

/** The same whatever order its keys come in: the database keeps none. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

export function intentOf(proposal: Proposal, firstContact: boolean): Intent {
  switch (proposal.kind) {
    case 'send_message':
    case 'create_conversation':
      return { kind: proposal.kind, chat: proposal.chat, hash: hashOf(proposal), firstContact };
    case 'set_hold':
      return { kind: 'set_hold', on: proposal.on };
    case 'answer_approval':
      return { kind: 'answer_approval', approval: proposal.approval };
  }
}

/** What the ledger names the decision by, and the figures it keeps. */
export function subjectOf(proposal: Proposal): { readonly kind: string; readonly id: string } {
  switch (proposal.kind) {
    case 'send_message':
    case 'create_conversation':
      return { kind: 'chat', id: proposal.chat };
    case 'set_hold':
      return { kind: 'hold', id: proposal.on ? 'on' : 'off' };
    case 'answer_approval':
      return { kind: 'approval', id: proposal.approval };
  }
}

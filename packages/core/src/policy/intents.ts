// The intents that can be submitted to the gate: everything with an effect outside. An intent names its target by id
// and carries the hash of all that a person would be shown, recipient and content, so that an approval is valid for
// exactly this.

import type { ApprovalId, ChatId, ContactId } from '@relay/contract/ids';
import type { GrantChange } from '../contacts/grants.ts';

interface InChat {
  readonly chat: ChatId;
  readonly hash: string;
}

interface Opening extends InChat {
  /** Whether this account has never written to the chat. */
  readonly firstContact: boolean;
}

export interface SendMessage extends Opening {
  readonly kind: 'send_message';
}

interface React extends InChat {
  readonly kind: 'react';
}

/** A read mark is sent and is visible to the other side. */
interface MarkRead extends InChat {
  readonly kind: 'mark_read';
}

interface ScheduleMessage extends Opening {
  readonly kind: 'schedule_message';
}

interface CreateConversation extends Opening {
  readonly kind: 'create_conversation';
}

export interface ManageGrant {
  readonly kind: 'manage_grant';
  readonly of:
    | { readonly kind: 'contact'; readonly contact: ContactId }
    | { readonly kind: 'group'; readonly chat: ChatId };
  readonly change: GrantChange;
  readonly hash: string;
}

/** Ends a schedule. */
interface CancelSchedule {
  readonly kind: 'cancel_schedule';
  /** Whether the same actor scheduled it. */
  readonly own: boolean;
  readonly hash: string;
}

interface SetHold {
  readonly kind: 'set_hold';
  readonly on: boolean;
}

interface AnswerApproval {
  readonly kind: 'answer_approval';
  readonly approval: ApprovalId;
}

/** Sent to WhatsApp as soon as it is permitted. */
export type SendingIntent = SendMessage | React | MarkRead;
export type ChatIntent = SendingIntent | ScheduleMessage | CreateConversation;
export type Intent = ChatIntent | ManageGrant | CancelSchedule | SetHold | AnswerApproval;

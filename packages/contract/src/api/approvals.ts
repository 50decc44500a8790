// What waits for the owner's yes, with exactly what they are asked about: the recipient and the words, or
// what a grant would allow.
import { z } from 'zod';
import type { ApprovalId } from '../ids.ts';
import { boundedText } from './common.ts';
import { CONVERSATION_LIMITS } from './constants.ts';
import { ledgerLineSchema } from './ledger.ts';
import type { Hold } from './sending.ts';
import { bufferedMessageSchema } from './whatsapp.ts';

export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export const approvalSchema = z.object({
  id: z.string(),
  state: z.enum(APPROVAL_STATES),
  kind: z.enum([
    'send_message',
    'create_conversation',
    'schedule_message',
    'cancel_schedule',
    'manage_grant',
  ]),
  /** Where it would go, or whom it is about: a number, or an address as WhatsApp has it. */
  recipient: z.string().nullable(),
  recipient_name: z.string().nullable(),
  /** Of whatever is for a chat: Relay's id of it. */
  chat_id: z.string().nullable(),
  /** The words as they would be sent; of a conversation, its objective; of a grant, what it would allow. */
  text: z.string(),
  /** What in the text cannot be seen or changes its direction, as in U+202E. */
  hidden_characters: z.array(z.string()),
  /** Of a scheduled message: when it would be sent. */
  when: z.string().nullable(),
  /** The hash of recipient and content together: a yes that brings it is good for nothing else. */
  shown: z.string(),
  /** Why it waits, and the reason as the ledger has it. */
  reason: z.string(),
  reason_code: z.string(),
  requested_by: z.string(),
  /** Of a program: what the owner calls it. */
  requested_by_name: z.string().nullable(),
  instance_id: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
  decided_at: z.string().nullable(),
  /** Why it was rejected, if that was said. */
  answer: z.string().nullable(),
  /** Of one whose words were changed: the approval that waits, or was answered, in its place. */
  replaced_by: z.string().nullable(),
});
export type Approval = z.infer<typeof approvalSchema>;

/** With what led to it. */
export const approvalDetailSchema = approvalSchema.extend({
  /** The last lines of its chat, the oldest first; none that were written after it was answered. */
  said: z.array(bufferedMessageSchema),
  /** What the ledger says of it, the oldest first: that it was asked, and what became of it. */
  rows: z.array(ledgerLineSchema),
});
export type ApprovalDetail = z.infer<typeof approvalDetailSchema>;

export const listApprovalsSchema = z.strictObject({
  state: z.enum(APPROVAL_STATES).default('pending'),
  limit: z.coerce.number().int().min(1).max(200).default(200),
  /** The id of the last approval of the page before. */
  after: z.guid().optional(),
});

export const approveApprovalSchema = z.strictObject({
  /** What the owner was shown, as `shown` has it: refused if it is no longer what waits. */
  shown: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'Give the hash that the approval came with')
    .optional(),
});
export const editApprovalSchema = z.strictObject({
  text: boundedText(CONVERSATION_LIMITS.message),
});
export const rejectApprovalSchema = z.strictObject({
  reason: z.string().trim().max(500).optional(),
});

// The owner's answers to what waits for them, and the hold, as routes and commands call them. Implemented
// by composition from the gate; every refusal is a RelayError from the one table.

export interface ApprovalsPage {
  readonly limit: number;
  /** The id of the last one of the page before. */
  readonly after?: string | undefined;
}

export interface ApprovalService {
  /** Which is meant by an id or the beginning of one. */
  find(given: string): Promise<ApprovalId>;
  show(id: ApprovalId): Promise<Approval>;
  /** Of those that wait the oldest first, else the newest. */
  list(state: ApprovalState, page?: ApprovalsPage): Promise<readonly Approval[]>;
  /** Sends exactly what was shown, once; given its hash, it is refused for anything else. */
  approve(id: ApprovalId, shown?: string): Promise<Approval>;
  /** Other words: the question ends, and another waits in its place, which is the answer. Nothing is sent. */
  edit(id: ApprovalId, text: string): Promise<Approval>;
  reject(id: ApprovalId, reason: string | null): Promise<Approval>;
}

export interface HoldService {
  hold(reason: string): Promise<Hold>;
  release(): Promise<Hold>;
}

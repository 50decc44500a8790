// Schemas and service of approvals. An approval contains exactly what the owner decides on: recipient and text, or what
// a grant would allow.
import { z } from 'zod';
import type { ApprovalId } from '../ids.ts';
import { boundedText } from './common.ts';
import { CONVERSATION_LIMITS } from './constants.ts';
import { ledgerLineSchema } from './ledger.ts';
import { SENDABLE_KINDS } from './media.ts';
import type { Hold } from './sending.ts';
import { bufferedMessageSchema } from './whatsapp.ts';

export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** What makes WhatsApp restrict an account. */
export const SEND_RISKS = [
  'time_locked',
  'not_registered',
  'first_contact',
  'no_message_from_them',
  'registration_unknown',
  'many_cold_messages',
  'new_link',
] as const;
export type SendRiskCode = (typeof SEND_RISKS)[number];

export const sendRiskSchema = z.object({
  code: z.enum(SEND_RISKS),
  /** The risk in English. */
  sentence: z.string(),
  /** The figures in the sentence: `cold` of `sent` messages, or `days` since the link. */
  values: z.record(z.string(), z.number()),
});
export type SendRisk = z.infer<typeof sendRiskSchema>;

const approvalMediaSchema = z.object({
  id: z.guid(),
  /** What it would be sent as. */
  kind: z.enum(SENDABLE_KINDS),
  mimetype: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  file_name: z.string().nullable(),
});

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
  /** The recipient or the person concerned: a number, or an address as WhatsApp writes it. */
  recipient: z.string().nullable(),
  recipient_name: z.string().nullable(),
  /** Relay's id of the chat, if the approval is for one. */
  chat_id: z.string().nullable(),
  /** The text as it would be sent; for a conversation its objective, for a grant what it would allow. */
  text: z.string(),
  /** What would be sent besides the text, in words: `Photo “cat.jpg” (image/jpeg, 212 KB)`, or a whole poll. */
  content: z.string().exactOptional(),
  /** The file that would be sent: `GET /api/media/:id` has its bytes, with exactly this hash. */
  media: approvalMediaSchema.exactOptional(),
  /** The message that it would react to, edit or delete. */
  target: z
    .object({ message_id: z.string(), from_me: z.boolean(), text: z.string() })
    .exactOptional(),
  /** Characters in the text that are invisible or change its direction, such as U+202E. */
  hidden_characters: z.array(z.string()),
  /** For a scheduled message: when it would be sent. */
  when: z.string().nullable(),
  /** The hash of recipient and content. An approval that carries it is valid for nothing else. */
  shown: z.string(),
  /** Why it is pending, and the reason code in the ledger. */
  reason: z.string(),
  reason_code: z.string(),
  /** The transcript of the owner's voice message that led to this. */
  spoken: z.string().exactOptional(),
  /** The risks of the message for the account, the worst first; none once it was decided. */
  risks: z.array(sendRiskSchema),
  requested_by: z.string(),
  /** For a client: the name that the owner gave it. */
  requested_by_name: z.string().nullable(),
  instance_id: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
  decided_at: z.string().nullable(),
  /** Why it was declined, if the owner said so. */
  answer: z.string().nullable(),
  /** If the text was edited: the approval that replaces this one. */
  replaced_by: z.string().nullable(),
});
export type Approval = z.infer<typeof approvalSchema>;

/** An approval with what led to it. */
export const approvalDetailSchema = approvalSchema.extend({
  /** The last messages of its chat, oldest first; none that were written after the decision. */
  said: z.array(bufferedMessageSchema),
  /** The ledger's rows about it, oldest first: the request and its outcome. */
  rows: z.array(ledgerLineSchema),
});
export type ApprovalDetail = z.infer<typeof approvalDetailSchema>;

export const listApprovalsSchema = z.strictObject({
  state: z.enum(APPROVAL_STATES).default('pending'),
  limit: z.coerce.number().int().min(1).max(200).default(200),
  /** The id of the last approval on the previous page. */
  after: z.guid().optional(),
});

export const approveApprovalSchema = z.strictObject({
  /** The hash `shown` of what the owner saw: refused if the pending approval has changed. */
  shown: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'Must be the hash of the approval')
    .optional(),
});
export const editApprovalSchema = z.strictObject({
  text: boundedText(CONVERSATION_LIMITS.message),
});
export const rejectApprovalSchema = z.strictObject({
  reason: z.string().trim().max(500).optional(),
});

// The approvals service and the hold, as routes and commands call them. The daemon builds it from the gate; every
// refusal is a RelayError.

export interface ApprovalsPage {
  readonly limit: number;
  /** The id of the last approval on the previous page. */
  readonly after?: string | undefined;
  /** Only those that this actor, by its stored name, requested. */
  readonly requestedBy?: string | undefined;
}

export interface ApprovalService {
  /** Finds an approval by its id or the beginning of it. */
  find(given: string): Promise<ApprovalId>;
  show(id: ApprovalId): Promise<Approval>;
  /** Pending approvals oldest first, all others newest first. */
  list(state: ApprovalState, page?: ApprovalsPage): Promise<readonly Approval[]>;
  /** Sends exactly what was shown, once. If a hash is given, refuses anything else. */
  approve(id: ApprovalId, shown?: string): Promise<Approval>;
  /** Replaces the approval with one for another text and returns the new one. Sends nothing. */
  edit(id: ApprovalId, text: string): Promise<Approval>;
  reject(id: ApprovalId, reason: string | null): Promise<Approval>;
}

export interface HoldService {
  hold(reason: string): Promise<Hold>;
  release(): Promise<Hold>;
}

// What waits for the owner's yes, with exactly what they are asked about: the recipient and the words, or
// what a grant would allow.
import { z } from 'zod';

export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export const approvalSchema = z.object({
  id: z.string(),
  state: z.enum(APPROVAL_STATES),
  kind: z.enum(['send_message', 'create_conversation', 'schedule_message', 'manage_grant']),
  /** Where it would go, or whom it is about: a number, or an address as WhatsApp has it. */
  recipient: z.string().nullable(),
  recipient_name: z.string().nullable(),
  /** The words as they would be sent; of a conversation, its objective; of a grant, what it would allow. */
  text: z.string(),
  /** Of a scheduled message: when it would be sent. */
  when: z.string().nullable(),
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
});
export type Approval = z.infer<typeof approvalSchema>;

export const listApprovalsSchema = z.strictObject({
  state: z.enum(APPROVAL_STATES).default('pending'),
});
export const rejectApprovalSchema = z.strictObject({
  reason: z.string().trim().max(500).optional(),
});

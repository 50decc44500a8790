// Writing as the owner: what a send answers, and the message to oneself that proves the wire.
import { z } from 'zod';
import { OUTBOX_STATES, type OutboxState } from '../outbox/states.ts';
import { boundedText } from './common.ts';

export const sendTextSchema = z.strictObject({
  /** A phone number in international form, or a JID. */
  to: boundedText(128),
  text: boundedText(5_000),
});

/** Seed 000's `{ success, jid }`, then where the message stands. */
export const sentTextSchema = z.object({
  /** False once it is certain that the message did not go out. */
  success: z.boolean(),
  jid: z.string(),
  id: z.string(),
  /** The id WhatsApp knows it by. */
  messageId: z.string(),
  state: z.enum(OUTBOX_STATES),
});

export const probeReportSchema = z.object({
  /** WhatsApp has taken the message. */
  arrived: z.boolean(),
  state: z.enum(OUTBOX_STATES),
  messageId: z.string(),
  /** What happened, as a person reads it. */
  sentence: z.string(),
});

export type ProbeReport = z.infer<typeof probeReportSchema>;

// The one switch that stops all sending, as `POST /api/hold` and `POST /api/release` speak of it.

export const setHoldSchema = z.strictObject({ reason: z.string().trim().max(500).optional() });

export const holdSchema = z.object({
  hold: z.boolean(),
  reason: z.string().nullable(),
  since: z.string().nullable(),
});
export type Hold = z.infer<typeof holdSchema>;

// Writing as the owner, through the gate like everybody else. Implemented by composition from gate and
// outbox; resolves when the message is durable, long before it has left.

export interface OwnerMessage {
  /** A JID: a person's or a group's. */
  readonly to: string;
  readonly text: string;
  /**
   * The same key is the same message: asked again it is not sent again, and the answer says where it
   * stands now. With another recipient or text it is refused.
   */
  readonly key?: string;
}

export interface OwnerMessageStatus {
  readonly jid: string;
  readonly id: string;
  readonly messageId: string;
  readonly state: OutboxState;
}

export type SendAsOwner = (message: OwnerMessage) => Promise<OwnerMessageStatus>;

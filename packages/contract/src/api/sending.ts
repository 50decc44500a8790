// Schemas and service for sending as the owner, the test message to oneself, and the hold.
import { z } from 'zod';
import { OUTBOX_STATES, type OutboxState } from '../outbox/states.ts';
import { boundedText } from './common.ts';
import { type ContentRequest, contentFields, refineContentFields } from './outgoing.ts';

/** A text, or one of the other fields. */
export const sendAsOwnerSchema = z
  .strictObject({
    /** A phone number in international form, or a JID. */
    to: boundedText(128),
    text: boundedText(5_000).optional(),
    ...contentFields,
    /** WhatsApp's id of the message in this chat that it replies to; it is shown as a quote. */
    replyTo: z.string().min(1).max(128).optional(),
  })
  .superRefine(refineContentFields);

/** Seed 000's `{ success, jid }`, then the delivery state of the message. */
export const sentTextSchema = z.object({
  /** False once it is certain that the message was not sent. */
  success: z.boolean(),
  jid: z.string(),
  /** Relay's id of the chat. */
  chatId: z.string(),
  id: z.string(),
  /** WhatsApp's id of the message. */
  messageId: z.string(),
  state: z.enum(OUTBOX_STATES),
});

export const probeReportSchema = z.object({
  /** Whether WhatsApp accepted the message. */
  arrived: z.boolean(),
  state: z.enum(OUTBOX_STATES),
  messageId: z.string(),
  /** The result as a sentence. */
  sentence: z.string(),
});

export type ProbeReport = z.infer<typeof probeReportSchema>;

// The hold on all sending: `POST /api/hold` and `POST /api/release`.

export const setHoldSchema = z.strictObject({ reason: z.string().trim().max(500).optional() });

export const holdSchema = z.object({
  hold: z.boolean(),
  reason: z.string().nullable(),
  since: z.string().nullable(),
});
export type Hold = z.infer<typeof holdSchema>;

// The service that sends as the owner, through the gate. It resolves when the message is stored, before it is sent.

export interface OwnerMessage {
  /** The JID of a person or a group. */
  readonly to: string;
  /** Or the caption of a file. */
  readonly text: string;
  readonly content?: ContentRequest;
  /** WhatsApp's id of the message in this chat that it replies to. */
  readonly replyTo?: string;
  /**
   * An idempotency key: a repeated request sends nothing and returns the current delivery state. Refused if recipient,
   * text or content differ.
   */
  readonly key?: string;
}

export interface OwnerMessageStatus {
  readonly jid: string;
  readonly chatId: string;
  readonly id: string;
  readonly messageId: string;
  readonly state: OutboxState;
}

export type SendAsOwner = (message: OwnerMessage) => Promise<OwnerMessageStatus>;

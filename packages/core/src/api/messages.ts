// Writing as the owner: what a send answers, and the message to oneself that proves the wire.
import { z } from 'zod';
import { OUTBOX_STATES } from '../outbox/progress.ts';
import { written } from './written.ts';

export const sendTextSchema = z.strictObject({
  /** A phone number in international form, or a JID. */
  to: written(128),
  text: written(5_000),
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

export const probeSchema = z.object({
  /** WhatsApp has taken the message. */
  arrived: z.boolean(),
  state: z.enum(OUTBOX_STATES),
  messageId: z.string(),
  /** What happened, as a person reads it. */
  sentence: z.string(),
});

export type Probe = z.infer<typeof probeSchema>;

// Seed 000's gateway as the API speaks it: the connection and the messages.
import { z } from 'zod';
import { WHATSAPP_STATUSES } from '../connection/states.ts';

export const bufferedMessageSchema = z.object({
  id: z.string(),
  /** JID of the sender. */
  from: z.string(),
  fromName: z.string().nullable(),
  /** JID of the recipient, or of the group. */
  to: z.string(),
  body: z.string(),
  /** Milliseconds since the epoch. */
  timestamp: z.number(),
  fromMe: z.boolean(),
  isGroup: z.boolean(),
});

export type BufferedMessage = z.infer<typeof bufferedMessageSchema>;

export const whatsappStatusSchema = z.object({
  status: z.enum(WHATSAPP_STATUSES),
  phoneNumber: z.string().nullable(),
});

export type WhatsAppStatusBody = z.infer<typeof whatsappStatusSchema>;

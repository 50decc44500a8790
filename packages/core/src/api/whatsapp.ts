// Seed 000's gateway as the API speaks it: the connection and the messages. The bodies hold exactly the
// fields the seed names; what Relay says beyond them is in link.ts and messages.ts.
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
  /** Digits only; null when not connected. */
  phoneNumber: z.string().nullable(),
});

export type WhatsAppStatusBody = z.infer<typeof whatsappStatusSchema>;

/** Without a phone a QR code is shown; with one, a code to type on that phone. */
export const connectSchema = z.strictObject({ phone: z.string().max(40).optional() }).nullish();

export const connectResponseSchema = z.union([
  z.object({ status: z.literal('already_connected'), phoneNumber: z.string().nullable() }),
  z.object({ status: z.literal('connecting') }),
]);

/** A base64 PNG data URL. */
export const qrSchema = z.object({ qr: z.string() });
export const noQrSchema = z.object({ error: z.string() });

export const disconnectSchema = z.strictObject({ clearSession: z.boolean().default(false) });
export const disconnectResponseSchema = z.object({ status: z.literal('disconnected') });

const MOST_MESSAGES = 100;

export const listMessagesSchema = z
  .strictObject({
    /** Digits of a phone number, matched anywhere in it. */
    contact: z.string().max(64).regex(/^$|\d/, 'Give digits of a phone number').optional(),
    /** One chat alone, by its JID. */
    chat: z.string().max(128).optional(),
    /** More than 100 are never returned. */
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .default(50)
      .transform((limit) => Math.min(limit, MOST_MESSAGES)),
  })
  .refine(
    ({ contact, chat }) => !contact || chat === undefined,
    'Give a contact or a chat, not both',
  );

export const listMessagesResponseSchema = z.object({ messages: z.array(bufferedMessageSchema) });

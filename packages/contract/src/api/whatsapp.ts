// Seed 000's gateway as the API speaks it: the connection and the messages. The bodies hold exactly the
// fields the seed names; what Relay says beyond them is in link.ts and messages.ts.
import { z } from 'zod';
import { PROVIDER_NAMES, parseProviderName } from '../agent/providers.ts';
import {
  CONNECTION_STATES,
  type ConnectionState,
  WHATSAPP_STATUSES,
} from '../connection/states.ts';

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

// What Relay says of the link to WhatsApp beyond seed 000's four words: the state with its sentence, what
// there is to scan or type, and how healthy the wire is. Also the frame `link` of its stream.

const connectionStateSchema = z.enum(
  Object.keys(CONNECTION_STATES) as [ConnectionState, ...ConnectionState[]],
);

export const linkSchema = z.object({
  state: connectionStateSchema,
  status: z.enum(WHATSAPP_STATUSES),
  /** The state as a person reads it. */
  sentence: z.string(),
  since: z.iso.datetime(),
  /** Digits only; known once linked, also while away. */
  phone: z.string().nullable(),
  name: z.string().nullable(),
  /** The text inside the QR code, while there is one to scan. */
  qr: z.string().nullable(),
  /** When the next code takes its place. */
  qrExpiresAt: z.iso.datetime().nullable(),
  pairingCode: z.string().nullable(),
  /** When it will be tried again without anybody asking. */
  retryAt: z.iso.datetime().nullable(),
  /** Messages that waited at the server and are still to come. */
  replaying: z.int().nullable(),
  /** First contacts are refused until then. */
  timeLockedUntil: z.iso.datetime().nullable(),
  health: z.object({
    lastStanzaAt: z.iso.datetime().nullable(),
    pingMs: z.number().nullable(),
    /** Closes within the last hour. */
    flaps: z.int(),
    received: z.int(),
    undecryptable: z.int(),
    /** Restarts of a socket that had gone deaf. */
    restarts: z.int(),
  }),
});

export type LinkBody = z.infer<typeof linkSchema>;

/** Seed 003's `/init`: the model, each field left as it is when not given. */
export const initSchema = z
  .strictObject({
    model_api_key: z.string().min(1).max(1_000).nullable().exactOptional(),
    model_provider: z
      .string()
      .trim()
      .toLowerCase()
      .min(1)
      .max(100)
      .refine((name) => parseProviderName(name) !== null, {
        message: `is not a provider. Choose one of ${PROVIDER_NAMES.join(', ')}`,
      })
      .nullable()
      .exactOptional(),
    model_name: z.string().min(1).max(200).nullable().exactOptional(),
    /** Of a server that speaks OpenAI's protocol. */
    model_base_url: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .nullable()
      .exactOptional(),
    /** Of Brave's search API: lets your agents search the web. */
    brave_api_key: z.string().min(1).max(1_000).nullable().exactOptional(),
    /** Links by a code to type on this phone instead of a QR code. */
    phone: z.string().max(40).optional(),
  })
  .nullish();

export const initResponseSchema = z.object({ whatsapp_qr_displayed: z.boolean() });

// The messages an account received and sent, as the gateway shows them. Implemented by `store`.

export type MessageQuery = { readonly limit: number } & (
  | {
      /** Digits; matched as a substring of the numbers of sender and recipient. */
      readonly contact?: string;
      readonly chat?: never;
    }
  | {
      readonly contact?: never;
      /** Only this chat, by JID. */
      readonly chat: string;
    }
);

/** A message as an event names it. */
export interface MessageRef {
  /** Relay's own. */
  readonly number: number;
  /** WhatsApp's. */
  readonly message: string;
}

export interface MessageReader {
  /** The last ones, oldest first. */
  recent(query: MessageQuery): Promise<readonly BufferedMessage[]>;
  /** Those that are still there, by number. */
  named(refs: readonly MessageRef[]): Promise<ReadonlyMap<number, BufferedMessage>>;
}

// Schemas of seed 000's gateway (connection and messages), of the link's state, and of the messages of an account. The
// gateway's bodies have exactly the seed's fields; Relay's additions have their own schemas below.
import { z } from 'zod';
import { PROVIDER_NAMES, parseProviderName } from '../agent/providers.ts';
import {
  CONNECTION_FAULTS,
  CONNECTION_STATES,
  type ConnectionFault,
  type ConnectionState,
  WHATSAPP_STATUSES,
} from '../connection/states.ts';
import { modelServerUrl } from '../settings.ts';
import { mediaSchema } from './media.ts';
import { receivedContentSchema } from './received.ts';

export const bufferedMessageSchema = z.object({
  id: z.string(),
  /** The sender's JID. */
  from: z.string(),
  fromName: z.string().nullable(),
  /** The JID of the recipient or the group. */
  to: z.string(),
  body: z.string(),
  /** Milliseconds since the epoch. */
  timestamp: z.number(),
  fromMe: z.boolean(),
  isGroup: z.boolean(),
  /** Its file, if it has one; the bytes are at `GET /api/media/:id`. */
  media: mediaSchema.exactOptional(),
  /** What it is besides text and a file, if it is. */
  content: receivedContentSchema.exactOptional(),
});

export type BufferedMessage = z.infer<typeof bufferedMessageSchema>;

export const whatsappStatusSchema = z.object({
  status: z.enum(WHATSAPP_STATUSES),
  /** Digits only; null when not connected. */
  phoneNumber: z.string().nullable(),
});

export type WhatsAppStatusBody = z.infer<typeof whatsappStatusSchema>;

/** Without a phone number a QR code is shown; with one, a code to type on that phone. */
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
    contact: z.string().max(64).regex(/^$|\d/, 'Must contain digits of a phone number').optional(),
    /** Only this chat, by its JID. */
    chat: z.string().max(128).optional(),
    /** At most 100 are returned. */
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

// The link to WhatsApp beyond seed 000's four states: state and sentence, the QR or pairing code, and the health of the
// connection. Also the stream's `link` frame.

const connectionStateSchema = z.enum(
  Object.keys(CONNECTION_STATES) as [ConnectionState, ...ConnectionState[]],
);

const FAULT_KINDS = Object.keys(CONNECTION_FAULTS) as [ConnectionFault, ...ConnectionFault[]];

/** Parts of a passkey's answer; a signature has a few hundred bytes. */
const base64url = z
  .string()
  .max(8_192)
  .regex(/^[\w-]+$/, 'must be base64url');

/** What `navigator.credentials.get()` returned in the WhatsApp Web tab, as its `toJSON()` gives it. */
const linkAssertionSchema = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullable().exactOptional(),
  }),
});

export type LinkAssertion = z.infer<typeof linkAssertionSchema>;

/** The answer to the passkey request of one linking attempt. */
export const linkPasskeySchema = z.strictObject({
  attempt: z.uuid(),
  assertion: linkAssertionSchema,
});

export type LinkPasskeyAnswer = z.infer<typeof linkPasskeySchema>;

export const linkPasskeyResponseSchema = z.object({ status: z.literal('sent') });

/** WhatsApp's request for the account's passkey, while linking waits for it. */
const linkPasskeyRequestSchema = z.object({
  /** This attempt; an answer names it and is accepted once. */
  attempt: z.uuid(),
  /** The number that is being linked, digits only; with a QR code it is known only at the end. */
  phone: z.string().nullable(),
  /** For `PublicKeyCredential.parseRequestOptionsFromJSON` in a page of WhatsApp Web. */
  options: z.looseObject({ challenge: z.string(), rpId: z.string() }),
  expiresAt: z.iso.datetime(),
  /** Once the passkey was accepted: the code to compare if the phone shows one. */
  code: z.string().nullable(),
});

export const linkSchema = z.object({
  state: connectionStateSchema,
  status: z.enum(WHATSAPP_STATUSES),
  /** The state as a sentence for people. */
  sentence: z.string(),
  since: z.iso.datetime(),
  /** Digits only; known once linked, also while offline. */
  phone: z.string().nullable(),
  name: z.string().nullable(),
  /** The content of the QR code, while there is one to scan. */
  qr: z.string().nullable(),
  /** When the next code replaces it. */
  qrExpiresAt: z.iso.datetime().nullable(),
  pairingCode: z.string().nullable(),
  passkey: linkPasskeyRequestSchema.nullable(),
  /** When the next automatic attempt is due. */
  retryAt: z.iso.datetime().nullable(),
  /** Messages waiting at the server that are still to be replayed. */
  replaying: z.int().nullable(),
  /** WhatsApp refuses first contacts until then. */
  timeLockedUntil: z.iso.datetime().nullable(),
  /** Why the last attempt did not reach WhatsApp, and what to do; null if unknown, or once connected. */
  fault: z
    .object({ kind: z.enum(FAULT_KINDS), sentence: z.string(), action: z.string() })
    .nullable(),
  health: z.object({
    lastStanzaAt: z.iso.datetime().nullable(),
    pingMs: z.number().nullable(),
    /** Closed connections within the last hour. */
    flaps: z.int(),
    received: z.int(),
    undecryptable: z.int(),
    /** Restarts of an unresponsive socket. */
    restarts: z.int(),
  }),
});

export type LinkBody = z.infer<typeof linkSchema>;

/** Seed 003's `/init`: the model. An omitted field stays as it is; a model is tested before it is saved. */
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
        message: `must be one of ${PROVIDER_NAMES.join(', ')}`,
      })
      .nullable()
      .exactOptional(),
    model_name: z.string().min(1).max(200).nullable().exactOptional(),
    /** For a server that speaks OpenAI's protocol. */
    model_base_url: modelServerUrl.max(500).nullable().exactOptional(),
    /** The key of Brave's search API, which lets agents search the web. */
    brave_api_key: z.string().min(1).max(1_000).nullable().exactOptional(),
    /** False saves the model without a test, such as for a machine that is offline. */
    verify: z.boolean().exactOptional(),
    /** Links with a code to type on this phone instead of a QR code. */
    phone: z.string().max(40).optional(),
  })
  .nullish();

export const initResponseSchema = z.object({ whatsapp_qr_displayed: z.boolean() });

// The service that reads an account's messages for the gateway.

export type MessageQuery = { readonly limit: number } & (
  | {
      /** Digits; matched as a substring of the sender's and recipient's numbers. */
      readonly contact?: string;
      readonly chat?: never;
    }
  | {
      readonly contact?: never;
      /** Only this chat, by JID. */
      readonly chat: string;
    }
);

/** A message as an event refers to it. */
export interface MessageRef {
  /** Relay's number of the message. */
  readonly number: number;
  /** WhatsApp's id of the message. */
  readonly message: string;
}

export interface MessageReader {
  /** The last messages, oldest first. */
  recent(query: MessageQuery): Promise<readonly BufferedMessage[]>;
  /** The messages that still exist, by number. */
  byRefs(refs: readonly MessageRef[]): Promise<ReadonlyMap<number, BufferedMessage>>;
}

// What Relay says of the link to WhatsApp beyond seed 000's four words: the state with its sentence, what
// there is to scan or type, and how healthy the wire is. Also the frame `link` of its stream.
import { z } from 'zod';
import { PROVIDER_NAMES, providerNamed } from '../agent/providers.ts';
import {
  CONNECTION_STATES,
  type ConnectionState,
  WHATSAPP_STATUSES,
} from '../connection/states.ts';

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
      .refine((name) => providerNamed(name) !== null, {
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

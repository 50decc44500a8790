// Schemas and service of the ledger: explanations of a message, pages of decisions, and the verification of the chain.
// Contains people's names, never message text.
import { z } from 'zod';
import type { ApprovalId, ChatId } from '../ids.ts';

export const messageExplanationSchema = z.object({
  /** The explanation in one sentence. */
  sentence: z.string(),
  /** WhatsApp's id of the message. */
  message_id: z.string(),
  /** Relay's id of a message that it sent or is going to send. */
  outbox_id: z.string().nullable(),
  way: z.enum(['in', 'out']),
  chat: z.object({ id: z.string(), kind: z.enum(['direct', 'group', 'own']), name: z.string() }),
  at: z.iso.datetime(),
  /** The router's decision for a received message, the gate's for an outgoing one. */
  outcome: z.string().nullable(),
  reason: z.string().nullable(),
  run: z.object({ id: z.string(), model: z.string().nullable(), state: z.string() }).nullable(),
  instance_id: z.string().nullable(),
  schedule_id: z.string().nullable(),
  approval: z.object({ id: z.string(), state: z.string() }).nullable(),
  /** For a received message the answers to it; for an outgoing one itself. */
  deliveries: z.array(
    z.object({
      id: z.string(),
      message_id: z.string(),
      state: z.string(),
      at: z.iso.datetime().nullable(),
      failure: z.string().nullable(),
    }),
  ),
  /** The ledger's rows behind the explanation, oldest first. */
  rows: z.array(z.lazy(() => ledgerLineSchema)),
});
export type MessageExplanation = z.infer<typeof messageExplanationSchema>;

export const ledgerLineSchema = z.object({
  seq: z.int(),
  at: z.iso.datetime(),
  /** The stored form, such as `conversation:<id>`; next to it the text for people. */
  actor: z.string(),
  who: z.string(),
  action: z.string(),
  what: z.string(),
  subject: z.object({ kind: z.string(), id: z.string() }),
  /** The person it is about, if there is one. */
  about: z.string().nullable(),
  outcome: z.string(),
  reason: z.string(),
  /** The reason as a sentence. */
  sentence: z.string(),
  /** Whose texts the agent had read, for the decisions that this led to. */
  read_before: z
    .object({
      /** Names of people and groups, at most three. */
      names: z.array(z.string()),
      /** How many more chats. */
      more: z.int(),
      /** Also sources outside of WhatsApp, such as web pages. */
      outside: z.boolean(),
    })
    .nullable(),
  detail: z.record(z.string(), z.unknown()),
});
export type LedgerLine = z.infer<typeof ledgerLineSchema>;

export const whyQuerySchema = z.strictObject({
  /** Relay's id of the chat, if several chats have a message with this id. */
  chat: z.guid().optional(),
});

const LEDGER_ORDERS = ['newest', 'oldest'] as const;

export const listLedgerSchema = z.strictObject({
  order: z.enum(LEDGER_ORDERS).default('newest'),
  /** The cursor of the previous page, in the same order. */
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'Must be the cursor of a page')
    .optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  /** `owner`, `router`, `auto_reply`, …: all actors of a kind, or one with its id. */
  actor: z.string().min(1).max(100).optional(),
  action: z.string().min(1).max(100).optional(),
  /** One outcome, or several separated by commas. */
  outcome: z.string().min(1).max(100).optional(),
  /**
   * The id of a message or an approval; or of a chat, a contact or a conversation, for everything that happened there.
   */
  subject: z.string().min(1).max(200).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
});

export const ledgerPageSchema = z.object({
  entries: z.array(ledgerLineSchema),
  /** The cursor of the next page; null while the ledger is empty. */
  cursor: z.string().nullable(),
  more: z.boolean(),
});
export type LedgerPage = z.infer<typeof ledgerPageSchema>;

export const verifyLedgerSchema = z.strictObject({
  full: z.stringbool().default(false),
});

export const ledgerVerdictSchema = z.object({
  whole: z.boolean(),
  /** The result as a sentence. */
  sentence: z.string(),
  fault: z.object({ kind: z.string(), seq: z.int() }).nullable(),
  /** Rows recomputed in this verification, and rows in total. */
  checked: z.int(),
  rows: z.int(),
  full: z.boolean(),
  /** The last hash. Keep it elsewhere: rewriting the whole ledger changes it. */
  head: z.string(),
});
export type LedgerVerdict = z.infer<typeof ledgerVerdictSchema>;

// The service that reads the ledger. It never returns message text.

export interface LedgerQuery {
  readonly order: 'newest' | 'oldest';
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  readonly subject?: string | undefined;
  readonly since?: Date | undefined;
}

export interface LedgerReader {
  /**
   * `id` is WhatsApp's or the outbox's, or a unique beginning of one. Refused with `message_unknown`, or with
   * `message_ambiguous` and the candidates.
   */
  why(id: string, chat?: ChatId): Promise<MessageExplanation>;
  /** The ledger's rows about an approval, oldest first, whichever text it had. */
  linesAboutApproval(id: ApprovalId): Promise<readonly LedgerLine[]>;
  list(query: LedgerQuery): Promise<LedgerPage>;
  verify(options: { readonly full: boolean }): Promise<LedgerVerdict>;
}

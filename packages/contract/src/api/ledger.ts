// The ledger as the API tells it: why a message was treated as it was, the decisions page by page, and
// whether the chain is whole. Names of people, never words of messages.
import { z } from 'zod';
import type { ApprovalId, ChatId } from '../ids.ts';

export const messageExplanationSchema = z.object({
  /** One true sentence. */
  sentence: z.string(),
  /** The id WhatsApp knows the message by. */
  message_id: z.string(),
  /** Relay's own, of a message it sent or is to send. */
  outbox_id: z.string().nullable(),
  way: z.enum(['in', 'out']),
  chat: z.object({ id: z.string(), kind: z.enum(['direct', 'group', 'own']), name: z.string() }),
  at: z.iso.datetime(),
  /** Of an incoming one, what the router decided; of an outgoing one, what the gate did. */
  outcome: z.string().nullable(),
  reason: z.string().nullable(),
  run: z.object({ id: z.string(), model: z.string().nullable(), state: z.string() }).nullable(),
  instance_id: z.string().nullable(),
  schedule_id: z.string().nullable(),
  approval: z.object({ id: z.string(), state: z.string() }).nullable(),
  /** Of an incoming one, the answers to it; of an outgoing one, itself. */
  deliveries: z.array(
    z.object({
      id: z.string(),
      message_id: z.string(),
      state: z.string(),
      at: z.iso.datetime().nullable(),
      failure: z.string().nullable(),
    }),
  ),
  /** The rows of the ledger it was told from, the oldest first. */
  rows: z.array(z.lazy(() => ledgerLineSchema)),
});
export type MessageExplanation = z.infer<typeof messageExplanationSchema>;

export const ledgerLineSchema = z.object({
  seq: z.int(),
  at: z.iso.datetime(),
  /** As it is kept, `conversation:<id>`, and for a person. */
  actor: z.string(),
  who: z.string(),
  action: z.string(),
  what: z.string(),
  subject: z.object({ kind: z.string(), id: z.string() }),
  /** About whom, if it is about somebody. */
  about: z.string().nullable(),
  outcome: z.string(),
  reason: z.string(),
  /** The reason in words. */
  sentence: z.string(),
  detail: z.record(z.string(), z.unknown()),
});
export type LedgerLine = z.infer<typeof ledgerLineSchema>;

export const whyQuerySchema = z.strictObject({
  /** One chat alone, by Relay's id of it, where several hold a message of this id. */
  chat: z.guid().optional(),
});

const LEDGER_ORDERS = ['newest', 'oldest'] as const;

export const listLedgerSchema = z.strictObject({
  order: z.enum(LEDGER_ORDERS).default('newest'),
  /** Where the last page ended, in the same order. */
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'Give the cursor that a page came with')
    .optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  /** `owner`, `router`, `auto_reply`, …: all of a kind, or one with its id. */
  actor: z.string().min(1).max(100).optional(),
  action: z.string().min(1).max(100).optional(),
  /** One, or several with commas between. */
  outcome: z.string().min(1).max(100).optional(),
  /** An id: of a message, an approval; of a chat, a person or a conversation, and then whatever happened there. */
  subject: z.string().min(1).max(200).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
});

export const ledgerPageSchema = z.object({
  entries: z.array(ledgerLineSchema),
  /** Goes on behind this page; null as long as there was nothing at all. */
  cursor: z.string().nullable(),
  more: z.boolean(),
});
export type LedgerPage = z.infer<typeof ledgerPageSchema>;

export const verifyLedgerSchema = z.strictObject({
  full: z.stringbool().default(false),
});

export const ledgerVerdictSchema = z.object({
  whole: z.boolean(),
  /** What was found, for a person. */
  sentence: z.string(),
  fault: z.object({ kind: z.string(), seq: z.int() }).nullable(),
  /** Rows computed anew this time, and all there are. */
  checked: z.int(),
  rows: z.int(),
  full: z.boolean(),
  /** The last hash, to be kept elsewhere: whoever rewrites everything cannot keep it. */
  head: z.string(),
});
export type LedgerVerdict = z.infer<typeof ledgerVerdictSchema>;

// The ledger, read: why a message was treated as it was, the decisions page by page, and whether the chain
// is whole. Implemented by `store`; nothing here ever holds the words of a message.

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
   * `id` is WhatsApp's or the outbox's, or the beginning of one that fits one message alone. Refused with
   * `message_unknown`, or with `message_ambiguous` and the candidates.
   */
  why(id: string, chat?: ChatId): Promise<MessageExplanation>;
  /** What the ledger says of a question to the owner, whatever words it had: the oldest first. */
  asked(id: ApprovalId): Promise<readonly LedgerLine[]>;
  list(query: LedgerQuery): Promise<LedgerPage>;
  verify(options: { readonly full: boolean }): Promise<LedgerVerdict>;
}

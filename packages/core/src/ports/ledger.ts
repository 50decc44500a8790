// The ledger, read: why a message was treated as it was, the decisions page by page, and whether the chain
// is whole. Implemented by `store`; nothing here ever holds the words of a message.
import type { LedgerLine, LedgerPage, LedgerVerdict, Why } from '../api/ledger.ts';
import type { ApprovalId, ChatId } from '../ids.ts';

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
  why(id: string, chat?: ChatId): Promise<Why>;
  /** What the ledger says of a question to the owner, whatever words it had: the oldest first. */
  asked(id: ApprovalId): Promise<readonly LedgerLine[]>;
  list(query: LedgerQuery): Promise<LedgerPage>;
  verify(options: { readonly full: boolean }): Promise<LedgerVerdict>;
}

// What the ledger's address says: which decisions are shown, or which message is told about. Pure. Whatever an
// address holds that is not known here is left out, so that no link can break the page.

export interface LedgerSearch {
  /** A message whose story is told, by WhatsApp's id or by Relay's. */
  readonly message?: string;
  /** The chat of that message, where several hold one of this id. */
  readonly chat?: string;
  readonly actor?: string;
  readonly action?: string;
  /** A group of `OUTCOMES`, or one outcome as the ledger has it. */
  readonly outcome?: string;
  /** An id: of a message, a chat, a contact, an approval. */
  readonly subject?: string;
  readonly since?: Since;
}

export const SINCE = {
  hour: { word: 'Last hour', ms: 3_600_000 },
  day: { word: 'Last 24 hours', ms: 86_400_000 },
  week: { word: 'Last 7 days', ms: 7 * 86_400_000 },
} as const;
type Since = keyof typeof SINCE;

/** As the owner tells them apart; the ledger knows more kinds of leaving something alone. */
export const OUTCOMES = {
  answered: { word: 'Answered', of: ['answered'] },
  allowed: { word: 'Allowed', of: ['allow'] },
  asked: { word: 'Asked you', of: ['needs_approval', 'waiting'] },
  left: { word: 'Left alone', of: ['stored', 'ignored', 'unanswered', 'skipped'] },
  refused: { word: 'Refused', of: ['deny', 'stopped'] },
} as const;

/** As the API takes it: several in a row. */
export const outcomesOf = (outcome: string): string =>
  Object.hasOwn(OUTCOMES, outcome)
    ? OUTCOMES[outcome as keyof typeof OUTCOMES].of.join(',')
    : outcome;

const NAMES = ['message', 'chat', 'actor', 'action', 'outcome', 'subject'] as const;

/** The router reads numbers as numbers, and an id may consist of digits alone. */
const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, 100) : '';

export function readLedgerSearch(raw: Readonly<Record<string, unknown>>): LedgerSearch {
  const words = NAMES.map((name) => [name, wordOf(raw[name])] as const);
  const since = wordOf(raw.since);
  return {
    ...Object.fromEntries(words.filter(([, word]) => word !== '')),
    ...(Object.hasOwn(SINCE, since) ? { since: since as Since } : {}),
  };
}

export const isFiltered = ({ actor, action, outcome, subject, since }: LedgerSearch): boolean =>
  [actor, action, outcome, subject, since].some((part) => part !== undefined);

/** The list's part of it: a row is chosen from a list, and not together with a message's story. */
export const filtersOf = ({ message: _, chat: __, ...filters }: LedgerSearch): LedgerSearch =>
  filters;

// The facts of a day's digest, which can be found and shown one by one. Persisted.

export const FACT_KINDS = [
  'decision',
  'event',
  'action_item',
  'open_question',
  'participant',
  'mood',
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

export interface DigestFact {
  readonly kind: FactKind;
  readonly text: string;
  /** Who does it, or who asked. */
  readonly who: string | null;
  /** When it is due, as it was said: `Friday 12 noon`. */
  readonly when: string | null;
  /** The hour in which it was said; the start of the day if that is unknown. */
  readonly saidAt: Date;
}

/** The heading of each kind in a list. */
export const FACT_TITLES: Readonly<Record<FactKind, string>> = {
  decision: 'Decisions',
  event: 'Events',
  action_item: 'Action items',
  open_question: 'Open questions',
  participant: 'Took part',
  mood: 'Mood',
};

/** `Rohan: block the hotel (today)` */
export function factLine({ text, who, when }: Pick<DigestFact, 'text' | 'who' | 'when'>): string {
  const by = who === null || text.includes(who) ? '' : `${who}: `;
  return `${by}${text}${when === null || text.includes(when) ? '' : ` (${when})`}`;
}

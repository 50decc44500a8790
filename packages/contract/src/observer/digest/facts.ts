// What a day's digest holds besides its text: facts that can be found and shown one by one. Persisted.

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
  /** Whose it is: who does it, who asked. */
  readonly who: string | null;
  /** What it is meant for, as it was said: `Friday 12 noon`. */
  readonly when: string | null;
  /** The hour it was said in; the beginning of the day where none is known. */
  readonly saidAt: Date;
}

/** How each kind is called above a list of them. */
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

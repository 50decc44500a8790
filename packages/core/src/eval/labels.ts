// The words that evaluations count by.

/** What a message of the trigger set is; `no_mention` has neither the assistant's name nor its address. */
export const SORTED = ['direct_request', 'mention_only', 'false_positive', 'no_mention'] as const;
export type Sorted = (typeof SORTED)[number];

/** Why something must not stand in a digest. */
export const LEAK_REASONS = ['sensitive', 'revoked', 'stale', 'overread'] as const;

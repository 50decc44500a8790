// How old a request in a group may be. Whoever asked in a chat has gone on talking minutes later: an answer
// then would come out of nowhere, so there is none.

/** From the owner's words to somebody thinking about them: what waited offline is heard, and not answered. */
export const ASKED_WITHIN_MS = 5 * 60_000;

/** From the owner's words to the wire, whatever the line, the model and the pace did meanwhile. */
export const ANSWERED_WITHIN_MS = 15 * 60_000;

export const isTooOld = (askedAt: Date, now: Date, within: number): boolean =>
  now.getTime() - askedAt.getTime() > within;

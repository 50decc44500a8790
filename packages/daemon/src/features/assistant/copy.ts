// Answers of the assistant when its model gave none. Each says what happened and what can be done next.

const effectsSentence = (deeds: readonly string[]): string =>
  deeds.length === 0
    ? 'Nothing was done.'
    : `Done by then:\n${deeds.map((deed) => `- ${deed}`).join('\n')}`;

export const FALLBACK_ANSWERS = {
  interrupted: (deeds: readonly string[]) =>
    `I was interrupted in the middle of this, and I do not begin anew what had begun. ${effectsSentence(deeds)}`,
  stopped: (deeds: readonly string[]) => `Stopped. ${effectsSentence(deeds)}`,
  tooManyRounds: (deeds: readonly string[]) =>
    `I used my tools five times in a row and did not come to an end, so I stopped. ${effectsSentence(deeds)}`,
  nothing: (deeds: readonly string[]) =>
    `I found no words for an answer. ${effectsSentence(deeds)}`,
  saidLongAgo:
    'You said this while I was away, and things may have changed since, so I did not do it. Say it again if you still want it.',
  failed: (why: string, deeds: readonly string[]) =>
    `I could not finish: ${why} ${effectsSentence(deeds)}`,
} as const;

/** Whether a message was read only long after it was written. */
export const isLate = (saidAt: Date, now: Date): boolean =>
  now.getTime() - saidAt.getTime() > LATE_MS;

const LATE_MS = 10 * 60_000;

export const UNEXPECTED_ERROR_SENTENCE =
  'Something failed inside. `relay logs --level error` says why.';

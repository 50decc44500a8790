// What the assistant says when its model did not: always what happened, and what may be done next.

const done = (deeds: readonly string[]): string =>
  deeds.length === 0
    ? 'Nothing was done.'
    : `Done by then:\n${deeds.map((deed) => `- ${deed}`).join('\n')}`;

export const SENTENCES = {
  interrupted: (deeds: readonly string[]) =>
    `I was interrupted in the middle of this, and I do not begin anew what had begun. ${done(deeds)}`,
  stopped: (deeds: readonly string[]) => `Stopped. ${done(deeds)}`,
  tooManyRounds: (deeds: readonly string[]) =>
    `I used my tools five times in a row and did not come to an end, so I stopped. ${done(deeds)}`,
  nothing: (deeds: readonly string[]) => `I found no words for an answer. ${done(deeds)}`,
  saidLongAgo:
    'You said this while I was away, and things may have changed since, so I did not do it. Say it again if you still want it.',
  failed: (why: string, deeds: readonly string[]) => `I could not finish: ${why} ${done(deeds)}`,
} as const;

/** It could only be read long after it was written. */
export const isLate = (saidAt: Date, now: Date): boolean =>
  now.getTime() - saidAt.getTime() > LATE_MS;

const LATE_MS = 10 * 60_000;

export const UNEXPECTED = 'Something failed inside. `relay logs --level error` says why.';

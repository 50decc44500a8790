// Answers of the assistant when its model gave none. Each says what happened and what can be done next.

const effectsSentence = (deeds: readonly string[]): string =>
  deeds.length === 0
    ? 'Nothing was done.'
    : `Done so far:\n${deeds.map((deed) => `- ${deed}`).join('\n')}`;

export const FALLBACK_ANSWERS = {
  interrupted: (deeds: readonly string[]) =>
    `I was interrupted and did not start again. ${effectsSentence(deeds)}`,
  stopped: (deeds: readonly string[]) => `Stopped. ${effectsSentence(deeds)}`,
  tooManyRounds: (deeds: readonly string[]) =>
    `I used my tools 5 times in a row without finishing, so I stopped. ${effectsSentence(deeds)}`,
  nothing: (deeds: readonly string[]) => `I have no answer. ${effectsSentence(deeds)}`,
  saidLongAgo:
    'I received this late, and things may have changed since, so I did not do it. Send it again if you still want it.',
  failed: (why: string, deeds: readonly string[]) =>
    `I could not finish: ${why} ${effectsSentence(deeds)}`,
} as const;

/** Whether a message was read only long after it was written. */
export const isLate = (saidAt: Date, now: Date): boolean =>
  now.getTime() - saidAt.getTime() > LATE_MS;

const LATE_MS = 10 * 60_000;

export const UNEXPECTED_ERROR_SENTENCE =
  'Relay had an internal error. See `relay logs --level error`.';

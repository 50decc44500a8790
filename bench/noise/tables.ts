// Builds the tables of the noise filter from labelled weeks. First each message alone; then with the preceding ones,
// scored by the first table. Messages that are decided by form alone are not used for learning.
import type { GroupMessage } from '@relay/core/observer/message';
import { NOISE_LOOKBACK, type NoiseTables, signsOf } from '@relay/core/observer/noise/judge';
import { formOf, readMessageSigns } from '@relay/core/observer/noise/signs';
import type { LabelledMessage } from '@relay/testing/observer/weeks';
import { learn } from './learn.ts';

/** Chosen by leaving out one day after the other, within each group. */
const PENALTY = 0.5;

export function learnTables(...weeks: readonly (readonly LabelledMessage[])[]): NoiseTables {
  const told = weeks.flatMap((week) =>
    week.flatMap(({ message, noise }, at) =>
      formOf(message) === null
        ? [
            {
              message,
              content: !noise,
              seen: readMessageSigns(message),
              before: beforeOf(week, at),
            },
          ]
        : [],
    ),
  );
  const alone = learn(
    told.map(({ seen, content }) => ({ signs: seen.signs, content })),
    PENALTY,
  );
  const inTalk = learn(
    told.map(({ message, seen, before, content }) => ({
      signs: signsOf(message, seen, before, alone),
      content,
    })),
    PENALTY,
  );
  return { alone, inTalk };
}

export const beforeOf = (week: readonly LabelledMessage[], at: number): readonly GroupMessage[] =>
  week.slice(Math.max(0, at - NOISE_LOOKBACK), at).map(({ message }) => message);

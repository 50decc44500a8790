// What Home's address says: over which time its charts look back. Pure; anything else is a day.
import type { ActivityHours } from '@relay/core/activity';

export interface HomeSearch {
  readonly hours?: ActivityHours;
}

export const SPANS: readonly { readonly hours: ActivityHours; readonly word: string }[] = [
  { hours: 24, word: '24 h' },
  { hours: 168, word: '7 days' },
  { hours: 720, word: '30 days' },
];

export function readHomeSearch(raw: Readonly<Record<string, unknown>>): HomeSearch {
  const hours = SPANS.find((span) => span.hours === Number(raw.hours))?.hours;
  return hours === undefined || hours === 24 ? {} : { hours };
}

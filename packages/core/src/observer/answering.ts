// Limits on the assistant's answers in a group: a pause between two, a daily maximum, the age of a request and the
// length. Checked before an answer is considered, and again before it is submitted.

import type { ObserverSettings } from '@relay/contract/settings';
import type { Zone } from '../schedule/zone.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

export type CadenceSettings = Pick<ObserverSettings, 'answers_per_day' | 'minutes_between_answers'>;

type CadenceDecision =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      readonly limit: 'pause' | 'day' | 'off';
      /** The earliest time for an answer if nothing is sent until then; null if never. */
      readonly nextAt: Date | null;
      /** For the owner. */
      readonly sentence: string;
    };

export interface GroupAnswerHistory {
  /** The times of earlier answers in this group, in any order; those older than two days do not matter. */
  readonly answered: readonly Date[];
  readonly settings: CadenceSettings;
  readonly zone: Zone;
  readonly now: Date;
}

export function checkCadence({
  answered,
  settings,
  zone,
  now,
}: GroupAnswerHistory): CadenceDecision {
  const most = settings.answers_per_day;
  if (most === 0) return { allowed: false, limit: 'off', nextAt: null, sentence: OFF };
  const times = answered.map((at) => at.getTime());
  const last = Math.max(Number.NEGATIVE_INFINITY, ...times);
  const rested = last + settings.minutes_between_answers * MINUTE;
  const day = zoneDayOf(zone, now.getTime());
  const today = times.filter((at) => at >= day.start && at < day.end).length;
  if (today >= most) {
    const nextAt = new Date(Math.max(day.end, rested));
    return { allowed: false, limit: 'day', nextAt, sentence: DAY_SPENT(most) };
  }
  if (now.getTime() < rested) {
    const sentence = TOO_SOON(settings.minutes_between_answers);
    return { allowed: false, limit: 'pause', nextAt: new Date(rested), sentence };
  }
  return { allowed: true };
}

/** From midnight to midnight. If clocks are set back over midnight, the new day continues once it has begun. */
function zoneDayOf(zone: Zone, now: number): { start: number; end: number } {
  let midnight = Math.floor(zone.localAt(now) / DAY) * DAY;
  let end = zone.instantOf(midnight + DAY);
  while (end <= now) {
    midnight += DAY;
    end = zone.instantOf(midnight + DAY);
  }
  return { start: zone.instantOf(midnight), end };
}

const OFF = 'Answers in groups are turned off: observer.answers_per_day is 0.';
const DAY_SPENT = (most: number): string =>
  most === 1
    ? 'This group has reached its limit of 1 answer per day.'
    : `This group has reached its limit of ${most} answers per day.`;
const TOO_SOON = (minutes: number): string =>
  `This group was answered less than ${minutes === 1 ? '1 minute' : `${minutes} minutes`} ago.`;

// The maximum age of a request in a group. Minutes later the chat has moved on and an answer would confuse, so there is
// none.

/** From the owner's message to the start of the answer: a request that waited offline is read but not answered. */
export const REQUEST_MAX_AGE_MS = 5 * 60_000;

/** From the owner's message to sending, whatever the queue, the model and pacing took. */
export const ANSWER_MAX_AGE_MS = 15 * 60_000;

export const isRequestTooOld = (askedAt: Date, now: Date, within: number): boolean =>
  now.getTime() - askedAt.getTime() > within;

// Limits the length of answers in a group, because they interrupt everybody. Longer text is cut at the end of a
// sentence or word.

export const MAX_GROUP_ANSWER_LENGTH = 500;

export function shortenGroupAnswer(text: string): string {
  const whole = text.replace(/\n{3,}/g, '\n\n').trim();
  const letters = [...whole];
  if (letters.length <= MAX_GROUP_ANSWER_LENGTH) return whole;
  const cut = letters.slice(0, MAX_GROUP_ANSWER_LENGTH - 1).join('');
  const sentence = Math.max(
    ...Array.from(cut.matchAll(END), ({ index, 0: end }) => index + end.length),
    0,
  );
  if (sentence > cut.length / 2) return cut.slice(0, sentence).trimEnd();
  const word = cut.search(/\s\S*$/u);
  return `${(word > cut.length / 2 ? cut.slice(0, word) : cut).trimEnd()}…`;
}

const END = /[.!?…。！？؟।](?=\s|$)|[。！？]/gu;

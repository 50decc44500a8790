// A question as search takes it: the words that matter, "phrases", and a time if one was said. Pure; the
// day it is asked on and the asker's zone are given.
import type { Zone } from '../schedule/zone.ts';
import { isStopWord } from './stop-words.ts';
import { findTime, type SaidTime } from './times.ts';
import { wordsOf } from './words.ts';

export interface Question {
  /** Each once, without those that say nothing. */
  readonly terms: readonly string[];
  /** Words that must stand one right after the other. */
  readonly phrases: readonly (readonly string[])[];
  readonly time: SaidTime | null;
  /** Those that say nothing, for whoever looks for exactly them. */
  readonly spare: readonly string[];
}

const QUOTED = /["“”„«»]([^"“”„«»]+)["“”„«»]/g;
/** More than anybody asks for; a whole letter as a question is one about its beginning. */
const MOST_TERMS = 48;

export function parseQuestion(text: string, now: Date, zone: Zone): Question {
  const phrases = [...text.matchAll(QUOTED)].map(([, said = '']) => plainWords(said));
  const { time, rest } = findTime(text.replace(QUOTED, ' '), now, zone);
  const all = new Set([...wordsOf(rest).map(({ term }) => term), ...phrases.flat()]);
  const terms = [...all].filter((term) => !isStopWord(term)).slice(0, MOST_TERMS);
  const spare = [...all].filter(isStopWord).slice(0, MOST_TERMS);
  return { terms, phrases: phrases.filter(({ length }) => length > 1), time, spare };
}

const plainWords = (text: string): string[] =>
  wordsOf(text).flatMap(({ term, plain }) => (plain ? [term] : []));

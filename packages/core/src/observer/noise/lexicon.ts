// Which kind of thing each word of a text says, by the lists in `words/` and a few endings. One list for all
// languages, because nobody says which one they write in. The longest phrase wins.
import { fold } from '../../search/fold.ts';
import { type Found, Phrases } from './phrases.ts';
import { spellings } from './text.ts';
import { QUESTIONS, REQUESTS } from './words/asking.ts';
import { CHAINS, PASSED_ON } from './words/chains.ts';
import {
  ACKNOWLEDGEMENTS,
  ANSWERS,
  CALLS,
  FEELINGS,
  PRAISE,
  PROMISES,
  THANKS,
} from './words/chatter.ts';
import { FILLERS } from './words/fillers.ts';
import { GREETINGS } from './words/greetings.ts';
import { PASTIMES } from './words/pastimes.ts';
import { DEEDS, TIMES } from './words/plans.ts';
import { THINGS } from './words/things.ts';

export const SENSES = [
  'greeting',
  'thanks',
  'acknowledgement',
  'answer',
  'promise',
  'laughter',
  'praise',
  'feeling',
  'call',
  'pastime',
  'time',
  'deed',
  'thing',
  'question',
  'request',
  'filler',
  'number',
  'unknown',
] as const;
export type Sense = (typeof SENSES)[number];

/** What is said without telling anything. */
export const IDLE: ReadonlySet<Sense> = new Set([
  'greeting',
  'thanks',
  'acknowledgement',
  'answer',
  'promise',
  'laughter',
  'praise',
  'feeling',
  'call',
]);

/** Of two lists that have the same word the first counts. */
const LISTS: readonly (readonly [Sense, readonly string[]])[] = [
  ['greeting', GREETINGS],
  ['thanks', THANKS],
  ['request', REQUESTS],
  ['promise', PROMISES],
  ['answer', ANSWERS],
  ['acknowledgement', ACKNOWLEDGEMENTS],
  ['praise', PRAISE],
  ['feeling', FEELINGS],
  ['call', CALLS],
  ['pastime', PASTIMES],
  ['question', QUESTIONS],
  ['filler', FILLERS],
  ['time', TIMES],
  ['deed', DEEDS],
  ['thing', THINGS],
];

const phrasesOf = (list: string): readonly string[] =>
  fold(list)
    .replace(/['’]/g, '')
    .split(',')
    .map((phrase) => phrase.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim())
    .filter((phrase) => phrase !== '');

const PHRASES = new Phrases(
  LISTS.flatMap(([sense, list]) => list.flatMap(phrasesOf).map((phrase) => [phrase, sense])),
);
const CHAIN_PHRASES = new Phrases(
  [...PASSED_ON, ...CHAINS].flatMap(phrasesOf).map((phrase) => [phrase, true]),
);
const PASSING_ON = new Phrases(PASSED_ON.flatMap(phrasesOf).map((phrase) => [phrase, true]));

const LAUGHTER =
  /^(?:a?(?:ha){2,}h?|(?:he){2,}h?|(?:hi){2,}|a?(?:ja){2,}j?|(?:je){2,}|(?:rs){2,}|k{3,}|h{3,}|x+d+|lo+l+(?:ol)*|lm(?:f)?ao+|rofl|(?:هـ?){3,}|ه{2,}|خ{3,}|(?:हा){2,}|(?:ही){2,}|(?:ха){2,}|(?:wk){2,}|mdr+|ptdr+|w{4,}|5{4,})$/u;

/** Endings of what will be done, where a language says it so. */
const FUTURE =
  /(?:unga|ungi|oonga|oongi|aunga|enge|ogey?|ogi|egi|ega|aega|ayega|ayegi|aayenge)$|(?:ूंगा|ूंगी|ूँगा|ूँगी|ऊंगा|ऊंगी|ेंगे|एंगे|ेगा|ेगी|एगा|एगी|ोगे|ओगे)$|^(?:سا|سن|سي|ست|هن|بن)\p{L}{3,}|(?:aremos|eremos|iremos|arei|erei|irei)$/u;

export interface Reading {
  /** A sense for each word. */
  readonly senses: readonly Sense[];
  /** At how many words a phrase of chain letters begins. */
  readonly chains: number;
  /** It asks everybody to pass it on. */
  readonly passedOn: boolean;
}

export function sensesOf(words: readonly string[]): Reading {
  const senses: Sense[] = [];
  for (let at = 0; at < words.length; ) {
    const { value, length } = senseAt(words, at);
    for (let i = 0; i < length; i++) senses.push(value);
    at += length;
  }
  settle(senses, words);
  const chains = words.filter((_, at) => CHAIN_PHRASES.longestAt(words, at) !== null).length;
  const passedOn = words.some((_, at) => PASSING_ON.longestAt(words, at) !== null);
  return { senses, chains, passedOn };
}

const ONLY_FIRST: ReadonlySet<Sense> = new Set(['acknowledgement', 'answer']);

/**
 * One answers at the beginning of what one says. Further on "no" and "right" only hold a sentence together, and
 * the shortest words mean something else in every language.
 */
function settle(senses: Sense[], words: readonly string[]): void {
  const begun = senses.findIndex((sense) => !IDLE.has(sense));
  if (begun < 0) return;
  for (let at = begun; at < senses.length; at++) {
    const sense = senses[at] ?? 'unknown';
    if (sense === 'promise') senses[at] = 'deed';
    const tiny = (words[at]?.length ?? 0) < 4 && IDLE.has(sense) && sense !== 'laughter';
    if (ONLY_FIRST.has(sense) || (tiny && at < senses.length - 1)) senses[at] = 'filler';
  }
}

/** "Happy …", whatever the day is called. */
const WISHES: ReadonlySet<string> = new Set(
  phrasesOf(`happy, feliz, felices, felizes, joyeux, joyeuse, frohe, frohes, frohen, schone, schonen, schones, gutes,
    buon, buona, bon, bonne, shubh, subh, शुभ, selamat, mutlu, iyi, счастливого, хорошего`),
);

function senseAt(words: readonly string[], at: number): Found<Sense> {
  const found = PHRASES.longestAt(words, at);
  if (found !== null && found.length > 1) return found;
  const word = words[at] ?? '';
  if (at < 3 && at + 1 < words.length && WISHES.has(word)) return { value: 'greeting', length: 2 };
  return { value: senseOf(word), length: 1 };
}

function senseOf(word: string): Sense {
  if (LAUGHTER.test(word)) return 'laughter';
  for (const spelling of spellings(word)) {
    const sense = PHRASES.get(spelling);
    if (sense !== undefined) return sense;
  }
  if (/\p{N}/u.test(word)) return 'number';
  return FUTURE.test(word) ? 'deed' : 'unknown';
}

// Assigns a sense to each word of a text, by word lists and a few endings. One lexicon covers all languages, because
// the language of a message is unknown. The longest phrase wins.
import { foldText } from '../../search/words.ts';
import { DEEDS, QUESTIONS, REQUESTS, THINGS, TIME_TERMS } from './content-words.ts';
import {
  ACKNOWLEDGEMENTS,
  BARE_ANSWERS,
  CALLS,
  CHAINS,
  FEELINGS,
  FILLERS,
  GREETINGS,
  PASSED_ON,
  PASTIMES,
  PRAISE,
  PROMISES,
  THANKS,
} from './idle-words.ts';

// Phrases and their values. The longest phrase at a position counts.

interface PhraseMatch<T> {
  readonly value: T;
  /** Number of words. */
  readonly length: number;
}

class Phrases<T> {
  readonly #values = new Map<string, T>();
  /** The word count of the longest phrase that begins with this word. */
  readonly #reach = new Map<string, number>();

  /** The first of two equal phrases counts. */
  constructor(entries: Iterable<readonly [phrase: string, value: T]>) {
    for (const [phrase, value] of entries) {
      if (this.#values.has(phrase)) continue;
      this.#values.set(phrase, value);
      const words = phrase.split(' ');
      const [first = ''] = words;
      this.#reach.set(first, Math.max(words.length, this.#reach.get(first) ?? 0));
    }
  }

  get(phrase: string): T | undefined {
    return this.#values.get(phrase);
  }

  longestAt(words: readonly string[], at: number): PhraseMatch<T> | null {
    const reach = this.#reach.get(words[at] ?? '') ?? 0;
    for (let length = Math.min(reach, words.length - at); length > 0; length--) {
      const value = this.#values.get(words.slice(at, at + length).join(' '));
      if (value !== undefined) return { value, length };
    }
    return null;
  }
}

export const WORD_SENSES = [
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
export type WordSense = (typeof WORD_SENSES)[number];

/** Senses without content. */
export const IDLE_SENSES: ReadonlySet<WordSense> = new Set([
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

/** If two lists have the same word, the first list counts. */
const LISTS: readonly (readonly [WordSense, readonly string[]])[] = [
  ['greeting', GREETINGS],
  ['thanks', THANKS],
  ['request', REQUESTS],
  ['promise', PROMISES],
  ['answer', BARE_ANSWERS],
  ['acknowledgement', ACKNOWLEDGEMENTS],
  ['praise', PRAISE],
  ['feeling', FEELINGS],
  ['call', CALLS],
  ['pastime', PASTIMES],
  ['question', QUESTIONS],
  ['filler', FILLERS],
  ['time', TIME_TERMS],
  ['deed', DEEDS],
  ['thing', THINGS],
];

const phrasesOf = (list: string): readonly string[] =>
  foldText(list)
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

/** Future verb endings, in languages that have them. */
const FUTURE =
  /(?:unga|ungi|oonga|oongi|aunga|enge|ogey?|ogi|egi|ega|aega|ayega|ayegi|aayenge)$|(?:ूंगा|ूंगी|ूँगा|ूँगी|ऊंगा|ऊंगी|ेंगे|एंगे|ेगा|ेगी|एगा|एगी|ोगे|ओगे)$|^(?:سا|سن|سي|ست|هن|بن)\p{L}{3,}|(?:aremos|eremos|iremos|arei|erei|irei)$/u;

interface WordReading {
  /** One sense per word. */
  readonly senses: readonly WordSense[];
  /** The number of words at which a chain-message phrase begins. */
  readonly chains: number;
  /** Whether it asks everybody to pass it on. */
  readonly passedOn: boolean;
}

export function readWordSenses(words: readonly string[]): WordReading {
  const senses: WordSense[] = [];
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

const ONLY_FIRST: ReadonlySet<WordSense> = new Set(['acknowledgement', 'answer']);

/**
 * An answer comes at the beginning. Further on, "no" and "right" are only function words, and the shortest words mean
 * something else in every language.
 */
function settle(senses: WordSense[], words: readonly string[]): void {
  const begun = senses.findIndex((sense) => !IDLE_SENSES.has(sense));
  if (begun < 0) return;
  for (let at = begun; at < senses.length; at++) {
    const sense = senses[at] ?? 'unknown';
    if (sense === 'promise') senses[at] = 'deed';
    const tiny = (words[at]?.length ?? 0) < 4 && IDLE_SENSES.has(sense) && sense !== 'laughter';
    if (ONLY_FIRST.has(sense) || (tiny && at < senses.length - 1)) senses[at] = 'filler';
  }
}

/** "Happy …", whatever the day is called. */
const WISHES: ReadonlySet<string> = new Set(
  phrasesOf(`happy, feliz, felices, felizes, joyeux, joyeuse, frohe, frohes, frohen, schone, schonen, schones, gutes,
    buon, buona, bon, bonne, shubh, subh, शुभ, selamat, mutlu, iyi, счастливого, хорошего`),
);

function senseAt(words: readonly string[], at: number): PhraseMatch<WordSense> {
  const found = PHRASES.longestAt(words, at);
  if (found !== null && found.length > 1) return found;
  const word = words[at] ?? '';
  if (at < 3 && at + 1 < words.length && WISHES.has(word)) return { value: 'greeting', length: 2 };
  return { value: senseOf(word), length: 1 };
}

function senseOf(word: string): WordSense {
  if (LAUGHTER.test(word)) return 'laughter';
  for (const spelling of possibleSpellings(word)) {
    const sense = PHRASES.get(spelling);
    if (sense !== undefined) return sense;
  }
  if (/\p{N}/u.test(word)) return 'number';
  return FUTURE.test(word) ? 'deed' : 'unknown';
}

// Prepares a text for the noise filter: folded words, and further observations.

export interface NoiseText {
  readonly raw: string;
  readonly words: readonly string[];
  readonly emoji: readonly string[];
  /** Whether a word is drawn out: "noooo". */
  readonly drawnOut: boolean;
}

/** Text beyond this is not read: only chain messages are longer noise, and they show it at the beginning. */
const LONGEST = 2_000;

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
const EMOJI =
  /(?:\p{RI}\p{RI}|\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f?)(?:\p{EMod}|\u200d\p{Extended_Pictographic}\ufe0f?)*/gu;
const DRAWN_OUT = /(\p{L})\1{2,}/gu;

export function readNoiseText(raw: string): NoiseText {
  const text = raw.slice(0, LONGEST);
  const folded = foldText(text.replace(/@\d{5,}/g, ' '));
  return {
    raw: text,
    words: (folded.match(WORD) ?? []).map((word) => word.replace(/['’]/g, '')),
    emoji: text.match(EMOJI) ?? [],
    drawnOut: /(\p{L})\1{2,}/u.test(folded),
  };
}

/** Possible spellings of a drawn-out word: "goood" as "good" and "god". */
const possibleSpellings = (word: string): readonly string[] =>
  /(\p{L})\1{2,}/u.test(word)
    ? [word, word.replace(DRAWN_OUT, '$1$1'), word.replace(DRAWN_OUT, '$1')]
    : [word, word.replace(/(\p{L})\1$/u, '$1')];

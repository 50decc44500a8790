// Phase 1 of the trigger: decides without a model whether a group message may address the assistant. It runs for every
// message. A forwarded message never addresses the assistant.

import { foldText } from '../../search/words.ts';
import type { GroupMessage } from '../message.ts';
import { soundDistance, soundOf, toLatinLetters } from './sound.ts';

export interface Addressee {
  /** The assistant's name: `observer.assistant_name`. */
  readonly name: string;
  /** All addresses of the linked account, by phone number and by LID. */
  readonly jids: readonly string[];
  /** Whether the assistant wrote this message of the group. */
  readonly isAssistantMessage: (id: string) => boolean;
}

const ADDRESS_KINDS = ['reply', 'mention', 'name'] as const;
/** How a message can address the assistant. */
type AddressKind = (typeof ADDRESS_KINDS)[number];

/** True only for the owner: what others write to the assistant is recorded and not answered. */
export function mayBeAddressed(message: GroupMessage, who: Addressee): boolean {
  return message.fromOwner && findAddress(message, who) !== null;
}

/** For any sender; null if the message does not address the assistant. */
export function findAddress(message: GroupMessage, who: Addressee): AddressKind | null {
  if (message.forwarded || message.fromAssistant || !WRITTEN.has(message.kind)) return null;
  if (message.quotedId !== null && who.isAssistantMessage(message.quotedId)) return 'reply';
  if (mentions(message, who.jids)) return 'mention';
  return callsByName(message.text, who.name) ? 'name' : null;
}

/** Kinds whose text the sender typed. A document's text is its file name, a contact's is another person's name. */
const WRITTEN: ReadonlySet<GroupMessage['kind']> = new Set([
  'text',
  'image',
  'video',
  'audio',
  'location',
  'poll',
]);

/** A notification forwarder provides no list of mentions, but their digits are in the text. */
function mentions({ text, mentions: listed }: GroupMessage, jids: readonly string[]): boolean {
  const own = new Set(jids.map(withoutDevice));
  if (listed.length > 0) return listed.some((jid) => own.has(withoutDevice(jid)));
  const users = new Set(jids.map(jidUser));
  return Array.from(text.matchAll(MENTION)).some(([, digits = '']) => users.has(digits));
}

/** A mention in a text. */
export const MENTION = /@(\d{5,})/g;

export const jidUser = (jid: string): string => jid.replace(/[:@].*$/, '');
const withoutDevice = (jid: string): string => jid.replace(/:\d+(?=@)/, '');

// Detects a name in a text: spelt correctly, misspelt, in another script, or with an ending. It works for any name and
// prefers false positives, which phase 2 sorts out.

/** Each word costs time, and senders choose the number of words: in a long text only both ends are examined. */
const LONGEST_END = 2_000;
const endsOf = (text: string): string =>
  text.length <= 2 * LONGEST_END
    ? text
    : `${text.slice(0, LONGEST_END)} ${text.slice(-LONGEST_END)}`;

export function callsByName(text: string, name: string): boolean {
  const wanted = wantedOf(name);
  // The name can be an emoji such as 🤖.
  if (wanted.letters === '') return text.includes(name);
  const folded = foldText(endsOf(text))
    .split(/\s+/)
    .filter((part) => !ADDRESS.test(part))
    .join(' ');
  if (UNSPACED.test(wanted.letters)) return folded.replace(/\s+/g, '').includes(wanted.letters);
  const words = folded.match(WORD) ?? [];
  return words.some((_, first) =>
    wanted.spans.some((span) => isCall(words.slice(first, first + span).join(''), wanted)),
  );
}

interface Wanted {
  readonly letters: string;
  readonly sound: string;
  /** How many words the name can span: a name of two words is also written as one. */
  readonly spans: readonly number[];
}

function wantedOf(name: string): Wanted {
  const words = foldText(name).match(WORD) ?? [];
  const letters = words.join('');
  return {
    letters,
    sound: soundOf(toLatinLetters(letters)),
    spans: words.map((_, place) => place + 1),
  };
}

function isCall(word: string, { letters, sound }: Wanted): boolean {
  if (withoutRepeats(word).length > letters.length * 3) return false;
  if (word === letters || isTypoOf(word, letters) || isLonger(word, letters)) return true;
  const latin = toLatinLetters(word);
  const heard = soundOf(latin);
  // A sound of two letters matches too many words, unless it was written in another script.
  if (sound.length <= 2) return latin !== word && heard === sound;
  return soundDistance(heard, sound) <= allowance(sound) || isWithEnding(heard, sound);
}

/** Short names resemble many words, so less may differ. */
function allowance(sound: string): number {
  if (sound.length === 3) return 0.5;
  return sound.length === 4 ? 0.8 : 1;
}

/** A correctly spelt name may have an ending of any language. */
const isLonger = (word: string, name: string): boolean =>
  name.length >= 4 && word.startsWith(name) && word.length - name.length <= 4;

/** A run of letters of one script: Japanese does not separate its words. */
const WORD =
  /[\p{Script=Katakana}\u30fc]+|\p{Script=Hiragana}+|\p{Script=Han}+|(?:(?![\p{Script=Katakana}\p{Script=Hiragana}\p{Script=Han}])[\p{L}\p{M}\p{N}_])+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Links and mail addresses may contain any name. */
const ADDRESS = /^\W*(?:https?:\/\/|www\.)|@[\p{L}\p{N}-]+\./u;

// Endings of names: diminutives, honorifics and grammatical endings. Closed classes of several languages, compared by
// sound. Before a diminutive a name may lose its last vowel.

const asHeard = (endings: string): ReadonlySet<string> => new Set(endings.split(' ').map(soundOf));

const DIMINUTIVES = asHeard(
  'ita ito cita cito illa illo ina ino inha inho zinha zinho etta etto uccia ochka echka ushka enka chen lein',
);
const PARTICLES = asHeard('ji bhai di didi jaan ben san chan kun sama ya ssi nim jan em ka ke s');

/** Both as sounds. */
function isWithEnding(heard: string, name: string): boolean {
  const stem = name.replace(/[aeiou]$/, '');
  return (
    (heard.startsWith(stem) && DIMINUTIVES.has(heard.slice(stem.length))) ||
    (heard.startsWith(name) && isEnding(heard.slice(name.length)))
  );
}

const isEnding = (rest: string): boolean => DIMINUTIVES.has(rest) || PARTICLES.has(rest);

// Whether a word is a typo of a name: one letter too many, too few or wrong, or two swapped. Only for names that are
// long enough that the typo is no other word; repeated letters do not count.

function isTypoOf(word: string, name: string): boolean {
  const slips = Math.min(2, Math.floor(name.length / 5));
  return within(slips, word, name) || within(slips, withoutRepeats(word), withoutRepeats(name));
}

/** Removes letters that repeat the one before. */
const withoutRepeats = (word: string): string => word.replace(/(.)\1+/gu, '$1');

const within = (slips: number, typed: string, meant: string): boolean =>
  typed === meant ||
  (Math.abs(typed.length - meant.length) <= slips && slipsBetween(typed, meant) <= slips);

/** The Damerau-Levenshtein distance: swapping two neighbours is one step. */
function slipsBetween(typed: string, meant: string): number {
  const [from, to] = [Array.from(typed), Array.from(meant)];
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, place) => place);
  for (const [row, letter] of from.entries()) {
    const here = [row + 1];
    for (const [place, other] of to.entries()) {
      const across = (above[place] ?? 0) + (letter === other ? 0 : 1);
      const changed = letter === to[place - 1] && from[row - 1] === other;
      here.push(
        Math.min(
          across,
          (above[place + 1] ?? 0) + 1,
          (here[place] ?? 0) + 1,
          changed ? (before[place - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, above] = [above, here];
  }
  return above.at(-1) ?? 0;
}

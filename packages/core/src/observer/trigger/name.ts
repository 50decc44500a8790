// Whether a text calls somebody by name: as it is spelt, misspelt, in another script, or with an ending.
// Pure, and about no name in particular. It hears too much rather than too little: phase 2 sorts that out.
import { fold } from '../../search/fold.ts';
import { isWithEnding } from './endings.ts';
import { inLatin } from './scripts.ts';
import { farApart, soundOf } from './sound.ts';
import { held, typedFor } from './typing.ts';

/** Each word costs time, and others choose how many there are: of a long text only both ends are looked at. */
const LONGEST_END = 2_000;
const endsOf = (text: string): string =>
  text.length <= 2 * LONGEST_END
    ? text
    : `${text.slice(0, LONGEST_END)} ${text.slice(-LONGEST_END)}`;

export function calls(text: string, name: string): boolean {
  const wanted = wantedOf(name);
  // Somebody may call it 🤖.
  if (wanted.letters === '') return text.includes(name);
  const folded = fold(endsOf(text))
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
  /** Over how many words it may be spread: a name of two is also written as one. */
  readonly spans: readonly number[];
}

function wantedOf(name: string): Wanted {
  const words = fold(name).match(WORD) ?? [];
  const letters = words.join('');
  return {
    letters,
    sound: soundOf(inLatin(letters)),
    spans: words.map((_, place) => place + 1),
  };
}

function isCall(word: string, { letters, sound }: Wanted): boolean {
  if (held(word).length > letters.length * 3) return false;
  if (word === letters || typedFor(word, letters) || isLonger(word, letters)) return true;
  const latin = inLatin(word);
  const heard = soundOf(latin);
  // Two sounds are half the words there are, unless somebody spelt them in another script.
  if (sound.length <= 2) return latin !== word && heard === sound;
  return farApart(heard, sound) <= allowance(sound) || isWithEnding(heard, sound);
}

/** Short names have many neighbours, so less may differ. */
function allowance(sound: string): number {
  if (sound.length === 3) return 0.5;
  return sound.length === 4 ? 0.8 : 1;
}

/** A name that is spelt right may have an ending of any language. */
const isLonger = (word: string, name: string): boolean =>
  name.length >= 4 && word.startsWith(name) && word.length - name.length <= 4;

/** A run of letters of one way of writing: Japanese puts none of its words apart. */
const WORD =
  /[\p{Script=Katakana}\u30fc]+|\p{Script=Hiragana}+|\p{Script=Han}+|(?:(?![\p{Script=Katakana}\p{Script=Hiragana}\p{Script=Han}])[\p{L}\p{M}\p{N}_])+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Links and mail addresses name whom they please. */
const ADDRESS = /^\W*(?:https?:\/\/|www\.)|@[\p{L}\p{N}-]+\./u;

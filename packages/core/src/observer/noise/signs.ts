// What can be seen of one message by itself, as named numbers between 0 and 1. `weights.ts` says what each is
// worth. Nothing here knows any group or person.
import type { GroupMessage } from '../message.ts';
import { FIGURES, hasFigure } from './figures.ts';
import { IDLE, SENSES, type Sense, sensesOf } from './lexicon.ts';
import { read, type Text } from './text.ts';

/** One that is not there is 0. */
export type Signs = ReadonlyMap<string, number>;
export type Sign = readonly [name: string, size: number | boolean];

export interface Seen {
  readonly text: Text;
  /** Of each word. */
  readonly senses: readonly Sense[];
  readonly signs: Signs;
  /** It wants an answer, or something done. */
  readonly asks: boolean;
  /** Nothing but words that greet, thank, answer, praise and feel. */
  readonly bare: boolean;
  /** Such words, and a yes, a no or a promise among them. */
  readonly settles: boolean;
}

export function look(message: GroupMessage): Seen {
  const text = read(message.text);
  const { senses, chains, passedOn } = sensesOf(text.words);
  const has = (...any: readonly Sense[]): boolean => any.some((sense) => senses.includes(sense));
  const bare =
    senses.length > 0 && senses.every((s) => IDLE.has(s) || s === 'filler') && has(...IDLE);
  const signs = gather([
    ...wordSigns(senses, bare),
    ...shapeSigns(text),
    ['mentions', message.mentions.length > 0],
    ['caption', message.kind === 'image' || message.kind === 'video'],
    ['pastime with numbers', has('pastime') && hasFigure(text.raw, 'number')],
    ...chainSigns(message, text, chains, has('deed') && has('thing', 'request')),
    ['passed on', passedOn && text.words.length >= PASSED_ON_FROM],
  ]);
  return {
    text,
    senses,
    signs,
    asks:
      QUESTION_MARK.test(text.raw) ||
      has('request') ||
      (senses[0] === 'question' && senses.length > 2),
    bare,
    settles: bare && has('answer', 'promise'),
  };
}

/** Only those that are there. */
export const gather = (signs: readonly Sign[]): Signs =>
  new Map(signs.flatMap(([name, size]) => (Number(size) === 0 ? [] : [[name, Number(size)]])));

const BUSY: ReadonlySet<Sense> = new Set([
  'time',
  'deed',
  'thing',
  'question',
  'request',
  'number',
]);
const FIRST: readonly Sense[] = [
  'greeting',
  'thanks',
  'acknowledgement',
  'laughter',
  'praise',
  'feeling',
  'call',
  'question',
];
const COUNTED = 3;

function wordSigns(senses: readonly Sense[], bare: boolean): readonly Sign[] {
  const words = senses.length;
  const count = (is: (sense: Sense) => boolean): number => senses.filter(is).length;
  const share = (is: (sense: Sense) => boolean): number => count(is) / Math.max(1, words);
  return [
    ['length', Math.min(1, Math.log2(1 + words) / 5)],
    ['one word', words === 1],
    ['two words', words === 2],
    ['three words', words === 3],
    ['four or five words', words === 4 || words === 5],
    ['idle share', share((sense) => IDLE.has(sense))],
    ['busy share', share((sense) => BUSY.has(sense))],
    ['unknown share', share((sense) => sense === 'unknown')],
    ...SENSES.map(
      (sense): Sign => [
        sense,
        Math.min(
          COUNTED,
          count((s) => s === sense),
        ) / COUNTED,
      ],
    ),
    ...FIRST.map((sense): Sign => [`${sense} first`, senses[0] === sense]),
    ['deed first', senses.find((s) => s !== 'filler' && !IDLE.has(s)) === 'deed'],
    ['bare', bare],
    ['only an answer', bare && senses[0] === 'answer'],
    ['only a promise', bare && senses.includes('promise')],
  ];
}

const QUESTION_MARK = /[?؟]/u;
const TICK = /[✅☑✔❌]/u;
const LAUGHING = /^(?:😂|🤣|😆|😹|💀|😅|😄|😁|😜|😝|🙈|🤭)/u;
const WARM = /^(?:❤|🥰|😍|😘|💕|💛|💚|💙|💜|🤍|🧡|🌹|🌸|🌺|💐|🙏|🤲|🌞|☀|🌙|✨|👏|🔥|😭|🥹|😢|🥺)/u;
const FACE = /^[\u{1F479}-\u{1F480}\u{1F600}-\u{1F64F}\u{1F910}-\u{1F92F}\u{1F970}-\u{1F97A}]/u;
/** A name, or something that has one, within a sentence. */
const NAMED = /(?<=[\p{Ll}\p{N},;]\s)\p{Lu}[\p{Ll}\p{M}]+/gu;
const SENTENCES = /[.!?؟।]\s+\S/u;
const LISTED = /\p{L}\s?:\s|\n\s*\S|\d\)|[+=&]/u;

function shapeSigns({ raw, emoji, drawnOut }: Text): readonly Sign[] {
  return [
    ...FIGURES.map((figure): Sign => [figure, hasFigure(raw, figure)]),
    ['question mark', QUESTION_MARK.test(raw)],
    ['exclamation', raw.includes('!')],
    ['drawn out', drawnOut],
    ['emoji', emoji.length > 0],
    ['laughing emoji', emoji.some((one) => LAUGHING.test(one))],
    ['warm emoji', emoji.some((one) => WARM.test(one))],
    ['face', emoji.some((one) => FACE.test(one))],
    ['tick', TICK.test(raw)],
    ['names', Math.min(COUNTED, raw.match(NAMED)?.length ?? 0) / COUNTED],
    ['sentences', SENTENCES.test(raw)],
    ['listed', LISTED.test(raw)],
  ];
}

/** Of fewer words it may be somebody who asks for a file to be shared. */
const PASSED_ON_FROM = 6;

/** Two or more who speak in turn, as in a joke. */
const DIALOGUE =
  /(?:^|[\s.!?])[\p{L}\p{M}]{1,12}:\s[\s\S]{2,200}?(?:^|[\s.!?])[\p{L}\p{M}]{1,12}:\s/u;

function chainSigns(
  { forwarded }: GroupMessage,
  { raw }: Text,
  chains: number,
  practical: boolean,
): readonly Sign[] {
  const dated = hasFigure(raw, 'clock') || hasFigure(raw, 'date');
  return [
    ['forwarded', forwarded],
    ['chain', Math.min(COUNTED, chains) / COUNTED],
    ['forwarded chain', forwarded && chains > 0],
    ['forwarded notice', forwarded && dated && practical],
    ['dialogue', DIALOGUE.test(raw)],
  ];
}

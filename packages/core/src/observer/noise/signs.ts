// What can be seen of one message by itself, as named numbers between 0 and about 1. `weights.ts` says what
// each is worth. Nothing here knows any group or person.
import type { GroupMessage } from '../message.ts';
import { FIGURE_NAMES, hasFigure } from './figures.ts';
import { type Sense, SENSES, sensesOf } from './lexicon.ts';
import { read, type Text } from './text.ts';

export type Signs = ReadonlyMap<string, number>;

export interface Seen {
  readonly text: Text;
  readonly signs: Signs;
  readonly senses: readonly Sense[];
  /** It wants an answer, or something done. */
  readonly asks: boolean;
  /** Nothing but words that greet, thank, answer, praise and feel. */
  readonly bare: boolean;
}

const IDLE: ReadonlySet<Sense> = new Set([
  'greeting',
  'thanks',
  'acknowledgement',
  'laughter',
  'praise',
  'feeling',
  'call',
]);
const BUSY: ReadonlySet<Sense> = new Set(['time', 'deed', 'thing', 'question', 'request', 'number']);

const LAUGHING = /^(?:😂|🤣|😆|😹|💀|😅|😄|😁|😜|😝|🙈|🤭)/u;
const LOVING = /^(?:❤|🥰|😍|😘|💕|💛|💚|💙|💜|🤍|🧡|🌹|🌸|🌺|💐|🙏|🤲|🌞|☀|🌙|✨|👏|🔥|😭|🥹|😢|🥺)/u;
const TICK = /[✅☑✔❌]/u;
/** A name, or something that has one, within a sentence. */
const NAMED = /(?<=[\p{Ll}\p{N},;]\s)\p{Lu}[\p{Ll}\p{M}]+/gu;
const SENTENCES = /[.!?؟।]\s+\S/u;
const LISTED = /\p{L}\s?:\s|\n\s*\S|\d\)|[+=&]/u;
const DIALOGUE = /(?:^|[\s.!?])[\p{L}\p{M}]{1,12}:\s[^]{2,}?(?:^|[\s.!?])[\p{L}\p{M}]{1,12}:\s/u;
const QUESTION_MARK = /[?؟]/u;

export function look(message: GroupMessage): Seen {
  const text = read(message.text);
  const { senses, chains } = sensesOf(text.words);
  const count = counts(senses);
  const of = (sense: Sense): number => count.get(sense) ?? 0;
  const words = senses.length;
  const idle = sum(IDLE, of);
  const busy = sum(BUSY, of);
  const bare = words > 0 && busy === 0 && of('unknown') === 0 && idle > 0;
  const asks =
    QUESTION_MARK.test(text.raw) || of('request') > 0 || (senses[0] === 'question' && words > 2);
  const signs = new Map<string, number>();
  const sign = (name: string, value: number | boolean): void => {
    const size = Number(value);
    if (size !== 0) signs.set(name, size);
  };
  sign('length', Math.min(1, Math.log2(1 + words) / 5));
  sign('one word', words === 1);
  sign('two words', words === 2);
  sign('three words', words === 3);
  sign('four or five words', words === 4 || words === 5);
  sign('idle share', words === 0 ? 0 : idle / words);
  sign('busy share', words === 0 ? 0 : busy / words);
  sign('bare', bare);
  sign('idle beginning', IDLE.has(senses[0] ?? 'unknown'));
  for (const sense of SENSES) sign(sense, Math.min(3, of(sense)) / 3);
  for (const figure of FIGURE_NAMES) sign(figure, hasFigure(text.raw, figure));
  sign('question mark', QUESTION_MARK.test(text.raw));
  sign('exclamation', /!/.test(text.raw));
  sign('drawn out', text.drawnOut);
  sign('emoji', text.emoji.length > 0);
  sign('many emoji', text.emoji.length > 2);
  sign('laughing emoji', text.emoji.some((emoji) => LAUGHING.test(emoji)));
  sign('warm emoji', text.emoji.some((emoji) => LOVING.test(emoji)));
  sign('tick', TICK.test(text.raw));
  sign('names', Math.min(3, text.raw.match(NAMED)?.length ?? 0) / 3);
  sign('sentences', SENTENCES.test(text.raw));
  sign('listed', LISTED.test(text.raw));
  sign('mention', message.mentions.length > 0);
  sign('caption', message.kind === 'image' || message.kind === 'video');
  sign('forwarded', message.forwarded);
  sign('chain', Math.min(3, chains) / 3);
  sign('forwarded chain', message.forwarded && chains > 0);
  sign('dialogue', DIALOGUE.test(text.raw));
  sign('forwarded notice', message.forwarded && (hasFigure(text.raw, 'clock') || hasFigure(text.raw, 'date')) && of('deed') + of('thing') > 1);
  return { text, signs, senses, asks, bare };
}

function counts(senses: readonly Sense[]): ReadonlyMap<Sense, number> {
  const count = new Map<Sense, number>();
  for (const sense of senses) count.set(sense, (count.get(sense) ?? 0) + 1);
  return count;
}

const sum = (senses: ReadonlySet<Sense>, of: (sense: Sense) => number): number =>
  [...senses].reduce((total, sense) => total + of(sense), 0);

// Tier 0 of the observer: decides from form, words and context which messages are content, without a model or a clock.
// When in doubt a message is content, because a lost decision costs more than a kept "haha".
import type { GroupMessage, NoiseCategory, NoiseJudge, NoiseVerdict } from '../message.ts';
import { readNoiseText } from './lexicon.ts';
import {
  collectSigns,
  formOf,
  type MessageSigns,
  readMessageSigns,
  type Sign,
  type Signs,
  type Weights,
  weigh,
} from './signs.ts';
import { ALONE, IN_TALK } from './weights.ts';

/** The cost of losing a message of content, in kept messages of noise. */
const COST = 5;
const DROPPED_BELOW = 1 / (1 + COST);

export interface NoiseTables {
  /** For a message without context. */
  readonly alone: Weights;
  /** For a message with those before it. */
  readonly inTalk: Weights;
}

export const judgeNoise: NoiseJudge = createNoiseJudge({ alone: ALONE, inTalk: IN_TALK });

/** `learn` computes the tables from labelled weeks; one table is shipped. */
export function createNoiseJudge({ alone, inTalk }: NoiseTables): NoiseJudge {
  return (message, before) => {
    const form = formOf(message);
    if (form === 'emoji_only' && agrees(message, before)) return verdictOf('content');
    if (form !== null) return verdictOf(form);
    const seen = readMessageSigns(message);
    const likely = weigh(signsOf(message, seen, before, alone), inTalk);
    return verdictOf(likely < DROPPED_BELOW ? noiseOf(message, seen) : 'content');
  };
}

export const signsOf = (
  message: GroupMessage,
  seen: MessageSigns,
  before: readonly GroupMessage[],
  alone: Weights,
): Signs =>
  new Map([...seen.signs, ...talkSigns(message, seen, before, (signs) => weigh(signs, alone))]);

const verdictOf = (category: NoiseCategory): NoiseVerdict => ({
  category,
  noise: category !== 'content',
});

const AGREEING = /^(?:[👍👌🆗✅☑✔🫡🤝]|\p{EMod}|\ufe0f|\s)+$/u;

/** A thumbs-up is an answer if it reacts to a question. */
function agrees(
  { text, quotedId, sender }: GroupMessage,
  before: readonly GroupMessage[],
): boolean {
  if (quotedId === null || !AGREEING.test(text)) return false;
  const quoted = before.findLast(({ id }) => id === quotedId);
  return quoted !== undefined && quoted.sender !== sender && readMessageSigns(quoted).isAsking;
}

const MANY_WORDS = 8;

function noiseOf(
  { kind, forwarded }: GroupMessage,
  { senses, signs }: MessageSigns,
): NoiseCategory {
  if (kind !== 'text') return 'media_only';
  const long = senses.length >= MANY_WORDS;
  if (forwarded || (long && (signs.get('chain') ?? 0) > 1 / 3)) return 'forward_chain';
  const greets = senses.includes('greeting');
  return greets && !senses.includes('laughter') ? 'greeting' : 'chatter';
}

// The context of a message: whether it answers, whom, and what the exchange is about. An "ok" from the person who was
// asked settles something; the same "ok" from a bystander does not.

/** How far back an answer finds what it answers. */
export const NOISE_LOOKBACK = 30;

/** How many of the last messages belong to the same exchange. */
const NEAR = 12;

/** How many of those are read word by word. */
const HEEDED = 6;
const TALKING_MS = 30 * 60_000;
const GOES_ON_MS = 3 * 60_000;
const SHORT = 4;

/** The probability that a message is content, without context. */
type ContentLikelihood = (signs: Signs) => number;

/** What somebody wrote before, as words. */
interface Said {
  readonly message: GroupMessage;
  readonly seen: MessageSigns;
  readonly worth: number;
}

function talkSigns(
  message: GroupMessage,
  seen: MessageSigns,
  earlier: readonly GroupMessage[],
  worth: ContentLikelihood,
): Signs {
  const before = earlier.slice(-NEAR).filter(({ id }) => id !== message.id);
  const recent = before.filter(({ at }) => message.at.getTime() - at.getTime() < TALKING_MS);
  const said = recent
    .filter(hasWords)
    .slice(-HEEDED)
    .flatMap((heard) => saidIn(heard, worth));
  return collectSigns([
    ['names a member', namesAnother(message, seen.text.words, before)],
    ...answerSigns(message, seen, earlier.slice(-NOISE_LOOKBACK), worth),
    ...askedSigns(message, seen, said, before),
    ...flowSigns(message, seen, said),
    ['after media', isAfterMedia(message, recent)],
  ]);
}

function answerSigns(
  { quotedId }: GroupMessage,
  seen: MessageSigns,
  before: readonly GroupMessage[],
  worth: ContentLikelihood,
): readonly Sign[] {
  if (quotedId === null) return [];
  const quoted = before.findLast(({ id }) => id === quotedId);
  if (quoted === undefined) return [['answers', 1]];
  const [to] = saidIn(quoted, worth);
  if (to === undefined)
    return [
      ['answers', 1],
      ['answers media', 1],
    ];
  const { isAsking } = to.seen;
  return [
    ['answers', 1],
    ['answers content', to.worth],
    ['answers a question', isAsking],
    ['short answer to a question', isAsking && isShort(seen)],
    ['bare answer to a question', isAsking && seen.isBare],
    ['settles what was asked', isAsking && seen.settlesQuestion],
    ['settles what was said', seen.settlesQuestion ? to.worth : 0],
  ];
}

function askedSigns(
  message: GroupMessage,
  seen: MessageSigns,
  said: readonly Said[],
  before: readonly GroupMessage[],
): readonly Sign[] {
  const last = said.at(-1);
  const others = said.filter((earlier) => earlier.message.sender !== message.sender);
  const asked = others.findLast((earlier) => earlier.seen.isAsking);
  const spokenTo =
    last !== undefined &&
    last.message.sender !== message.sender &&
    isAddressedTo(last.message, message, before)
      ? last.worth
      : 0;
  const directly = asked !== undefined && asked === last;
  const mine = asked !== undefined && isAddressedTo(asked.message, message, before);
  return [
    ['after a question', directly],
    ['soon after a question', asked !== undefined && !directly],
    ['short after a question', directly && isShort(seen)],
    ['bare after a question', directly && seen.isBare],
    ['settles after a question', directly && seen.settlesQuestion],
    ['was asked', mine],
    ['short and was asked', mine && isShort(seen)],
    ['bare and was asked', mine && seen.isBare],
    ['settles and was asked', mine && seen.settlesQuestion],
    ['was spoken to', spokenTo],
    ['short and was spoken to', isShort(seen) ? spokenTo : 0],
    ['bare and was spoken to', seen.isBare ? spokenTo : 0],
    ['settles and was spoken to', seen.settlesQuestion ? spokenTo : 0],
  ];
}

function flowSigns(
  { sender, at }: GroupMessage,
  seen: MessageSigns,
  said: readonly Said[],
): readonly Sign[] {
  const talk = said.slice(-3);
  if (talk.length === 0) return [];
  const mean = talk.reduce((total, { worth }) => total + worth, 0) / talk.length;
  const last = talk.at(-1);
  const goesOn =
    last !== undefined &&
    last.message.sender === sender &&
    at.getTime() - last.message.at.getTime() < GOES_ON_MS;
  return [
    ['talk of content', mean],
    ['idle talk', 1 - mean],
    ['short in talk of content', isShort(seen) ? mean : 0],
    ['goes on', goesOn ? last.worth : 0],
  ];
}

const isShort = ({ senses }: MessageSigns): boolean => senses.length <= SHORT;

function isAfterMedia({ sender }: GroupMessage, recent: readonly GroupMessage[]): boolean {
  const last = recent.findLast(({ kind }) => kind !== 'reaction' && kind !== 'deleted');
  if (last === undefined || last.sender === sender) return false;
  return !hasWords(last);
}

function hasWords(message: GroupMessage): boolean {
  const form = formOf(message);
  return form === null || form === 'content';
}

/** Empty if there are no words. */
function saidIn(message: GroupMessage, worth: ContentLikelihood): readonly Said[] {
  if (!hasWords(message)) return [];
  const seen = readMessageSigns(message);
  return [{ message, seen, worth: formOf(message) === 'content' ? 1 : worth(seen.signs) }];
}

// Determines whom a message addresses: by name or mention, as a reply, or right after they spoke.

/** How many messages may come between two people in an exchange. */
const NEAR_SPEAKERS = 3;

function isAddressedTo(
  said: GroupMessage,
  { sender, senderName }: GroupMessage,
  before: readonly GroupMessage[],
): boolean {
  if (said.mentions.includes(sender)) return true;
  const words = readNoiseText(said.text).words;
  if (namesIn(senderName).some((name) => words.includes(name))) return true;
  const answered = before.findLast(({ id }) => id === said.quotedId);
  if (answered !== undefined) return answered.sender === sender;
  const at = before.indexOf(said);
  const spoke = before
    .slice(Math.max(0, at - NEAR_SPEAKERS), at)
    .findLast((earlier) => earlier.kind === 'text' && earlier.sender !== said.sender);
  return spoke?.sender === sender;
}

/** Whether it names another recent speaker. */
function namesAnother(
  { sender, senderName }: GroupMessage,
  words: readonly string[],
  before: readonly GroupMessage[],
): boolean {
  const own = new Set(namesIn(senderName));
  return before.some(
    (earlier) =>
      earlier.sender !== sender &&
      namesIn(earlier.senderName).some((name) => !own.has(name) && words.includes(name)),
  );
}

const SHORTEST = 3;

const namesIn = (senderName: string): readonly string[] =>
  readNoiseText(senderName).words.filter((name) => name.length >= SHORTEST);

// Tier 0: what of a group is worth reading, told from form, words and what was said before. No model, no
// clock. In doubt a message is content: a lost decision costs more than a kept "haha".
import type { GroupMessage } from '../message.ts';
import type { Category, Judge, Verdict } from '../verdict.ts';
import { formOf } from './form.ts';
import { look, type Seen, type Signs } from './signs.ts';
import { talkSigns } from './talk.ts';
import { type Weights, weigh } from './weigh.ts';
import { ALONE, IN_TALK } from './weights.ts';

/** What a lost message of content costs, in kept messages of noise. */
const COST = 5;
const DROPPED_BELOW = 1 / (1 + COST);

export interface Tables {
  /** For a message seen by itself. */
  readonly alone: Weights;
  /** For a message and those before it. */
  readonly inTalk: Weights;
}

export const judge: Judge = judgeBy({ alone: ALONE, inTalk: IN_TALK });

/** `learn` finds the tables from labelled weeks; one is shipped. */
export function judgeBy({ alone, inTalk }: Tables): Judge {
  return (message, before) => {
    const form = formOf(message);
    if (form === 'emoji_only' && agrees(message, before)) return verdictOf('content');
    if (form !== null) return verdictOf(form);
    const seen = look(message);
    const likely = weigh(signsOf(message, seen, before, alone), inTalk);
    return verdictOf(likely < DROPPED_BELOW ? noiseOf(message, seen) : 'content');
  };
}

export const signsOf = (
  message: GroupMessage,
  seen: Seen,
  before: readonly GroupMessage[],
  alone: Weights,
): Signs =>
  new Map([...seen.signs, ...talkSigns(message, seen, before, (signs) => weigh(signs, alone))]);

const verdictOf = (category: Category): Verdict => ({ category, noise: category !== 'content' });

const AGREEING = /^(?:[👍👌🆗✅☑✔🫡🤝]|\p{EMod}|\ufe0f|\s)+$/u;

/** A thumb is an answer when it is given to a question. */
function agrees(
  { text, quotedId, sender }: GroupMessage,
  before: readonly GroupMessage[],
): boolean {
  if (quotedId === null || !AGREEING.test(text)) return false;
  const quoted = before.findLast(({ id }) => id === quotedId);
  return quoted !== undefined && quoted.sender !== sender && look(quoted).asks;
}

const MANY_WORDS = 8;

function noiseOf({ kind, forwarded }: GroupMessage, { senses, signs }: Seen): Category {
  if (kind !== 'text') return 'media_only';
  const long = senses.length >= MANY_WORDS;
  if (forwarded || (long && (signs.get('chain') ?? 0) > 1 / 3)) return 'forward_chain';
  const greets = senses.includes('greeting');
  return greets && !senses.includes('laughter') ? 'greeting' : 'chatter';
}

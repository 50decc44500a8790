// One message of content as a line: who, in answer to what, and the words as they were written. The message
// it answers is named with it, since in a group what stands above is often somebody else's talk.

import type { GroupMessage } from '../message.ts';
import type { Judged } from '../verdict.ts';
import type { Known, Told } from './told.ts';
import { nameOf, noun, quote, verbatim } from './words.ts';

export function contentLine({ message }: Judged, known: Known): Told {
  const marks = [
    ...(message.kind === 'text' ? [] : [noun(message.kind)]),
    ...(message.forwarded ? ['forwarded'] : []),
    ...(message.replaces === null ? [] : ['edited']),
    ...(message.quotedId === null ? [] : [`answers ${named(known.get(message.quotedId))}`]),
  ];
  const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  return {
    at: message.at,
    words: `${nameOf(message)}${mark}: ${verbatim(message.text)}`,
    ids: [message.id],
  };
}

function named(answered: Judged | undefined): string {
  return answered === undefined ? 'an earlier message' : described(answered.message);
}

/** `Mum's photo`, `Mum's "Who brings the colours?"`. */
export function described(message: GroupMessage): string {
  const words = message.kind === 'text' || message.kind === 'poll';
  return `${nameOf(message)}'s ${words && message.text.trim() !== '' ? quote(message.text) : noun(message.kind)}`;
}

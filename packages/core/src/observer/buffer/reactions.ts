// Reactions collapsed to a count for each message they are for: "5 people reacted to Mum's photo". A member
// has one reaction to a message, the last; an empty one takes it back. What is noise itself is not worth one.

import type { GroupMessage } from '../message.ts';
import type { Judged } from '../verdict.ts';
import { described } from './content.ts';
import type { Known, Told } from './told.ts';
import { nameOf } from './words.ts';

const EMOJI = /^(?:\p{Extended_Pictographic}|\p{RI}|\p{EMod}|[\u200d\ufe0f\u20e3#*0-9])+$/u;
const LONGEST_EMOJI = 16;

export function reactionLines(judged: readonly Judged[], known: Known): readonly Told[] {
  const byTarget = Map.groupBy(
    judged.flatMap(({ message }) => (message.kind === 'reaction' ? message : [])),
    ({ reactionTo }) => reactionTo ?? '',
  );
  return [...byTarget].flatMap(([target, reactions]) => {
    const to = known.get(target);
    if (to === undefined || (to.verdict.noise && to.verdict.category !== 'media_only')) return [];
    return toldOf(lastOfEach(reactions), to.message);
  });
}

function lastOfEach(reactions: readonly GroupMessage[]): readonly GroupMessage[] {
  const last = new Map(reactions.map((reaction) => [reaction.sender, reaction]));
  return [...last.values()].filter(({ text }) => text !== '');
}

function toldOf(reactions: readonly GroupMessage[], to: GroupMessage): readonly Told[] {
  const latest = reactions.toSorted((a, b) => a.at.getTime() - b.at.getTime()).at(-1);
  if (latest === undefined) return [];
  const who = reactions.length === 1 ? nameOf(latest) : `${reactions.length} people`;
  return [
    {
      at: latest.at,
      words: `${who} reacted to ${described(to)}${emojiOf(reactions)}`,
      ids: reactions.map(({ id }) => id),
    },
  ];
}

/** With the most frequent one in front. Whatever is no emoji is not told: it could be anything. */
function emojiOf(reactions: readonly GroupMessage[]): string {
  const counts = new Map<string, number>();
  for (const { text } of reactions) {
    if (text.length > LONGEST_EMOJI || !EMOJI.test(text)) continue;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const shown = [...counts].sort(([, a], [, b]) => b - a).map(([emoji]) => emoji);
  return shown.length === 0 ? '' : `: ${shown.join(' ')}`;
}

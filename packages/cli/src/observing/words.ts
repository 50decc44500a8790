// What a person reads about groups that are read in silence. Pure.
import type { ObservedGroup } from '@relay/core/api/observed-groups';
import { clock, count, oneLine, roughly } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export function begunLines(group: ObservedGroup): string[] {
  const { name, zone, assistant_name, answers_per_day, may_answer } = group;
  const assistant = oneLine(assistant_name);
  return [
    `${oneLine(name)} is read in silence since ${clock(new Date(group.since), new Date())} (${zone}).`,
    may_answer && answers_per_day > 0
      ? `Nothing is written there unless you ask ${assistant} by name, at most ${count(answers_per_day, 'time')} a day.`
      : `Nothing is written there. \`relay observe add --answer\` lets ${assistant} answer you when you ask it by name.`,
  ];
}

export function listedLines(
  groups: readonly ObservedGroup[],
  now: Date,
  colours: Pick<Terminal['colours'], 'bold' | 'dim'>,
): string[] {
  return groups.flatMap((group, index) => [
    ...(index === 0 ? [] : ['']),
    `${colours.bold(oneLine(group.name))}  ${colours.dim(group.address)}`,
    ...factsOf(group, now).map(([what, is]) => `  ${colours.dim(what.padEnd(9))} ${is}`),
  ]);
}

function factsOf(group: ObservedGroup, now: Date): [string, string][] {
  const heard = group.messages_kept + group.messages_cut;
  const share = heard === 0 ? '' : ` (${Math.round((100 * group.messages_cut) / heard)} %)`;
  const ago = (at: string) => roughly(now.getTime() - new Date(at).getTime());
  const { last_digest_at: digest, oldest_message_at: oldest, announced_at: announced } = group;
  return [
    [
      'since',
      `${clock(new Date(group.since), now)}, ${announced === null ? 'not announced' : 'announced'}, ${group.zone}`,
    ],
    ['messages', `${group.messages_kept} kept, ${group.messages_cut} cut as noise${share}`],
    ['tokens', `${group.tokens_spent} spent, ${group.tokens_avoided} avoided`],
    ['digest', digest === null ? 'none yet' : `up to ${clock(new Date(digest), now)}`],
    [
      'answers',
      group.may_answer
        ? `${group.answers_today} of ${group.answers_per_day} today, to ${oneLine(group.assistant_name)}`
        : 'none allowed',
    ],
    ['raw', oldest === null ? 'nothing kept' : `oldest message ${ago(oldest)} old`],
  ];
}

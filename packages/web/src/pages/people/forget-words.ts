// What forgetting erases, counted in words, and whether a name was typed as the yes. Pure.
import type { ErasedCounts } from '@relay/core/api/retention';
import { folded } from '@relay/core/contacts/find';
import { plural } from '../../parts/numbers.ts';

const WORDS: Readonly<Record<keyof ErasedCounts, readonly [one: string, many: string]>> = {
  messages: ['message', 'messages'],
  sent: ['message that Relay sent', 'messages that Relay sent'],
  conversations: ['conversation', 'conversations'],
  session_lines: ['line of auto-reply', 'lines of auto-reply'],
  schedules: ['schedule', 'schedules'],
  approvals: ['approval', 'approvals'],
  grants: ['grant', 'grants'],
  digests: ['digest', 'digests'],
  assistant_answers: ['answer of the assistant', 'answers of the assistant'],
  tool_calls: ['lookup of the assistant', 'lookups of the assistant'],
};

export function erasedWords(counts: ErasedCounts): string {
  const counted = (Object.keys(WORDS) as (keyof ErasedCounts)[])
    .filter((what) => counts[what] > 0)
    .map((what) => plural(counts[what], ...WORDS[what]));
  const last = counted.pop();
  if (last === undefined) return 'nothing but the entry itself';
  return counted.length === 0 ? last : `${counted.join(', ')} and ${last}`;
}

/** The same name whatever its case, its accents and its spaces. */
export const isTyped = (typed: string, name: string): boolean =>
  folded(typed) !== '' && folded(typed) === folded(name);

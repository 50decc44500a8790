// What became of a message of an observed group: read in silence, and where the assistant was named, why it
// answered or why it did not.

import { ANSWER_WORDS } from './answer-words.ts';
import { answeredBy } from './answered.ts';
import type { AnswerReason } from './answers.ts';
import type { InboundStory, Reading } from './story.ts';
import { clause, quoted } from './words.ts';

/** Decided before anybody thought of an answer. */
const SILENT: ReadonlySet<string> = new Set<AnswerReason>([
  'not_owner',
  'mention_only',
  'false_positive',
  'unclear',
  'cadence',
  'taken_back',
  'on_hold',
  'too_old',
]);

export function inObservedGroup({ place, answer }: InboundStory, reading: Reading): string {
  const group = `the group ${quoted(place.name)}`;
  const reason = answer?.reason ?? null;
  if (answer === null || reason === null) {
    return `Read in silence, because you observe ${group}.`;
  }
  if (SILENT.has(reason)) {
    const why = clause(ANSWER_WORDS[reason as AnswerReason]);
    return `Read in silence, because you observe ${group}, and not answered: ${why}.`;
  }
  const because = `because you asked it in ${group}`;
  return answeredBy({ who: 'your assistant', because, may: '' }, answer, reading);
}

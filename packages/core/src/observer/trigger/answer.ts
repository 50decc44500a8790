// Phase 2 of the trigger, answered: the one label in what a model said. Whatever is not clearly one of the
// three is null, and null is silence.

export const TRIGGER_LABELS = ['direct_request', 'mention_only', 'false_positive'] as const;
export type TriggerLabel = (typeof TRIGGER_LABELS)[number];

/** A label, perhaps with a word or two around it; longer is an essay, and an essay decides nothing. */
const MOST_CHARACTERS = 400;

export function readTrigger(answer: string): TriggerLabel | null {
  const said = answer.trim();
  if (said === '' || said.length > MOST_CHARACTERS) return null;
  const labels = new Set(
    Array.from(said.matchAll(LABEL), ([label]) => label.toLowerCase().replace(/[\s-]/g, '_')),
  );
  if (labels.size !== 1 || DENIED.test(said)) return null;
  return TRIGGER_LABELS.find((label) => labels.has(label)) ?? null;
}

const LABEL =
  /(?<![\p{L}\p{N}_])(?:direct[ _-]request|mention[ _-]only|false[ _-]positive)(?![\p{L}\p{N}_])/giu;
/** "Not a direct_request" names the one label that it is not. */
const DENIED =
  /\b(?:not|no|isn['’]?t|never|neither|nor|cannot|can['’]?t|unless|unsure)\b|n['’]t\b/iu;

// Phase 2 of the trigger, answered: the one label in what a model said. Whatever is not clearly one of the
// three is null, and null is silence.

export const TRIGGER_LABELS = ['direct_request', 'mention_only', 'false_positive'] as const;
export type TriggerLabel = (typeof TRIGGER_LABELS)[number];

/** Longer is an essay, and an essay decides nothing. */
const MOST_CHARACTERS = 600;

export function readTrigger(answer: string): TriggerLabel | null {
  const said = answer.replace(THOUGHT, '').replace(FENCE, '').trim();
  if (said.length > MOST_CHARACTERS) return null;
  return said.startsWith('{') ? inJson(said) : inWords(said);
}

/** Some models think aloud first; what has no end is no thought. */
const THOUGHT = /^\s*<think>[\s\S]*?<\/think>/i;
const FENCE = /^\s*```\w*\n|\n```\s*$/g;

/** Its `label` counts, whatever it gives as the reason. */
function inJson(said: string): TriggerLabel | null {
  try {
    const { label }: { label?: unknown } = JSON.parse(said);
    return typeof label === 'string' ? labelOf(label.trim()) : null;
  } catch {
    return null;
  }
}

/** One label among words that do no more than give it, or before a reason that does not deny it. */
function inWords(said: string): TriggerLabel | null {
  const found = new Set(Array.from(said.matchAll(LABEL), ([written]) => labelOf(written)));
  const [label = null, ...others] = found;
  if (others.length > 0) return null;
  const around = said.replace(LABEL, ' ').match(/[\p{L}\p{M}'’]+/gu) ?? [];
  const onlyGiven = around.every((word) => GIVING.has(word.toLowerCase()));
  return onlyGiven || (GIVEN_FIRST.test(said) && !DENIED.test(said)) ? label : null;
}

const labelOf = (written: string): TriggerLabel | null =>
  TRIGGER_LABELS.find((label) => label === written.toLowerCase().replace(/[\s-]/g, '_')) ?? null;

const ONE = '(?:direct[ _-]request|mention[ _-]only|false[ _-]positive)';
const LABEL = new RegExp(String.raw`(?<![\p{L}\p{N}_])${ONE}(?![\p{L}\p{N}_])`, 'giu');
const GIVING = new Set(
  'a an the this it is my i would say choose pick answer label classification category class result final message type sorted as'.split(
    ' ',
  ),
);
const GIVEN_FIRST = new RegExp(String.raw`^[\s*"'\x60]*${ONE}[*"'\x60]*\s*(?:[.:,;(\n—–-])`, 'iu');
const DENIED =
  /\?|\b(?:no|not|nor|never|neither|unless|cannot|but|however|although|unsure|maybe|perhaps|if|or)\b|n['’]t\b/iu;

// A day's digest as text: what happened, then its facts by kind, each list in one line. How a model is shown
// the days before, and what is counted as the size of a digest.
import { type DigestFact, FACT_KINDS, FACT_TITLES, factLine } from './facts.ts';

export function dailyText({
  body,
  facts,
}: {
  readonly body: string;
  readonly facts: readonly DigestFact[];
}): string {
  const lists = FACT_KINDS.flatMap((kind) => {
    const lines = facts.filter((fact) => fact.kind === kind).map(factLine);
    return lines.length === 0 ? [] : `${FACT_TITLES[kind]}: ${lines.join('; ')}`;
  });
  return [body, ...lists].join('\n');
}

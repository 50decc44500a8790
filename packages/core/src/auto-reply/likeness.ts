// How much two texts say the same: what machines repeat differs in a number, a mark or a smile.
import { squeeze } from '../policy/squeeze.ts';

const GRAM = 3;

/** From 0 to 1: what share of their stretches of three letters they have in common. */
export function likeness(one: string, other: string): number {
  const [a, b] = [reduced(one), reduced(other)];
  if (a === b) return 1;
  if (a.length < GRAM || b.length < GRAM) return 0;
  const left = gramsOf(a);
  let common = 0;
  for (const [gram, count] of gramsOf(b)) common += Math.min(count, left.get(gram) ?? 0);
  return (2 * common) / (a.length + b.length - 2 * (GRAM - 1));
}

/** Letters, with one digit for all; of a text without any, the text itself. */
function reduced(text: string): string {
  const letters = squeeze(text).replace(/\p{N}/gu, '0');
  return letters === '' ? text.trim() : letters;
}

function gramsOf(text: string): Map<string, number> {
  const grams = new Map<string, number>();
  for (let at = 0; at + GRAM <= text.length; at++) {
    const gram = text.slice(at, at + GRAM);
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  return grams;
}

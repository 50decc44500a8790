// A found text in pieces: those that answer the question, and those between. Joined they are the text as it
// was written, whatever was folded to find it.
import type { Zone } from '../schedule/zone.ts';
import { parseQuestion } from './query.ts';
import { wordsOf } from './words.ts';

export interface Piece {
  readonly text: string;
  readonly found: boolean;
}

const RUNS = /([\p{L}\p{M}\p{N}]+)/u;

export function highlight(text: string, question: string, now: Date, zone: Zone): readonly Piece[] {
  const asked = new Set(parseQuestion(question, now, zone).terms);
  return text
    .split(RUNS)
    .map((piece) => ({ text: piece, found: wordsOf(piece).some(({ term }) => asked.has(term)) }))
    .filter((piece) => piece.text !== '');
}

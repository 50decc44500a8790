// A quick no to "is this stretch in that text?": four letters in a row leave a trace, and a stretch of
// which one is missing is not there. A yes has to be looked up.

export interface Traced {
  readonly text: string;
  readonly traces: Uint8Array;
}

const GRAM = 4;
const STEP = 3;
const SIZE = 1 << 16;

const traceAt = (text: string, at: number): number =>
  (Math.imul(text.charCodeAt(at), 0x9e5f) ^
    Math.imul(text.charCodeAt(at + 1), 0x3c6f) ^
    Math.imul(text.charCodeAt(at + 2), 0x61c9) ^
    Math.imul(text.charCodeAt(at + 3), 0x1b87)) &
  (SIZE - 1);

export function traced(text: string): Traced {
  const traces = new Uint8Array(SIZE);
  for (let at = 0; at + GRAM <= text.length; at++) traces[traceAt(text, at)] = 1;
  return { text, traces };
}

export function mayHold(traces: Uint8Array, text: string, from: number, length: number): boolean {
  for (let at = from; at + GRAM <= from + length; at += STEP) {
    if (traces[traceAt(text, at)] === 0) return false;
  }
  return true;
}
